#!/bin/bash
# bad_stores.t - a store that is none, that is newer, that may not be written or has no room: one
# line with path and cause, exit 74, and nothing is changed.
. "$(dirname "$0")/../crash/lib.sh"

begin
cassette 5
commands=("sessions list" "sessions show s" "store verify" "resume s" "RUN")

# What a folder holds: names, sizes and sums of all files but locks and the memory that SQLite
# shares.
picture() {
  (cd "$1" && find . ! -name '*-shm' ! -name '*.lock' -printf '%y %P\n' | sort &&
    find . -type f ! -name '*-shm' ! -name '*.lock' -exec cksum {} + | sort)
}

# try STORE COMMAND: its exit code in `code`.
try() {
  store="sqlite:$1"
  case $2 in
    RUN) ckrun run "$here/agent.lua" --cassette "$work/5.jsonl" --session new >out 2>err ;;
    *) ckrun $2 >out 2>err ;;
  esac
  code=$?
}

# refused FOLDER FILE CAUSE COMMAND…: each command answers so, and the folder stays what it was.
refused() {
  local folder=$1 file=$2 cause=$3 command bad=0
  shift 3
  for command in "$@"; do
    picture "$folder" >before
    try "$file" "$command"
    picture "$folder" >after
    if [ "$code" != 74 ] || [ "$(wc -l <err)" != 1 ] || ! grep -qF "$file" err ||
      ! grep -qiE "$cause" err; then
      say "$command: exit $code: $(head -c 300 err)"
      bad=1
    fi
    cmp -s before after || { say "$command changed: $(diff before after | tr '\n' ' ')"; bad=1; }
  done
  [ "$bad" = 0 ]
}

refused_here() { refused "$work/$1" "$work/$1/$2" "$3" "${commands[@]}"; }

# A store with one completed session "s", closed.
make_store() { ckrun_at "sqlite:$1" run "$here/agent.lua" --cassette "$work/5.jsonl" --session s \
  >/dev/null 2>&1; }

folder bench
mkdir "$work/text" "$work/random" "$work/other" "$work/folder" "$work/newer" "$work/foreign"
yes 'this is no database' | head -n 500 >"$work/text/s.db"
check "a text file is no store" refused_here text s.db 'not a (ckrun store|database)'
head -c 40960 /dev/urandom >"$work/random/s.db"
check "noise is no store" refused_here random s.db 'not a (ckrun store|database)'
: >"$work/other/s.db"
check "an empty file is no store; only a run makes one of it" refused "$work/other" \
  "$work/other/s.db" 'not a ckrun store' \
  "${commands[@]:0:4}"
mkdir "$work/folder/s.db"
check "a folder is no store" refused_here folder s.db 'directory|not a'
if command -v sqlite3 >/dev/null; then
  sqlite3 "$work/foreign/s.db" 'CREATE TABLE session (id TEXT); INSERT INTO session VALUES (1)'
  check "another program's database is no store" refused_here foreign s.db 'not a ckrun store'
else
  skip "another program's database is no store" "sqlite3 is missing"
fi

# The version stands in the first page, at byte 60; what the log says of that page is taken away.
# make_newer OCTAL: of that schema.
make_newer() {
  rm -rf "$work/newer"/s.db*
  make_store "$work/newer/s.db" && rm -f "$work/newer"/s.db-* &&
    printf "\\0\\0\\0\\$1" | dd of="$work/newer/s.db" bs=1 seek=60 conv=notrunc 2>/dev/null
}
check "a store can be made newer" make_newer 143
check "a newer store is refused, with both numbers" refused_here newer s.db '99.* 3'
check "one of the next schema can be made" make_newer 4
check "and is refused, too" refused_here newer s.db 'schema 4;.* 3'

# ---- places that root may make: a small disk, a disk that may not be written ----

disk="$work/disk"
mkdir "$disk"
can_mount() { mount -t tmpfs -o size=1m none "$disk" 2>/dev/null && umount "$disk"; }
mounted() { mount -t tmpfs -o "$1" none "$disk"; }
trap 'umount "$disk" 2>/dev/null; rm -rf "$work"' EXIT

read_only_disk() {
  mounted size=24m && make_store "$disk/s.db" && mount -o remount,ro "$disk" || return 1
  refused "$disk" "$disk/s.db" 'read-only' RUN "resume s"
}
# No room for a store.
no_room() {
  mounted size=36k || return 1
  refused "$disk" "$disk/s.db" 'full|no space' RUN
}
# Room for a store, not for the session.
little_room() {
  mounted size=256k || return 1
  store="sqlite:$disk/s.db"
  fills_up s 5 || return 1
  mount -o remount,size=24m "$disk" || return 1
  goes_on s 5
}
big_cassette() {
  echo '{"cassette":1,"prompt":"Talk."}'
  for ((n = 1; n <= 120; n++)); do
    printf '{"scope":"main","kind":"ask","answer":"%s"}\n' \
      "$(head -c 65536 /dev/urandom | base64 -w 0)"
    printf '{"scope":"main","kind":"model","message":{"role":"assistant","content":"%d"}}\n' "$n"
  done
}
# fills_up SESSION CASSETTE: its run ends with exit 74 and one line that names path and cause.
fills_up() {
  ckrun run "$here/agent.lua" --cassette "$work/$2.jsonl" --session "$1" >out 2>err
  code=$?
  [ "$code" = 74 ] && tail -n 1 err | grep -F "$disk/s.db" | grep -qiE 'full|no space' ||
    { say "exit $code: $(tail -n 2 err)"; return 1; }
  [ "$(grep -c '^ckrun: ' err)" = 1 ] || { say "not one line: $(grep '^ckrun: ' err)"; return 1; }
}
# goes_on SESSION CASSETTE: a resume completes it with the messages of a store that had room.
goes_on() {
  local good="sqlite:$work/good-$2.db"
  ckrun resume "$1" >out 2>err || { say "$(tail -n 1 err)"; return 1; }
  ckrun store verify 2>err || { say "$(cat err)"; return 1; }
  ckrun --json sessions log "$1" --all | awk -f "$here/messages.awk" >filled
  rm -f count.log
  ckrun_at "$good" run "$here/agent.lua" --cassette "$work/$2.jsonl" --session "$1" >out 2>err
  ckrun_at "$good" --json sessions log "$1" --all | awk -f "$here/messages.awk" | cmp - filled
}
# The disk is filled up while the session runs; with room again it goes on to the same messages.
filled_up() {
  mounted size=48m && make_store "$disk/s.db" || return 1
  head -c 512m /dev/zero >"$disk/filler" 2>/dev/null
  truncate -s -2m "$disk/filler"
  store="sqlite:$disk/s.db"
  fills_up big big || return 1
  rm "$disk/filler"
  goes_on big big
}

if can_mount; then
  check "a store on a disk that may not be written: nothing is begun" read_only_disk
  umount "$disk"
  check "no room for a store: nothing is left behind" no_room
  umount "$disk"
  check "room for a store, not for a session: it goes on when there is more" little_room
  umount "$disk"
  big_cassette >"$work/big.jsonl"
  check "a disk that fills up during a session: it goes on when there is room again" filled_up
  umount "$disk"
else
  for name in "a store on a disk that may not be written" "no room for a store" \
    "room for a store, not for a session" \
    "a disk that fills up during a session"; do
    skip "$name" "file systems cannot be mounted here"
  done
fi
if [ "$(id -u)" != 0 ]; then
  mkdir "$work/locked" && make_store "$work/locked/s.db" && chmod -R a-w "$work/locked"
  check "a store in a folder without the right to write" refused "$work/locked" \
    "$work/locked/s.db" 'read-only|permission' RUN "resume s"
  chmod -R u+w "$work/locked"
else
  skip "a store in a folder without the right to write" "root may write everywhere"
fi
finish
