#!/bin/bash
# log_follow.t - `log -f` tells each event once until the run has ended; `log --seq` shows one in
# full; on a terminal a finished step stays, and what is deleted is asked for.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/views.sh"
. "$(dirname "$0")/../steps.sh"
write_flow idempotent

# ---- following ----

begin run "$dir/flow.lua" --session live
: >"$dir/followed"
"$CKRUN" --json sessions log live -f >"$dir/followed" 2>"$dir/followed.err" 3>&- 4>&- &
follower=$!
until grep -q '"kind":"intent"' "$dir/followed"; do kill -0 $follower || break; done
ok "what has happened by now is told while the run goes on" kill -0 $follower
steps 1 2 3 4
ended
wait $follower
is "it ends with the run" "$? $(cat "$dir/followed.err")" "0 "
"$CKRUN" --json sessions log live >"$dir/whole"
ok "each event was told once, in order" cmp -s "$dir/followed" "$dir/whole"
exits 0 "a session at rest" sessions log live --follow --last 2
is "is not waited for" "$(cut -f1 <<<"$out" | tr '\n' ' ')" "$(tail -n 2 "$dir/whole" |
  perl -ne 'print "$1 " if /"seq":(\d+)/')"

# ---- one event in full ----

exits 0 "a session with much to tell" run "$flow" --cassette "$cassette" --session air --input \
  '"x\u001b[2J\u202e \\\" {[,:]} [] {}"'
different=0 seen=0
while read -r line; do
  seq=$(json "$line" '$d->{seq}')
  run sessions log air --seq "$seq"
  perl -MJSON::PP -0777 -e '
    my $json = JSON::PP->new->utf8->canonical;
    my ($line, $shown) = @ARGV;
    my ($head, $body) = split /\n/, $shown, 2;
    my $event = $json->decode($line);
    exit 1 if $head !~ /^seq $event->{seq}, $event->{kind}, $event->{at}, scope $event->{scope}/;
    exit 1 if $json->encode($json->decode($body)) ne $json->encode($event->{body})' \
    "$line" "$out" || different=$((different + 1))
  seen=$((seen + 1))
done < <("$CKRUN" --json sessions log air | sed -n '1~6p')
is "events that differ in full, of $seen" "$different" 0
ok "each member has a line" test "$(grep -c '^  "' <<<"$out")" -gt 1
is "and JSON is the event of the log" "$("$CKRUN" --json sessions log air --seq 5)" \
  "$("$CKRUN" --json sessions log air | sed -n 5p)"
refused 3 "one that is not there" "session air has no event 100000: its last is" sessions log air \
  --seq 100000

# ---- terminals ----

if has_terminal; then
  is "an event drives no terminal" "$(screen 80 sessions log air --seq 1 | commands_in)" 0
  shown=$(screen 80 run "$flow" --cassette "$cassette" --session steps |
    perl -ne 's/\r?\n$//; s/.*\r\033\[K//; s/\r//g; print "$_\n"')
  is "a line of each finished step stays" "$(grep -cE '^(done|failed) .* (us|ms|s)$' \
    <<<"$shown")" "$("$CKRUN" --json sessions log steps --kind outcome |
    grep -cE '"status":"(ok|error|failed)"')"
  has "with its tool" "$shown" "get_user_details"
  is "no step is wider than the terminal" \
    "$(screen 60 run "$flow" --cassette "$cassette" --session narrow |
      perl -ne 's/\r?\n$//; s/.*\r\033\[K//; print "$_\n" if /^(done|failed)/' | too_wide 60)" 0
  shown=$(TERMINAL_INPUT=$'n\n' screen 80 sessions delete steps)
  has "what is deleted is asked for" "$shown" "delete session steps (completed, "
  has "no is no" "$shown" "nothing was deleted"
  TERMINAL_INPUT='' screen 80 sessions delete steps >"$dir/deleting"
  exits 0 "neither is nothing an answer" sessions show steps
  TERMINAL_INPUT=$'y\n' screen 80 sessions delete steps >"$dir/deleting"
  refused 3 "yes is yes" "no session steps" sessions show steps
  screen 80 sessions delete narrow --yes </dev/null >"$dir/deleting"
  refused 3 "--yes does not ask" "no session narrow" sessions show narrow
else
  skip "no pseudo-terminal"
fi
exits 0 "a script is not asked" sessions delete air
finish
