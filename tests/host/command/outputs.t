#!/bin/bash
# outputs.t - long outputs are kept wherever the store is, beside a file and in a server's rows:
# read in full, measured, found when damaged, sealed with the key, copied, swept and deleted with
# their session. One list for both.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../postgres.sh"
cd "$dir" || exit 1
export CKRUN_COUNTERS=off
unset CKRUN_STORE CKRUN_KEY
umask 077
begin_server
cat >long.lua <<'LUA'
local flow = require "ck.flow"
return flow.exec {
  argv = { "sh", "-c", "seq 400000; echo some error-marker >&2; seq 3000 >&2" },
  output_max = 256,
}
LUA
seq 400000 >want # 2.7 million bytes: three rows
(echo some error-marker; seq 3000) >want.stderr
"$CKRUN" key new key >/dev/null 2>&1
"$CKRUN" key new key2 >/dev/null 2>&1
effect=main/start/exec/1
store=
on() { run --store "$store" "$@" 8<&- 9>&-; }
whole() { on sessions output s "$effect" "$@" && cmp -s "$dir/out" "want${1:+.stderr}"; }
stat_of() { on --json store stats; json "$out" "\$d->{spill_files} . ' ' . \$d->{spill_bytes}"; }
is_file() { [[ $store != postgres:* ]]; }

# What a shelf is, for damage: the rows, or the file as one.
damage() {
  case $1 in
    bit) if is_file; then perl -e 'open F, "+<", $ARGV[0]; seek F, 1500000, 0; read F, $_, 1;
        seek F, 1500000, 0; print F chr(ord() ^ 1)' "$store".spill/s-*.stdout
      else ask "UPDATE output SET body = set_byte(body, 1000, get_byte(body, 1000) # 1)
        WHERE name LIKE 's-%.stdout' AND part = 1"; fi ;;
    cut) if is_file; then truncate -s 1500000 "$store".spill/s-*.stdout
      else ask "DELETE FROM output WHERE name LIKE 's-%.stdout' AND part = 2"; fi ;;
    other) if is_file; then cp "$store".spill/s-*.stderr "$(echo "$store".spill/s-*.stdout)"
      else ask "DELETE FROM output WHERE name LIKE 's-%.stdout';
        INSERT INTO output SELECT replace(name, 'stderr', 'stdout'), part, session, last,
        check_sum, body FROM output WHERE name LIKE 's-%.stderr'"; fi ;;
    gone) if is_file; then rm "$store".spill/s-*.stdout
      else ask "DELETE FROM output WHERE name LIKE 's-%.stdout'"; fi ;;
    all) if is_file; then rm -r "$store.spill"; else ask "DELETE FROM output"; fi ;;
    unnamed) if is_file; then echo x >"$store.spill/s-0123456789abcdef-1.stdout"
      else ask "INSERT INTO output SELECT 's-0123456789abcdef-1.stdout', 0, session, 1, 0, 'x'
        FROM output LIMIT 1"; fi ;;
  esac
}
kept() { if is_file; then cp -r "$store.spill" kept; else
  ask "CREATE TABLE kept AS SELECT * FROM output"; fi; }
put_back() { if is_file; then rm -rf "$store.spill"; cp -r kept "$store.spill"; else
  ask "DELETE FROM output; INSERT INTO output SELECT * FROM kept"; fi; }

# found NAME [STATUS]: verify names session, event and output.
found() {
  local seq
  seq=$("$CKRUN" --store "$store" --json sessions log s --all 8<&- 9>&- |
    perl -MJSON::PP -ne '$d = decode_json($_);
      print $d->{seq} if $d->{kind} eq "outcome" && $d->{body}{result}{spill}')
  on --json store verify
  is "$1: verify finds it" "$code" 7
  has "$1: and says of which session, event and output" "$(json "$out" 'join " ", map {
    my ($name) = $_->{text} =~ /\b(s-[0-9a-f]{16}-1\.stdout)/;
    "$_->{session} $_->{seq} $_->{status} $name" } @{$d->{problems}}')" \
    "s $seq ${2:-CK_E_CORRUPT} s-"
}

# places NAME URL SECOND THIRD: everything, in a store of that kind; others of both kinds.
places() {
  local name=$1 a b c bytes
  store=$2 schema=$3
  rm -rf kept
  on run long.lua --session s
  is "$name: a program with long outputs" "$code" 0
  on sessions output s "$effect" --stderr
  ok "$name: all of stderr is there" cmp -s "$dir/out" want.stderr
  on sessions output s "$effect"
  ok "$name: and of stdout" cmp -s "$dir/out" want
  bytes=$(($(stat -c %s want) + $(stat -c %s want.stderr)))
  is "$name: they are measured" "$(stat_of)" "2 $bytes"
  on store verify
  is "$name: all is well" "$code" 0
  damage unnamed
  on --json sessions prune s --keep 1000 --dry-run
  is "$name: what no result names is told" "$(json "$out" '$d->{spill_files}')" 1
  on sessions prune s --keep 1000
  is "$name: and removed by a prune" "$(stat_of)" "2 $bytes"

  # ---- copies, to both kinds and back ----
  on --json store backup "$dir/$name.backup.db"
  is "$name: a backup" "$code" 0
  run --store "$dir/$name.backup.db" sessions output s "$effect"
  ok "$name: has them" cmp -s "$dir/out" want
  run --json store copy "$store" "$dir/$name.copy.db" 8<&- 9>&-
  is "$name: a copy into a file" "$code $(json "$out" '$d->{outputs}')" "0 2"
  run --store "$dir/$name.copy.db" sessions output s "$effect"
  ok "$name: has them, too" cmp -s "$dir/out" want
  if is_file; then
    on store salvage --to "$dir/salvaged.db"
    run --store "$dir/salvaged.db" sessions output s "$effect"
    ok "$name: a salvaged store has them, too" cmp -s "$dir/out" want
  fi
  if has_server; then
    run --json store copy "$store" "$server&schema=${schema}_copy" 8<&- 9>&-
    is "$name: a copy into a server" "$code $(json "$out" '$d->{outputs}')" "0 2"
    run --store "$server&schema=${schema}_copy" sessions output s "$effect" 8<&- 9>&-
    ok "$name: as well" cmp -s "$dir/out" want
    schema=${schema}_copy ask "DELETE FROM output WHERE name LIKE '%.stdout'"
    run --json store copy "$store" "$server&schema=${schema}_copy" 8<&- 9>&-
    is "$name: one that was stopped before them is gone on with" \
      "$code $(json "$out" '$d->{was_done}')" "0 1"
    run --store "$server&schema=${schema}_copy" sessions output s "$effect" 8<&- 9>&-
    ok "$name: and is whole" cmp -s "$dir/out" want
    is "$name: nobody has a lease there" "$(schema=${schema}_copy ask \
      "SELECT count(*) FROM lease WHERE owner IS NOT NULL")" 0
  fi

  # ---- with a key ----
  on key rotate --new-key "file:$dir/key"
  is "$name: it gets a key" "$code" 0
  export CKRUN_KEY=$(cat "$dir/key")
  on sessions output s "$effect"
  ok "$name: with it the whole is printed" cmp -s "$dir/out" want
  is "$name: two outputs are there" "$(stat_of | cut -d' ' -f1)" 2
  if is_file; then c=$(cat "$store".spill/* | grep -c '^123456$')
  else c=$(ask "SELECT count(*) FROM output WHERE body LIKE '%123456%'::bytea"); fi
  is "$name: and nothing of them can be read without" "$c" 0
  on store verify
  is "$name: which verify finds well" "$code$(grep -c 'not sealed' <<<"$err")" 00
  kept
  for a in bit cut other; do
    damage $a
    found "$name: $a"
    on sessions output s "$effect"
    is "$name: $a: it is not shown" "$code$out" 7
    put_back
  done
  damage gone
  found "$name: gone" CK_E_NOT_FOUND
  on store verify --session s
  is "$name: gone: of the session, too" "$code" 7
  put_back
  damage all
  found "$name: all gone" CK_E_NOT_FOUND
  on --json store verify
  is "$name: all gone: each one is told" "$(json "$out" 'scalar @{$d->{problems}}')" 2
  put_back
  on store verify
  is "$name: it is as it was" "$code" 0
  on key rotate --new-key "file:$dir/key2"
  is "$name: another key" "$code" 0
  export CKRUN_KEY=$(cat "$dir/key2")
  on sessions output s "$effect"
  ok "$name: opens them" cmp -s "$dir/out" want

  # ---- the end ----
  on sessions delete s --yes
  is "$name: the session goes" "$code" 0
  is "$name: with its long outputs" "$(stat_of)" "0 0"
  unset CKRUN_KEY
}
places file "$dir/s.db" from_file
if has_server; then
  places server "$server&schema=rows" rows
  schema=rows
  is "server: no row of them is left" "$(ask "SELECT count(*) FROM output")" 0

  # ---- without a key ----
  store="$server&schema=plain" schema=plain
  on run long.lua --session s
  has "a result names what the store keeps, and no path" \
    "$("$CKRUN" --store "$store" --json sessions log s --all 8<&- 9>&-)" '"stdout":"s-'
  kept
  for a in bit cut; do
    damage $a
    found "server, no key: $a"
    put_back
  done
  damage gone
  found "server, no key: gone" CK_E_NOT_FOUND
  on sessions delete s --yes

  # ---- a store of an earlier ckrun ----
  ask "DROP TABLE output"
  on store verify
  is "a store without the table is read" "$code" 0
  is "and measured" "$(stat_of)" "0 0"
  on run long.lua --session later
  on sessions output later "$effect"
  ok "who writes it makes the table" cmp -s "$dir/out" want
else
  skip "in a store of PostgreSQL: ${server#skip: }"
fi
finish
