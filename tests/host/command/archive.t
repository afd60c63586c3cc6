#!/bin/bash
# archive.t - what is pruned or deleted by hand is kept in a file first, and comes back from it as
# it was: every checkpoint's state, the transcript, a place to go on from. A failure or a kill
# leaves everything in the store, or the file whole.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../kills.sh"

tool=${CKRUN_BUILD:?the folder of the build}/tests/crash/tool_count
golden=$root/tests/golden
cd "$dir" || exit 1
cp "$golden"/*.lua "$golden"/six.jsonl .
for name in count count_probe count_kill; do cp "$tool" $name; done
store=$dir/store/ckrun.db
on() { "$CKRUN" --store "${1:-$store}" --json "${@:2}"; }
ids() { on "$1" sessions checkpoints "$2" | perl -MJSON::PP -ne \
  'print JSON::PP->new->decode($_)->{id}, "\n"'; }
# states STORE SESSION: of each checkpoint its id and its whole state.
states() { local id; for id in $(ids "$1" "$2"); do
  on "$1" sessions inspect "$2" "$id" | perl -MJSON::PP -0777 -ne '
    my $d = JSON::PP->new->utf8->decode($_);
    print JSON::PP->new->canonical->encode([$d->{checkpoint}{id}, $d->{state}]), "\n"'; done; }
transcript() { on "$1" sessions log "$2" --all | grep -v '"kind":"pruned"'; }
sound() { "$CKRUN" --store "${1:-$store}" store verify >/dev/null 2>&1; }

# ---- round trip ----
exits 0 "a session" run state.lua --cassette six.jsonl --session s
all=$(ids "" s)
states "" s >states
transcript "" s >transcript
is "has seven checkpoints, each with a state" "$(grep -c '"memory' states)" 7
exits 0 "a dry run" --json sessions prune s --keep 2 --archive a.db --dry-run
is "makes no file" "$(json "$out" '"$d->{dropped} " . ($d->{archive} // "none")') $(ls a.db* 2>&1 |
  grep -c '^a.db')" "5 none 0"
exits 0 "a prune with an archive" --json sessions prune s --keep 2 --archive a.db
is "says what went and where it is" \
  "$(json "$out" '"$d->{dropped} $d->{archive} " . ($d->{archive_bytes} == -s "a.db")')" \
  "5 a.db 1"
is "two are left" "$(ids "" s)" "$(tail -n 2 <<<"$all")"
is "the file is one file, for the user alone" "$(ls a.db*) $(stat -c %a a.db)" "a.db 600"
cp a.db kept.db
ok "the file is a sound store" sound kept.db
is "in which every state is as it was" "$(states kept.db s | cmp - states && echo same)" same
is "and the transcript" "$(transcript kept.db s | cmp - transcript && echo same)" same
refused 2 "its sessions keep their ids" "keep their ids" sessions import a.db --session other
exits 0 "an import" --json sessions import a.db
is "says what came back" \
  "$(json "$out" 'join ",", map { "$_->{session} $_->{imported} $_->{checkpoints}" }
    @{$d->{sessions}}')" "s checkpoints 5"
is "every state is there again" "$(states "" s | cmp - states && echo same)" same
is "nothing else has changed" "$(transcript "" s | cmp - transcript && echo same)" same
ok "the store is sound" sound
refused 5 "a second import" "nothing is new" sessions import a.db
exits 0 "one that came back is a place to fork from" sessions fork s "$(sed -n 3p <<<"$all")" \
  --session again
exits 0 "and to go on from" resume again
is "to the end" "$(cell "$out" status)" completed
exits 0 "it can be pruned again" sessions prune s --checkpoint "$(sed -n 2p <<<"$all")" \
  --archive "sqlite:$dir/one.db"
is "it alone goes" "$(ids "" s | grep -c .)" 6
exits 0 "and taken back by name of the format" sessions import --format archive one.db
is "all are there" "$(states "" s | cmp - states && echo same)" same

# ---- a fork, with what it was forked from; sessions that are not there any more ----
refused 5 "what others were forked from is not deleted" "--detach" \
  sessions delete s --archive no.db
is "and no file is there of it" "$(ls no.db* 2>/dev/null)" no.db
rm -f no.db*
states "" again >states.again
transcript "" again >transcript.again
exits 0 "a fork is deleted" --json sessions delete again --archive f.db
is "and kept" "$(json "$out" '$d->{archive}')" f.db
exits 0 "what it was forked from, too" sessions delete s --archive g.db
exits 0 "the fork comes back" --json sessions import f.db
is "with what it was forked from" "$(json "$out" 'join ",", map {
  "$_->{session} $_->{imported}" } @{$d->{sessions}}')" "s all,again all"
is "as it was" "$(states "" again | cmp - states.again && transcript "" again |
  cmp - transcript.again && states "" s | cmp - states && echo same)" same
ok "the store is sound with them" sound
refused 5 "the other file has nothing that is new" "nothing is new" sessions import g.db
exits 0 "into another store" --store other.db sessions import f.db
is "they are as they were" "$(states other.db again | cmp - states.again && echo same)" same
ok "it is sound, too" sound other.db
exits 0 "its texts came with it" --store other.db sessions inspect again --files
has "the flow is among them" "$out" "state.lua"
exits 0 "a run in that store" --store other.db run state.lua --cassette six.jsonl --session new
ok "leaves it sound" sound other.db

# ---- a paused session is deleted, taken back, and goes on; nothing is done twice ----
exits 8 "a session that stops at a limit" run state.lua --cassette six.jsonl --session half \
  --limit tool_calls=3
exits 0 "is deleted" sessions delete half --archive half.db
refused 3 "it is not there" "no session" sessions show half
exits 0 "it is taken back" sessions import half.db
exits 0 "it goes on" --json resume half --limit tool_calls=100
is "to the same result" "$(json "$out" '$d->{result}{text}')" "All counted."
is "and counts what it had done" "$(json "$("$CKRUN" --json sessions show half)" \
  '$d->{totals}{tool_calls} // $d->{tool_calls}')" 6

# ---- given away whole ----
exits 0 "a paused session is exported as an archive" --json sessions export half --format archive \
  -o away.db
is "which is told" "$(json "$out" '"$d->{session} $d->{archive}"')" "half away.db"
exits 0 "and imported elsewhere" --store away/there.db sessions import away.db
is "as it was" "$(transcript away/there.db half | cmp - <(transcript "" half) && echo same)" same
has "its flow is there" "$(run --store away/there.db sessions inspect half --file state.lua
  echo "$out")" "$(head -n 1 state.lua)"
refused 2 "it wants a file" "-o FILE" sessions export half --format archive
refused 5 "not the store's own" "-o" sessions export half --format archive -o "$store-wal"
refused 5 "nor one that is there" "exists already" sessions export half --format archive -o away.db

# ---- long outputs ----
mkdir -p "$store.spill"
echo long >"$store.spill/half-0123456789abcdef-1.stdout"
echo other >"$store.spill/s-0123456789abcdef-1.stdout"
exits 0 "a prune sweeps a long output that nothing names" --json sessions prune half --keep 999 \
  --archive spill.db
is "it is kept, and no other session's" "$(ls spill.db.spill) $(cat spill.db.spill/*)" \
  "half-0123456789abcdef-1.stdout long"
is "it is gone here" "$(ls "$store.spill")" "s-0123456789abcdef-1.stdout"
exits 0 "a deletion" sessions delete half
exits 0 "taken back with its long output" sessions import spill.db
is "which is there again" "$(cat "$store.spill"/half*)" long

# ---- what is refused ----
before=$(states "" s)
echo precious >there
refused 5 "an archive over a file" "there exists already" sessions prune s --keep 1 --archive there
is "it stays" "$(cat there)" precious
for file in "$store" "$store-wal" "$store-journal" "$store.lock" "$store.sessions/x"; do
  refused 5 "a file of the store's own: ${file##*/}" "--archive" sessions prune s --keep 1 \
    --archive "$file"
done
for file in memory: - ""; do
  refused 2 "no file: '$file'" "--archive" sessions prune s --keep 1 --archive "$file"
done
refused 3 "no folder" "there is no folder" sessions prune s --keep 1 --archive none/a.db
refused 3 "no folder, of a deletion" "nothing was removed" sessions delete half --archive none/a.db
is "nothing went" "$(states "" s)" "$before"
ok "the session is there" "$CKRUN" sessions show half
rm -f "$store.spill"/s-*
exits 0 "where nothing goes" --json sessions prune s --keep 999 --archive nothing.db
is "no file is made" "$(ls nothing.db* 2>/dev/null)" ""
has "and checkpoints that must stay are no loss" "$(run sessions prune s --checkpoint latest \
  --archive nothing.db; echo "$err")" "stays"
is "so no file is made either" "$(ls nothing.db* 2>/dev/null)" ""
refused 2 "two archives" "one at a time" sessions import --format archive a.db f.db
refused 3 "none that is there" "no store" sessions import --format archive absent.db

# ---- damaged: refused whole, and nothing is left ----
fresh() { rm -rf empty; }
size=$(stat -c %s f.db)
cut=0
for len in 16 100 4096 8192 $((size / 2)) $((size - 4096)) $((size - 1)); do
  head -c "$len" f.db >cut.db
  "$CKRUN" --store empty/e.db sessions import cut.db >out 2>err && cut=$((cut + 1))
  grep -q 'cut.db' err || cut="$cut $len"
  rm -f cut.db*
done
is "one that is cut anywhere is refused, and named" "$cut" 0
flipped=0 unnamed=0
for ((at = 20; at < size; at += size / 24)); do
  perl -e 'local $/; open F, "<", $ARGV[0]; $_ = <F>; substr($_, $ARGV[1], 1) ^= "\x10"; print' \
    f.db "$at" >bad.db
  "$CKRUN" --store empty/e.db sessions import bad.db >out 2>err
  code=$?
  if [ "$code" = 0 ]; then
    # Of a byte that nothing means, such as one of a free page.
    states empty/e.db again | cmp -s - states.again && transcript empty/e.db again |
      cmp -s - transcript.again || flipped="$flipped $at"
    fresh
  else
    grep -q 'bad.db' err || unnamed="$unnamed $at"
  fi
  rm -f bad.db*
done
is "a changed byte is found, or changes nothing" "$flipped" 0
is "and the file is named" "$unnamed" 0
ok "nothing is left of all this" test ! -e empty/e.db
perl -e 'local $/; open F, "<", $ARGV[0]; $_ = <F>; substr($_, 60, 4) = pack "N", 99; print' f.db \
  >newer.db
refused 74 "one of a newer version" "99" --store empty/e.db sessions import newer.db
has "names both numbers" "$err" "3"

# ---- another session has its id ----
exits 0 "another session of that name" --store third.db run state.lua --cassette six.jsonl \
  --session again
transcript third.db again >third
refused 5 "it is not overwritten" "is not the session again" --store third.db sessions import f.db
is "and nothing of the file is there" "$(on third.db sessions list | grep -c .)" 1
is "it stays as it was" "$(transcript third.db again | cmp - third && echo same)" same

# ---- a store with a key ----
key() { od -An -tx1 -N 32 /dev/urandom | tr -d ' \n'; }
CKRUN_KEY=$(key)
export CKRUN_KEY
exits 0 "a session in a store with a key" --store sealed.db run state.lua --cassette six.jsonl \
  --session closed
states sealed.db closed >states.closed
exits 0 "is pruned" --store sealed.db sessions prune closed --keep 1 --archive sealed-a.db
is "the archive is as sealed" "$(grep -ac 'All counted' sealed-a.db)" 0
ok "and sound" sound sealed-a.db
exits 0 "it comes back" --store sealed.db sessions import sealed-a.db
is "as it was" "$(states sealed.db closed | cmp - states.closed && echo same)" same
ok "signed" sound sealed.db
exits 0 "is deleted" --store sealed.db sessions delete closed --archive sealed-b.db
exits 0 "and comes back" --store sealed.db sessions import sealed-b.db
is "as it was, too" "$(states sealed.db closed | cmp - states.closed && echo same)" same
ok "signed as before" sound sealed.db
exits 0 "another store with the same key" --store twin.db run state.lua --cassette six.jsonl \
  --session twin
refused 4 "is sealed otherwise" "sealed-b.db" --store twin.db sessions import sealed-b.db
has "and the file can be read where it is" "$err" "reads it where it is"
old=$CKRUN_KEY new=$(key)
CKRUN_NEW_KEY=$new run --store sealed.db key rotate --new-key env:CKRUN_NEW_KEY
is "the store gets another key" "$code" 0
CKRUN_KEY=$new
refused 4 "the file has the old one" "sealed-b.db" --store sealed.db sessions import sealed-b.db
exits 0 "the session is deleted" --store sealed.db sessions delete closed
CKRUN_KEY=$old CKRUN_NEW_KEY=$new run --store sealed-b.db key rotate --new-key env:CKRUN_NEW_KEY
is "the file gets the new one, too" "$code" 0
exits 0 "and is taken back" --store sealed.db sessions import sealed-b.db
is "as it was before all this" "$(states sealed.db closed | cmp - states.closed && echo same)" same
ok "signed with the new key" sound sealed.db
unset CKRUN_KEY
refused 4 "without its key" "sealed-a.db" --store empty/e.db sessions import sealed-a.db

# ---- a full disk ----
full() { err=$( (ulimit -f "$1" && trap '' XFSZ && exec "$CKRUN" "${@:2}") 2>&1); code=$?; }
exits 0 "a session" run state.lua --cassette six.jsonl --session last
states "" last >states.last
for blocks in 0 40 100; do
  full "$blocks" sessions prune last --keep 1 --archive full.db
  ok "no room for the archive ($blocks): an error" test "$code" = 74
  [ "$blocks" = 0 ] || has "names it" "$err" "nothing was removed, as --archive cannot be written"
  is "and nothing went, and no file is there" \
    "$(states "" last | cmp - states.last && echo same) $(ls full.db* 2>/dev/null)" "same "
done

# ---- a session that runs ----
mkfifo waiting go
exec 8<>waiting 9<>go
"$CKRUN" run state.lua --cassette six.jsonl --session live >out 2>err </dev/null 8>&- 9>&- &
pid=$!
read -r _ <&8
refused 76 "a session that runs" "pause it first" sessions prune live --keep 1 --archive live.db
is "no file is there" "$(ls live.db* 2>/dev/null)" ""
kill -KILL $pid
wait $pid 2>/dev/null
rm -f waiting go
exec 8>&- 9>&-

# ---- killed at each call ----
if can_kill; then
  target=$dir/killed.db
  rm -rf saved && cp -r store saved
  anew() { rm -rf store "$target"* home/.local/state/ckrun/counters && cp -r saved store; }
  seven() { [ "$(ids "$1" last | grep -c .)" = 7 ] && sound "$1"; }
  # points ARGUMENTS…: at most forty, over all of its calls.
  points() {
    calls=$(count_calls "$@")
    seq $((calls % 2 + 1)) $((2 * calls / 40 + 1)) $((2 * calls + 1))
  }
  broken=0 kept=0 gone=0
  for n in $(points sessions prune last --keep 1 --archive "$target"); do
    anew
    preloaded "KILL_AT=$n" sessions prune last --keep 1 --archive "$target"
    if seven ""; then
      kept=$((kept + 1))
    else
      gone=$((gone + 1))
      seven "$target" && sound || broken=$((broken + 1))
    fi
  done
  is "a prune that is killed: all is in the store, or the file is whole" "$broken" 0
  ok "it was killed before anything went, and after ($kept, $gone)" test "$kept" -gt 5 -a \
    "$gone" -gt 0
  anew
  exits 0 "deleted" sessions delete last --archive "$target"
  cp "$target" whole.db
  rm -rf saved && cp -r store saved
  broken=0 none=0 all=0
  for n in $(points sessions import whole.db); do
    anew
    preloaded "KILL_AT=$n" sessions import whole.db
    if "$CKRUN" sessions show last >/dev/null 2>&1; then
      all=$((all + 1))
    else
      none=$((none + 1))
      sound || broken=$((broken + 1))
      "$CKRUN" sessions import whole.db >/dev/null 2>&1
    fi
    seven "" || broken=$((broken + 1))
  done
  is "an import that is killed: all of it or nothing, and it can be made again" "$broken" 0
  ok "it was killed before and after ($none, $all)" test "$none" -gt 3 -a "$all" -gt 0
else
  skip "killed at each call: no compiler, or it cannot be preloaded"
fi
finish
