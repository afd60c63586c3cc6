#!/bin/bash
# doubt_policy.t - what a policy says of an effect in doubt is recorded with its name before it is
# carried out, once for each doubt wherever the resume is killed; a dry run tells it beforehand.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/kills.sh"
cd "$dir" || exit 1

# die.sh TIMES: notes that it ran, and kills the program so many times.
cat >die.sh <<END
#!/bin/sh
echo x >>"$dir/ran"
[ "\$(grep -c '' "$dir/ran")" -gt "\$(cat "$dir/times")" ] || { kill -9 \$PPID; sleep 60; }
echo 1
END
chmod +x die.sh
cat >flow.lua <<END
local flow = require "ck.flow"
return flow.graph { start = "first", nodes = {
  first = flow.lua(function(ctx) ctx.memory.a = 1 end),
  pay = flow.exec { argv = { "$dir/die.sh" }, class = "once" } },
  edges = { first = "pay", pay = flow.done } }
END
for word in stop rerun tell; do
  cat >$word.lua <<END
return { name = "${word}_it", version = 1, in_doubt = function(effect)
  if effect.kind == "exec" and effect.class == "once" and effect.scope == "main" then
    return "$word"
  end
end }
END
done
printf 'return { name = "broken", version = 1, in_doubt = function() error "no idea" end }\n' \
  >broken.lua
for name in stop rerun tell broken; do
  echo "return { name = \"p_$name\", extends = \"graph\", policies = { \"every_boundary\"," \
    "\"./$name.lua\" } }" >p_$name.lua
done
key='main/pay#1/exec/1'
# begin SESSION PROFILE TIMES: a session whose program kills it.
begin() {
  rm -f ran
  echo "$3" >times
  exits 137 "$1: its program kills the run" run flow.lua --session "$1" --profile "./$2.lua"
  is "$1: it ran" "$(wc -l <ran | tr -d ' ')" 1
}
# answers SESSION: the resolutions and what follows each under its key.
answers() {
  "$CKRUN" --json sessions log "$1" --all | perl -MJSON::PP -ne '
    my $e = JSON::PP->new->utf8->decode($_);
    next unless ($e->{body}{key} // "") eq "'"$key"'";
    my $b = $e->{body};
    print join(":", $e->{kind}, map { $b->{$_} // () } qw(verdict policy)), " "
      if $e->{kind} =~ /^(intent|resolution|outcome)$/'
}
row() { "$CKRUN" resume "$1" --dry-run | grep ^effect; }
effect() { json "$out" 'join " ", map { $d->{effects}[0]{$_} // "-" } qw(what policy error)'; }
files() { sha256sum store/ckrun.db store/ckrun.db-wal; }

# ---- done again ----
begin again p_rerun 1
before=$(files)
is "the dry run says what would follow" "$(row again)" \
  "effect	$key (once): would be done again, by policy \"rerun_it\""
exits 0 "as JSON" --json resume again --dry-run
is "with the policy" "$(effect)" "do again rerun_it -"
is "it is counted with what is run again" "$(json "$out" 'join " ", map { $d->{$_} }
  qw(rerun in_doubt told)')" "1 0 0"
is "nothing was written" "$(files)" "$before"
is "nothing was done" "$(wc -l <ran | tr -d ' ')" 1
exits 0 "the resume does it" resume again
has "and is explained by it" "$("$CKRUN" policy explain again)" \
  "$key, in doubt: rerun_it said retry"
is "again" "$(wc -l <ran | tr -d ' ')" 2
is "the answer stands before the new intent" "$(answers again)" \
  "intent resolution:retry:rerun_it intent outcome "
has "the log tells it" "$("$CKRUN" sessions log again --all)" "$key  retry  policy rerun_it"
is "so does the session" "$(cell "$("$CKRUN" sessions show again)" settled)" \
  "$key: retry, by policy \"rerun_it\""
exits 0 "as JSON" --json sessions show again
is "with its members" "$(json "$out" '$d->{settled}')" \
  "[{\"effect\":\"$key\",\"policy\":\"rerun_it\",\"verdict\":\"retry\"}]"
is "the run that died with it died" \
  "$(json "$out" 'join " ", map { $_->{outcome} } @{$d->{runs}}')" "died completed"

# ---- told as unknown; in a graph the node fails of it ----
begin told p_tell 1
is "a dry run says so" "$(row told)" \
  "effect	$key (once): would be told as unknown, by policy \"tell_it\""
exits 0 "as JSON" --json resume told --dry-run
is "counted so" "$(effect) $(json "$out" '$d->{told}')" "tell tell_it - 1"
exits 1 "the node fails" resume told
is "it did not run" "$(wc -l <ran | tr -d ' ')" 1
is "the answer stands before the outcome" "$(answers told)" \
  "intent resolution:tell:tell_it outcome "

# ---- nothing is settled: no answer is recorded ----
begin stopped p_stop 1
is "a policy that stops is named, too" "$(row stopped)" \
  "effect	$key (once): in doubt, by policy \"stop_it\""
exits 75 "the session stops" resume stopped
is "and nothing is recorded of it" "$(answers stopped)" "intent "
begin broken p_broken 1
has "one that fails is told with its error" "$(row broken)" \
  "(once): in doubt: policy \"broken\", in_doubt: $dir/broken.lua:1: no idea"
exits 0 "as JSON" --json resume broken --dry-run
has "in a member of its own" "$(effect)" \
  "in doubt - policy \"broken\", in_doubt: $dir/broken.lua:1: no idea"
exits 75 "the session stops" resume broken
is "with one policy_error" "$("$CKRUN" sessions log broken --kind policy_error | wc -l)" 1

# ---- killed at points of the resume: one answer for each doubt ----
if can_kill; then
  begin again2 p_rerun 1
  rm -rf kept && cp -r store kept
  calls=$(count_calls resume again2)
  for ((i = 1; i <= 8; i++)); do
    rm -rf store && cp -r kept store
    echo x >ran
    preloaded "KILL_AT=$((calls * i / 9))" resume again2
    run resume again2
    "$CKRUN" sessions show again2 >shown 2>&1
    is "killed at $((calls * i / 9)) of $calls: it completes, and each new try has one answer" \
      "$(cell "$(cat shown)" status) $(answers again2 | tr ' ' '\n' | grep -c resolution)" \
      "completed $(($(answers again2 | tr ' ' '\n' | grep -c intent) - 1))"
  done
else
  skip "killed: there is no compiler"
fi
finish
