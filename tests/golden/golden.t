#!/bin/bash
# golden.t - a store of every schema that was ever released is listed, shown, verified and resumed
# to the end as it was made, and is brought to the schema of today without changing what it holds.
# make.sh says how the stores were made.
. "$(dirname "$0")/../crash/lib.sh"

mover=$CKRUN_BUILD/tests/golden/tool_golden_move
[ -x "$mover" ] || { echo "Bail out! $mover is not built"; exit 1; }
golden=$(cd "$(dirname "$0")" && pwd)
# What goes on, by schema: not what is over, and not what a recording cannot follow or a flow cannot
# do.
going_1="paused killed pruned branched doubt"
going_2="$going_1 child undone failing"
going_3=$going_2

# What must be in a store, as text: sessions, their events and checkpoints, their state.
describe() {
  local session
  ckrun --json sessions list | perl -MJSON::PP -ne '
    my $d = decode_json($_);
    my @cells = map { $_ // "-" } @$d{qw(session status profile created updated)};
    print join(" ", @cells, $d->{failure} // ()), "\n"' | sort
  for session in $(ckrun --json sessions list | \
    perl -MJSON::PP -ne 'print decode_json($_)->{session}, "\n"' | sort); do
    ckrun --json sessions show "$session" | perl -MJSON::PP -e '
      my $d = decode_json(join "", <>);
      my $origin = $d->{origin};
      print "$d->{session}: events $d->{events}, checkpoints $d->{checkpoints}, ",
        "timelines ", scalar @{$d->{timelines}},
        $origin ? ", origin $origin->{session} $origin->{cut}" : "", "\n"'
    ckrun --json sessions checkpoints "$session" | perl -MJSON::PP -ne '
      my $d = decode_json($_);
      print "  $d->{seq} $d->{id} ", $d->{kind} // $d->{type}, $d->{pinned} ? " pinned" : "", "\n"
        if $d->{id}'
    ckrun --json sessions log "$session" --all | perl -MJSON::PP -MDigest::SHA=sha256_hex -ne '
      my $d = decode_json($_);
      $all .= JSON::PP->new->canonical->encode([@$d{qw(seq timeline kind scope agent body)}]);
      END { print "  log ", sha256_hex($all), "\n" }'
    ckrun --json sessions inspect "$session" 2>/dev/null | \
      perl -MJSON::PP -MDigest::SHA=sha256_hex -e '
      my $d = decode_json(join("", <>) || "{}");
      my $state = JSON::PP->new->canonical->encode($d->{state} || {});
      print "  state ", sha256_hex($state), "\n"'
  done
}

# place SCHEMA: a folder with the golden store of that schema in it, moved there.
place() {
  folder "schema$1"
  fresh
  cp "$golden"/*.lua "$golden"/six.jsonl .
  cp "$golden/schema$1.db" s.db
  chmod 600 s.db
  "$mover" s.db /golden "$PWD" && rm -f s.db-wal s.db-shm
}

is_described() { describe >seen 2>&1; diff "$golden/${2:-schema}$1.txt" seen | head -n 20 | \
  sed 's/^/# /'; cmp -s "$golden/${2:-schema}$1.txt" seen; }
unchanged() { [ "$(sha256sum <s.db)" = "$digest" ]; }
version() { sqlite3 "file:$PWD/s.db?mode=ro" "PRAGMA user_version"; }
verified() { ckrun store verify >out 2>err || { sed 's/^/# /' out err; return 1; }; }
# What the columns are, whatever made them.
columns() {
  sqlite3 "$1" "SELECT m.name, c.* FROM sqlite_schema m, pragma_table_info(m.name) c
    WHERE m.type IN ('table', 'index') AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.cid"
  sqlite3 "$1" "PRAGMA foreign_key_check; PRAGMA integrity_check"
}
like_new() { columns s.db >seen; columns new.db | diff - seen; }
let_in() { ckrun resolve doubt >out 2>err; }
resumed() {
  rm -f count.log
  local retry= counted='"counted 1","counted 2","counted 3","counted 4","counted 5","counted 6"'
  [ "$1" = failing ] && retry=--retry
  ckrun resume "$1" $retry >out 2>err || { tail -n 2 err | \
    sed 's/^/# /'; return 1; }
  ckrun --json sessions inspect "$1" >state
  case $1 in
    killed | doubt | child) grep -q "All counted." out ;;
    *) grep -q '"memory.counted":\['"$counted"'\]' state ;;
  esac
}

# The same with a key. What is sealed names the folder where it was made, so nothing is resumed.
place_sealed() {
  folder "sealed$1"
  fresh
  cp "$golden/sealed$1.db" s.db
  cp "$golden/sealed.key" key
  chmod 600 s.db key
}
unpinned() { describe 2>&1 | sed 's/ pinned$//'; }
is_still() { sed 's/ pinned$//' "$golden/sealed$1.txt" | cmp -s - <(unpinned); }
pinned() { ckrun sessions pin done latest >out 2>err; }
new_key() { ckrun key new new.key >out 2>err &&
  ckrun key rotate --new-key "file:$PWD/new.key" >out 2>err || { cat err; return 1; }
  export CKRUN_KEY=$(cat new.key); }
goes() { ckrun sessions delete done --detach >out 2>err; }
as_new() { ckrun_at "sqlite:$PWD/new.db" run agent.lua --cassette six.jsonl >out 2>err; }

begin
for file in "$golden"/schema*.db; do
  schema=${file##*/schema} schema=${schema%.db}
  check "schema $schema: the store is placed" place "$schema"
  digest=$(sha256sum <s.db)
  check "schema $schema: it holds what it was made with" is_described "$schema"
  check "schema $schema: it is verified" verified
  check "schema $schema: reading changes nothing" unchanged
  check "schema $schema: the first writer is let in" let_in
  check "schema $schema: and has brought it to today's" test "$(version)" = \
    "$(sed -n 's/.*CK_STORE_SCHEMA = \([0-9]*\).*/\1/p' "$golden/../../core/store/store.h")"
  ckrun_at "sqlite:$PWD/new.db" run agent.lua --cassette six.jsonl >out 2>err
  rm -f count.log
  check "schema $schema: its tables are those of a new store" like_new
  check "schema $schema: it still holds what it was made with" is_described "$schema"
  check "schema $schema: and is verified" verified
  check "schema $schema: what is in doubt is resolved" ckrun resolve doubt main/start/tool/1 retry
  going=going_$schema
  for session in ${!going}; do
    check "schema $schema: $session goes on to its end" resumed "$session"
  done
  check "schema $schema: all of it is verified" verified
done

for file in "$golden"/sealed*.db; do
  schema=${file##*/sealed} schema=${schema%.db}
  check "sealed, schema $schema: the store is placed" place_sealed "$schema"
  export CKRUN_KEY=$(cat key)
  digest=$(sha256sum <s.db)
  check "sealed, schema $schema: it holds what it was made with" is_described "$schema" sealed
  check "sealed, schema $schema: it is verified" verified
  check "sealed, schema $schema: reading changes nothing" unchanged
  check "sealed, schema $schema: the first writer is let in" pinned
  check "sealed, schema $schema: and has brought it to today's" test "$(version)" = \
    "$(sed -n 's/.*CK_STORE_SCHEMA = \([0-9]*\).*/\1/p' "$golden/../../core/store/store.h")"
  cp "$golden"/agent.lua "$golden"/six.jsonl .
  check "sealed, schema $schema: a new store is made" as_new
  check "sealed, schema $schema: its tables are those of a new store" like_new
  check "sealed, schema $schema: it still holds what it was made with" is_still "$schema"
  check "sealed, schema $schema: and is verified" verified
  check "sealed, schema $schema: it gets another key" new_key
  check "sealed, schema $schema: and holds the same" is_still "$schema"
  check "sealed, schema $schema: an origin goes, its fork stays" goes
  check "sealed, schema $schema: all of it is verified" verified
  unset CKRUN_KEY
done
finish
