#!/bin/bash
# recover.t - unusual resumes: a clean checkpoint, an unreadable one, a stopped owner, a session
# that keeps dying.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
store=$dir/store/ckrun.db
checkpoints() {
  "$CKRUN" --json sessions checkpoints "$1" | perl -MJSON::PP -ne '
    $d = decode_json($_);
    print "$d->{id} $d->{seq} ", $d->{clean} ? 1 : 0, "\n"'
}
write_flow idempotent

# ---- a stopped owner ----
begin run "$dir/flow.lua" --session held
refused 76 "taking over a running owner" \
  "which is not stopped: --take-over ends a stopped process only" resume held --take-over
has "names it and its host" "$(run resume held --take-over; echo "$err")" \
  "process $pid on $(hostname)"
ok "it runs on" kill -0 "$pid"
kill -STOP "$pid"
until grep -q '^State:.T' "/proc/$pid/status"; do :; done
refused 76 "a resume without --take-over" "is run by process $pid" resume held
exits 0 "a dry run with it" --json resume held --take-over --dry-run
is "names the process that it would end" "$(json "$out" '$d->{takes_over}')" "$pid"
ok "and does not end it" kill -0 "$pid"
end_step # or it would take the word meant for the next
old=$pid
"$CKRUN" resume held --take-over >"$dir/begun" 2>"$dir/told" </dev/null 3>&- 4>&- &
pid=$!
reach
kill -CONT "$old" 2>/dev/null
wait "$old"
is "the stopped owner was ended" "$?" 137
steps 1 2 3 4
ended
is "and the session goes on" "$code $(cell "$out" result)" "0 4"
exits 0 "its log" sessions log held --all --json
is "has nothing of the old run behind the new one" \
  "$(perl -MJSON::PP -ne '
    $d = decode_json($_);
    $t = $d->{timeline} if !defined $t || $d->{timeline} > $t;
    $n++ if $d->{timeline} < $t;
    END { print $n + 0 }' <<<"$out")" 0
exits 0 "the store is sound" store verify

cat >"$dir/fail.lua" <<END
local flow = require "ck.flow"
return flow.custom { name = "fails", run = function(ctx)
  for n = ctx.position and ctx.position.turn + 1 or 1, 3 do
    ctx.memory["n" .. n] = n
    ctx.boundary("tool_round", { position = { path = "step#" .. n, turn = n } })
  end
  if not ctx.memory.fixed then error("not fixed") end
  return "fixed"
end }
END

# ---- an owner that has ended ----
# left SECONDS: takes the session `left` and dies; what it forked holds the lock until it gets a
# line on descriptor 6 (F_OFD_SETLK of the whole file is what an owner does, see lock.c).
cat >"$dir/left.pl" <<'END'
use strict; use Fcntl qw(:flock :DEFAULT);
my ($file, $host) = @ARGV;
sysopen my $lock, $file, O_RDWR | O_CREAT or die;
flock $lock, LOCK_EX | LOCK_NB or die;
my $all = pack "ssx4qqix4", F_WRLCK, 0, 0, 0, 0;
fcntl $lock, 37, $all or die;
syswrite $lock, "$$ $host\n";
exit 0 if fork;
open STDOUT, ">", "/dev/null";
sysread STDIN, my $byte, 1;
END
exits 1 "a flow that raises" run "$dir/fail.lua" --session left
mkdir -p "$store.sessions"
mkfifo "$dir/word"
exec 6<>"$dir/word"
old=$(perl -e 'print $$; exec "perl", @ARGV' "$dir/left.pl" "$store.sessions/left.lock" \
  "$(hostname)" <&6)
refused 76 "taking over one that has ended, while what it forked has not" \
  "session left is held by what process $old on $(hostname) left behind" resume left --take-over
has "is told what to wait for" "$err" \
  "process $old has ended already: --take-over has nothing to end"
echo >&6
run resume left --take-over --set fixed=true
is "once that has ended the session is resumed" "$code" 0

# ---- a clean checkpoint ----
exits 1 "a flow that raises" run "$dir/fail.lua" --session fails
exits 0 "the clean one" --json resume fails --clean --dry-run
ok "is clean" test "$(json "$out" '$d->{checkpoint}{clean}')" = 1
exits 0 "an edit mends it" --json resume fails --clean --set fixed=true
is "and it goes on" "$(json "$out" '$d->{result}')" fixed
exits 2 "--clean and --checkpoint" resume fails --clean --checkpoint x

# ---- a failure is a checkpoint to resume from, whatever the policies take ----
cat >"$dir/halfway.lua" <<END
local flow = require "ck.flow"
return flow.steps {
  steps = {
    { name = "buy",
      run = flow.exec { argv = { "sh", "-c", "echo bought >>$dir/bought" }, class = "pure" } },
    { name = "pack", needs = { "buy" },
      run = flow.exec { argv = { "test", "-e", "$dir/box" }, class = "pure" } },
  },
}
END
exits 1 "a flow whose second step fails" run "$dir/halfway.lua" --profile default --session halfway
exits 0 "its checkpoints" --json sessions checkpoints halfway
is "the last one is of the failure, and not clean" \
  "$(json "$(tail -n 1 <<<"$out")" '"$d->{kind} " . ($d->{clean} ? 1 : 0)')" "failure 0"
has "it says why" "$out" '"description":"'
touch "$dir/box"
exits 0 "once mended it goes on" resume halfway
is "and what had completed was not done again" "$(wc -l <"$dir/bought")" 1

# ---- an unreadable checkpoint ----
# sqlite3 would move the log into the file, and remove it: to ckrun that is a log that is gone.
change_payload() {
  sqlite3 -cmd '.dbconfig no_ckpt_on_close on' "$store" \
    "UPDATE checkpoint SET payload = x'0001020304' WHERE id = '$1'" >/dev/null
}
if command -v sqlite3 >/dev/null; then
  begin run "$dir/flow.lua" --session torn
  let_on 1
  reach
  let_on 2
  reach
  die
  head=$(checkpoints torn | tail -n 1 | cut -d' ' -f1) \
    older=$(checkpoints torn | tail -n 2 | head -n 1 | cut -d' ' -f1)
  change_payload "$head"
  exits 7 "a resume from what cannot be read" resume torn
  has "names it" "$err" "$head"
  has "and the remedy" "$err" "--fallback goes on from checkpoint $older"
  exits 0 "a dry run with --fallback" --json resume torn --fallback --dry-run
  is "goes back" "$(json "$out" '$d->{checkpoint}{id} . " " . $d->{fell_back}')" "$older 1"
  exits 5 "without a terminal it asks for --yes" resume torn --fallback
  has "having listed what lies after the older one" "$err" \
    "after it: main/step#1/tool/1 step (idempotent): replay"
  exits 7 "a checkpoint that is named has no other" resume torn --fallback --yes --checkpoint \
    "$head"
  begin resume torn --fallback --yes
  steps 3 4
  ended
  is "with it the session goes on, nothing done twice" "$code $(cell "$out" result)" "0 4"
  has "and says where from" "$err" "going back to checkpoint $older"

  begin run "$dir/flow.lua" --session profile --profile \
    "$(echo 'return { name = "back", extends = "default", on_unreadable = "fallback" }' \
    >"$dir/back.lua"; echo "$dir/back.lua")"
  let_on 1
  reach
  let_on 2
  reach
  die
  head=$(checkpoints profile | tail -n 1 | cut -d' ' -f1)
  change_payload "$head"
  begin resume profile
  steps 3 4
  ended
  is "a profile can say so" "$code $(cell "$out" result)" "0 4"
  has "and it is told" "$err" "going back to checkpoint"
else
  skip "sqlite3 is not there to damage a store with"
fi

# ---- a session that dies as soon as it is resumed ----
begin run "$dir/flow.lua" --session dying
die
for n in 1 2 3; do begin resume dying; die; done
before=$(sha256sum "$store" "$store-wal")
exits 5 "a dry run" --json resume dying --dry-run
has "tells that it would be refused" "$out" "--retry"
is "and writes nothing" "$(sha256sum "$store" "$store-wal")" "$before"
exits 5 "the fourth resume in a row that gets nowhere" resume dying
has "is refused with the remedy" "$err" "find out why, then resume it with --retry"
exits 0 "and the session" --json sessions show dying
is "is failing" "$(json "$out" '$d->{status}')" failing
refused 5 "any other resume" "--retry" resume dying
begin resume dying --retry
let_on 1
reach
die
begin resume dying
steps 2 3 4
ended
is "by hand it goes on, and progress forgets the deaths" "$code $(cell "$out" result)" "0 4"

# Its boundaries before the first action are reached again by each resume, which is no progress.
cat >"$dir/node.lua" <<'END'
local flow = require "ck.flow"
return flow.graph { name = "node", start = "a", edges = { a = "b", b = flow.done }, nodes = {
  a = flow.exec { class = "idempotent",
    argv = { "sh", "-c", "test -e first || { kill -9 $PPID; sleep 9; }" } },
  b = flow.exec { class = "idempotent",
    argv = { "sh", "-c", "test -e second || { kill -9 $PPID; sleep 9; }" } } } }
END
cd "$dir" || exit 1
deaths() { # how often it is resumed until it is refused
  local n=0
  while run resume node && [ $code = 137 ] && [ $n -lt 9 ]; do n=$((n + 1)); done
  echo "$n $code"
}
run run node.lua --session node 2>/dev/null
is "a graph whose first node kills its process dies three times more" "$(deaths 2>/dev/null)" "3 5"
touch first
run resume node --retry 2>/dev/null
is "an outcome is progress: its second node may die as often" "$(deaths 2>/dev/null)" "3 5"
touch second
exits 0 "and by hand it goes on to its end" resume node --retry
finish
