#!/bin/bash
# simulate_other.t - what is simulated over a session that ran under another profile is what a run
# under this one decides: over random flows and policies that hang on the flow alone, each recording
# is asked for every profile. RANDOM_FLOWS=N flows from number RANDOM_FIRST on.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1
tools="$root/tests/lua/policy_tool"

# Nothing here hangs on time, money or chance, which are other in each run.
cat >changed.lua <<'END2'
return { name = "changed", version = 1, options = { key = "plan" }, checkpoint = function(at, opt)
  local list = {}
  for key in pairs(at.since.changed) do list[#list + 1] = key end
  if at.since.changed["memory." .. opt.key] then
    return opt.key .. " of " .. table.concat(list, ",") .. " in " .. at.since.boundaries
  end
end }
END2
policies=(
  '{ "smart", changed_keys = 1, slow_ms = 1000000000, classes = ck.array {} }'
  '{ "smart", changed_keys = 3, slow_ms = 1000000000, risky = { "b" } }'
  '{ "every_n", n = 4 }'
  '{ "before_effect", classes = { "once", "pure" } }, { "./changed.lua", key = "n" }'
  '"./changed.lua"'
  '{ "every_boundary", on_edge = false, on_node_start = false }'
)
asked=()
for i in "${!policies[@]}"; do
  asked+=(--profile ./p$i.lua)
  echo "return { name = 'p$i', policies = { ${policies[i]} } }" >p$i.lua
done

# Each boundary in turn: its kind, whether it is a checkpoint, and why.
decided() {
  "$CKRUN" --json sessions log "$1" --kind boundary | perl -MJSON::PP -ne '
    my $b = decode_json($_)->{body};
    print join(" ", $b->{kind}, $b->{checkpoint} ? "yes" : "no",
      map { "$_->{policy}: " . ($_->{reason} // "") } @{$b->{reasons} || []}), "\n"'
}
# The same under each profile at once, in files again0, again1, …
simulated() {
  "$CKRUN" --json policy simulate "$1" "${asked[@]}" --list | perl -MJSON::PP -ne '
    my $i = 0;
    for my $profile (@{decode_json($_)->{profiles}}) {
      open my $out, ">", "again" . $i++ or die;
      print $out join(" ", $_->{boundary}, $_->{taken} ? "yes" : "no",
        map { "$_->{policy}: " . ($_->{reason} // "") } @{$_->{reasons} || []}), "\n"
        for @{$profile->{sessions}[0]{decisions}};
    }'
}

first=${RANDOM_FIRST:-1}
for ((n = first; n < first + ${RANDOM_FLOWS:-1}; n++)); do
  perl "$tools/random_flow.pl" $n >flow$n.lua
  for i in "${!policies[@]}"; do
    run run flow$n.lua --profile ./p$i.lua --session s$n-$i
    [ "$code" = 0 ] || is "flow $n runs under ${policies[i]}" "$code" 0
    decided s$n-$i >live$i
  done
  ok "flow $n: its policies differ" test "$(sort -u live? | wc -l)" -gt 12
  for by in "${!policies[@]}"; do
    differ=
    rm -f again?
    simulated s$n-$by
    for i in "${!policies[@]}"; do
      cmp -s again$i live$i || differ+="${policies[i]}: $(diff again$i live$i | head -3)"$'\n'
    done
    is "flow $n recorded under ${policies[by]}: each other decides as it does live" "$differ" ""
  done
done
finish
