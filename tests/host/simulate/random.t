#!/bin/bash
# random.t - under random profiles a simulation repeats every recorded answer to permit, in_doubt,
# on_failure, resume and tail, and every decision to checkpoint, and finds nothing more to mask: of
# sessions with failures, questions, doubts, that were killed, answered and resumed.
# RANDOM_PROFILES=N profiles from number RANDOM_FIRST on; the campaign takes 200.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/kills.sh"
cd "$dir" || exit 1
export CKRUN
cp "$root/tests/host/simulate/draws.lua" .

# Each effect prints, fails, or kills the run that it is of, as its number of calls says.
cat >work.sh <<'E'
#!/bin/sh
calls=$(($(cat "$2.$1" 2>/dev/null || echo 0) + 1))
echo "$calls" >"$2.$1"
case $1$calls in
  b1 | d1 | e2) exit 3 ;;
  c1) kill -9 "$PPID"; sleep 60 ;;
esac
echo "token-$calls of $1"
E
chmod +x work.sh
# flow SESSION: its nodes.
flow() {
  cat <<E
local flow = require "ck.flow"
local function work(name, class)
  return flow.exec { argv = { "$dir/work.sh", name, "$dir/$1" }, class = class }
end
return flow.graph { name = "g", start = "first", nodes = {
  first = flow.lua(function(ctx) ctx.memory.note = "five" ctx.memory.plan = { 1, 2, 3 } end),
  a = work("a", "pure"), b = work("b", "idempotent"), c = work("c", "once"),
  d = work("d", "once"), e = work("e", "pure"),
  last = flow.lua(function(ctx) ctx.pause("is it well?") end) },
  edges = { first = "a", a = "b", b = "c", c = "d", d = "e", e = "last", last = flow.done } }
E
}
# go_on SESSION PROFILE: what a person does until it is at its end, at most twelve times.
go_on() {
  local step status
  for ((step = 0; step < 12; step++)); do
    status=$(cell "$("$CKRUN" sessions show "$1")" status)
    case $status in
      completed | cancelled) return ;;
      waiting) run answer "$1" "$([ $((step % 4)) = 3 ] && echo deny || echo allow)" ;;
      in_doubt) run resolve "$1" "$([ $((step % 2)) = 0 ] && echo retry || echo abort)" ;;
    esac
    run resume "$1" --retry
    [[ $err != *"'ckrun answer"* ]] || run answer "$1" allow
  done
}
# repeats SESSION PROFILE HOOK: prints what is not as it was recorded, nothing when all is.
repeats() {
  run --json policy simulate "$1" --list --hook "$3" --profile "$2"
  perl -MJSON::PP -e '
    my ($text, $hook, $counts) = @ARGV; my $d = decode_json($text);
    my $session = $d->{profiles}[0]{sessions}[0];
    for my $place (@{$session->{places}}) {
      my ($then, $now) = @$place{qw(recorded now)};
      next if !$then && $hook eq "tail";
      my @other = grep { ($then->{$_} // $now->{$_} // "") ne ($now->{$_} // "") }
        qw(answer policies text);
      print "$hook $place->{seq}: ", encode_json($place), "\n" if !$then || !$now || @other;
    }
    open my $out, ">>", $counts or die; print $out "$hook $session->{asked}\n"' \
    "$out" "$3" "$dir/counts" 2>&1
}
# same NAME SESSION PROFILE: each hook of it.
same() {
  local hook told
  for hook in permit in_doubt on_failure resume tail; do
    told=$(repeats "$2" "$3" "$hook")
    [ -z "$told" ] && continue
    is "$1: $hook is answered as it was, under $(cat "$3")" "$told" ""
    return
  done
  told=$(perl "$root/tests/lua/policy_tool/decisions.pl" "$2" --profile "$3" | tail -1)
  is "$1: every answer is repeated, and every decision" "${told%% of *}" 0
  exits 0 "$1: and what is left" policy simulate "$2" --hook redact --profile "$3"
  is "$1: holds nothing more to mask" "$out" ""
}

killable=0
can_kill && killable=1
[ $killable = 1 ] || skip "no compiler for the library that kills: one kind of session is left out"
first=${RANDOM_FIRST:-1}
for ((i = first; i < first + ${RANDOM_PROFILES:-4}; i++)); do
  profile=random_$i.lua
  if [ $((i % 4)) = 0 ]; then
    [ $killable = 1 ] || continue
    perl "$root/tests/host/simulate/random_hooks.pl" $i tail >"$profile"
    die_midway $((2 + i % 7)) 10 "s$i" run "$flow" --cassette "$cassette" --session "s$i" \
      --profile "$profile"
  else
    perl "$root/tests/host/simulate/random_hooks.pl" $i >"$profile"
    flow "s$i" >"flow_$i.lua"
    run run "flow_$i.lua" --session "s$i" --profile "$profile"
  fi
  go_on "s$i"
  same "$i" "s$i" "$profile"
done
awk '{ all[$1] += $2 } END { for (hook in all) print "# asked " hook, all[hook] }' counts
finish
