#!/bin/bash
# not_begun.t - why a session in the queue is not begun is told where people look: by which worker,
# when, and why; until somebody has it. On a file, on a sealed one, on a server.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../postgres.sh"
export CKRUN_COUNTERS=off
begin_server
cd "$dir" || exit 1
mkdir here there
cat >here/flow.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "flow", start = "one", edges = { one = flow.done }, nodes = {
  one = flow.exec { argv = { "true" }, class = "idempotent" } } }
END
sed 's,"true","./act",' here/flow.lua >here/lacks.lua
echo 'return { name = "keyed", extends = "default", secrets = { token = "env:NOT_BEGUN_TOKEN" } }' \
  >here/profile.lua
works() { # ARGUMENTS…: a worker looks, and ends.
  "$CKRUN" worker --until-idle --poll 50ms "$@" >worker.out 2>worker.err </dev/null 8<&- 9>&-
}
listed() { # SESSION
  "$CKRUN" --json sessions list | perl -MJSON::PP -ne 'BEGIN { $id = shift }
    my $d = decode_json($_);
    print join "|", map { $_->{why} } @{$d->{not_begun} // []} if $d->{session} eq $id' "$1"
}
whys() { # SESSION
  json "$("$CKRUN" --json sessions show "$1")" \
    'join "|", map { $_->{why} } @{$d->{not_begun} // []}'
}
gpu="it is for workers with gpu"
check() { # WHERE
  local shown
  NOT_BEGUN_TOKEN=hunter2hunter2 "$CKRUN" submit here/flow.lua --profile ./here/profile.lua \
    --session secret >/dev/null 2>&1 </dev/null
  "$CKRUN" submit here/flow.lua --session label --label gpu >/dev/null 2>submit.err </dev/null
  "$CKRUN" submit here/flow.lua --session place >/dev/null 2>&1 </dev/null
  has "$1: who submits one is told where to look" "$(cat submit.err)" \
    "sessions watch label' follows it, and says why no worker does"
  is "$1: nobody has said anything yet" "$(whys label)" ""
  works --flows there --label eu
  has "$1: a worker without its label says so" "$(whys label)" "$gpu, and this one has eu"
  has "$1: one that may not run its flow, too" "$(whys place)" \
    "here/flow.lua lies in none of the folders that this worker runs flows of"
  { "$CKRUN" pause place && "$CKRUN" resume place --detach; } >/dev/null 2>&1 </dev/null
  is "$1: which is over when somebody has had it" "$(whys place)" ""
  works --flows "$dir"
  has "$1: one that lacks a secret, too" "$(whys secret)" "NOT_BEGUN_TOKEN"
  is "$1: the words of two workers are kept, the newest first" "$(whys label)" \
    "$gpu, and this one has none|$gpu, and this one has eu"
  shown=$("$CKRUN" --json sessions show label)
  ok "$1: with the worker and the time" perl -MJSON::PP -e 'my $d = decode_json($ARGV[0]);
    for (@{$d->{not_begun}}) { $_->{by} =~ /^the worker with pid \d+ on \S/ or exit 1;
      $_->{at} =~ /^2\d\d\d-\d\d-\d\dT/ or exit 1 }' "$shown"
  is "$1: the list has the same" \
    "$("$CKRUN" --json sessions list | perl -MJSON::PP -ne 'my $d = decode_json($_);
      print JSON::PP->new->canonical->encode($d->{not_begun}) if $d->{session} eq "label"')" \
    "$(perl -MJSON::PP -e 'my $d = decode_json($ARGV[0]);
      print JSON::PP->new->canonical->encode($d->{not_begun})' "$shown")"
  has "$1: and says the last one in its line" "$("$CKRUN" sessions list | grep '^label')" \
    "not begun by the worker with pid"
  has "$1: so does show" "$("$CKRUN" sessions show label)" "not_begun	not begun by the worker with"
  : >watch.err
  timeout 120 "$CKRUN" sessions watch label >watch.out 2>watch.err </dev/null 8<&- 9>&- &
  watch=$!
  for _ in $(seq 1500); do
    grep -q "not begun" watch.err && break
    kill -0 "$watch" || break
    sleep 0.02
  done
  has "$1: who watches it reads it" "$(cat watch.err)" "$gpu, and this one has"
  works --flows "$dir" --label gpu
  wait "$watch"
  is "$1: who has it ends it" "$? $(whys label)" "0 "
  is "$1: what another one lacked it had" "$(cat worker.out | grep -c 'ended	label	completed')" 1
  "$CKRUN" cancel secret >/dev/null 2>&1
  is "$1: nor is it told of what was ended" "$(whys secret)" ""
}
check "a file"
# One whose run has died is no other: who may not run its flow lets it be, and says so once.
mkfifo reached
cat >here/waits.lua <<'END'
local flow = require "ck.flow"
return flow.graph { name = "waits", start = "one", edges = { one = flow.done }, nodes = {
  one = flow.exec { class = "idempotent",
    argv = { "sh", "-c", "[ -e gone ] || { echo >reached; while :; do sleep 0.02; done; }" } } } }
END
"$CKRUN" submit here/waits.lua --session killed >/dev/null 2>&1 </dev/null
"$CKRUN" worker --flows "$dir" --poll 50ms >first.out 2>&1 </dev/null 8<&- 9>&- &
first=$!
read -r _ <reached
child=$(sed -n 's/^begun\tkilled\tpid //p' first.out)
{ kill -KILL "$first" "$child"; wait "$first"; } 2>/dev/null
timeout 60 "$CKRUN" worker --until-idle --poll 50ms --flows there >worker.out 2>worker.err \
  </dev/null 8<&- 9>&-
is "a worker that may not run one whose run has died ends" $? 0
is "it has tried that once" "$(cut -f 1,2 worker.out | grep -c killed)" 2
is "and it counts as no death" "$(grep -c '^ended' worker.out)" 0
has "why it is not begun is told" "$(whys killed)" \
  "here/waits.lua lies in none of the folders that this worker runs flows of"
touch gone
works --flows "$dir"
has "who may run it does" "$(cat worker.out)" "ended	killed	completed"
printf '#!/bin/sh\n' >act
chmod +x act
"$CKRUN" submit here/lacks.lua --session program >/dev/null 2>&1
rm act
works --flows "$dir"
has "a program that is missing is told" "$(whys program)" "./act"
sed 's,"true","sh"\, "-c"\, "kill -KILL $PPID",' here/flow.lua >here/dies.lua
"$CKRUN" submit here/dies.lua --session died --label gpu >/dev/null 2>&1
"$CKRUN" resume died --queued --flows "$dir" >/dev/null 2>&1 </dev/null
works --flows "$dir" --label eu
has "of one whose process is gone, and that waits for a worker, why it is not begun is told" \
  "$(whys died)" "$gpu, and this one has eu"
is "the list has the same of it" "$(listed died)" "$(whys died)"
mkdir sealed
CKRUN_STORE=sqlite:$dir/sealed/s.db
export CKRUN_KEY
CKRUN_KEY=$("$CKRUN" key new 2>/dev/null)
check "a sealed file"
unset CKRUN_KEY
if has_server; then
  schema=refused
  CKRUN_STORE="$server&schema=refused"
  check "a server"
  is "a server: nothing is left of it in the leases" \
    "$(ask "SELECT count(*) FROM lease WHERE fault IS NOT NULL AND session IN
      (SELECT no FROM session WHERE id = 'label')")" 0
else
  skip "a store of PostgreSQL: ${server#skip: }"
fi
finish
