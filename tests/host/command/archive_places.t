#!/bin/bash
# archive_places.t - an archive is taken back into a store in PostgreSQL as into a file: every
# checkpoint's state, the transcript, forks and long outputs, a place to go on from; all of it or
# nothing. One list for both.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../postgres.sh"
tool=${CKRUN_BUILD:?the folder of the build}/tests/crash/tool_count
golden=$root/tests/golden
cd "$dir" || exit 1
cp "$golden"/*.lua "$golden"/six.jsonl .
for name in count count_probe count_kill; do cp "$tool" $name; done
export CKRUN_COUNTERS=off
unset CKRUN_STORE CKRUN_KEY
begin_server
cat >long.lua <<'LUA'
return require "ck.flow".exec { argv = { "seq", "20000" }, output_max = 256 }
LUA
store=
on() { run --store "$store" "$@" 8<&- 9>&-; }
as_json() { "$CKRUN" --store "$store" --json "$@" 2>/dev/null 8<&- 9>&-; }
ids() { as_json sessions checkpoints "$1" | perl -MJSON::PP -ne \
  'print JSON::PP->new->decode($_)->{id}, "\n"'; }
# states SESSION: of each checkpoint its id and its whole state.
states() { local id; for id in $(ids "$1"); do
  as_json sessions inspect "$1" "$id" | perl -MJSON::PP -0777 -ne '
    my $d = JSON::PP->new->utf8->decode($_);
    print JSON::PP->new->canonical->encode([$d->{checkpoint}{id}, $d->{state}]), "\n"'; done; }
transcript() { as_json sessions log "$1" --all | grep -v '"kind":"pruned"'; }
taken() { json "$out" 'join ",", map { "$_->{session} $_->{imported} $_->{checkpoints}" }
  @{$d->{sessions}}'; }
sound() { on store verify; is "$1" "$code" 0; }

# places NAME URL SECOND: everything, in a store of that kind; a second one of it.
places() {
  local name=$1 other=$3 all
  store=$2
  on run state.lua --cassette six.jsonl --session s
  all=$(ids s)
  states s >states.s
  transcript s >transcript.s
  is "$name: seven checkpoints, each with a state" "$(grep -c '"memory' states.s)" 7

  # ---- payloads that a prune dropped ----
  on sessions prune s --keep 2 --archive "$name-a.db"
  is "$name: a prune with an archive" "$code $(ids s | grep -c .)" "0 2"
  on --json sessions import "$name-a.db"
  is "$name: gives the five back" "$code $(taken)" "0 s checkpoints 5"
  states s | cmp -s - states.s
  is "$name: every state as it was" "$?" 0
  transcript s | cmp -s - transcript.s
  is "$name: and nothing else has changed" "$?" 0
  sound "$name: all is well"
  on sessions import "$name-a.db"
  is "$name: a second import" "$code$(grep -c 'nothing is new' <<<"$err")" 51

  # ---- a session with a fork, deleted ----
  on sessions fork s "$(sed -n 3p <<<"$all")" --session again
  on resume again
  is "$name: a fork of what came back is gone on with" "$(cell "$out" status)" completed
  states again >"again.$name"
  on sessions delete again --archive "$name-f.db"
  on sessions delete s --archive "$name-g.db"
  is "$name: both are deleted" "$code $(as_json sessions list | grep -c '"id"')" "0 0"
  on --json sessions import "$name-f.db"
  is "$name: the fork comes back with its origin" \
    "$code $(json "$out" 'scalar @{$d->{sessions}}')" "0 2"
  states again | cmp -s - "again.$name"
  is "$name: as it was" "$?" 0
  states s | cmp -s - states.s
  is "$name: both of them" "$?" 0
  on sessions import "$name-g.db"
  is "$name: the other file has nothing that is new" "$code" 5
  on run state.lua --cassette six.jsonl --session new
  is "$name: a run in the same store" "$code" 0
  sound "$name: is well, too"

  # ---- into others, of both kinds ----
  store=$other
  on run state.lua --cassette six.jsonl --session first
  on sessions import "$name-f.db"
  states again | cmp -s - "again.$name"
  is "$name: in another store, under another number, it is the same" "$code$?" 00
  sound "$name: which is well"

  # ---- another session has its id ----
  on sessions delete again --yes
  on sessions delete s --yes
  on run state.lua --cassette six.jsonl --session again
  on sessions import "$name-f.db"
  is "$name: another of that name is not overwritten" \
    "$code$(grep -c 'is not the session again' <<<"$err")" 51
  is "$name: and its origin is not made" "$(as_json sessions list | grep -c '"id":"s"')" 0

  # ---- damaged: nothing of it ----
  cp "$name-g.db" bad.db
  perl -e 'open F, "+<", "bad.db"; $at = (-s F) / 2; for (0 .. 200) { seek F, $at + $_, 0;
    print F "x" }'
  on sessions import bad.db
  ok "$name: one that is damaged is refused ($code)" test "$code" = 7
  is "$name: and nothing is taken from it" "$(as_json sessions list | grep -c '"id":"s"')" 0

  # ---- paused, deleted, taken back, gone on with ----
  store=$2
  on run state.lua --cassette six.jsonl --session half --limit tool_calls=3
  on sessions delete half --archive "$name-h.db"
  on sessions import "$name-h.db"
  is "$name: a paused one comes back" "$code" 0
  on --json resume half --limit tool_calls=100
  is "$name: and goes on to its end" "$(json "$out" '$d->{status}')" completed

  # ---- long outputs ----
  on run long.lua --session long
  on sessions delete long --archive "$name-l.db"
  on sessions import "$name-l.db"
  is "$name: one with a long output comes back" "$code" 0
  on sessions output long main/start/exec/1
  is "$name: with all of it" "$(tail -1 <<<"$out")" 20000
  sound "$name: and all is well"

  # ---- with a key ----
  "$CKRUN" key new key >/dev/null 2>&1
  on key rotate --new-key "file:$dir/key"
  export CKRUN_KEY=$(cat key)
  states s >states.key
  on sessions delete s --detach --archive "$name-k.db"
  on sessions import "$name-k.db"
  states s | cmp -s - states.key
  is "$name: a sealed one comes back" "$code$?" 00
  sound "$name: signed as it was"
  on sessions import "$name-f.db"
  is "$name: one that is not sealed is refused" "$code" 7
  unset CKRUN_KEY
}
places file "$dir/one.db" "$dir/two.db"
if has_server; then
  rm -f key
  places server "$server&schema=one" "$server&schema=two"
  store="$server&schema=three"
  on run state.lua --cassette six.jsonl --session first
  on sessions import file-f.db
  states again | cmp -s - again.file
  is "an archive of a file in a server" "$code$?" 00
  store=$dir/three.db
  on sessions import server-f.db
  states again | cmp -s - again.server
  is "and of a server in a file" "$code$?" 00

  # ---- killed at its messages: all or nothing ----
  if can_kill_sending; then
    bad=0 points=0
    store="$server&schema=killed"
    on run state.lua --cassette six.jsonl --session first
    sent=$(count_sent --store "$store" sessions import file-f.db)
    on sessions delete again --yes
    on sessions delete s --yes
    for ((n = 2; n <= sent; n += 1 + sent / 3)); do
      sending "$n" --store "$store" sessions import file-f.db >/dev/null 2>&1
      points=$((points + 1))
      there=$(as_json sessions list | grep -cE '"id":"(s|again)"')
      [ "$there" = 0 ] || [ "$there" = 2 ] || { bad=$((bad + 1)); echo "# $n: $there"; }
      on sessions import file-f.db
      [ "$(states again | cmp - again.file && echo same)" = same ] || bad=$((bad + 1))
      on sessions delete again --yes
      on sessions delete s --yes
    done
    is "killed at $points of $sent messages it is all there or nothing, and again it is" "$bad" 0
  else
    skip "killed at its messages: no compiler, or a sanitizer"
  fi
else
  skip "in a store of PostgreSQL: ${server#skip: }"
fi
finish
