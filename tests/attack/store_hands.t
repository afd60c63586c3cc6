#!/bin/bash
# store_hands.t - a store that others can write is refused by name, whatever is done with it: a file
# of it, its folder, one that belongs to somebody else; as root and as an ordinary user. What others
# can only read is none of this.
. "$(dirname "$0")/../host/tap.sh"
cd "$dir" || exit 1
umask 022
cat >flow.lua <<'END'
local flow = require "ck.flow"
return flow.lua(function(ctx) return ctx.input end)
END

# as COMMAND…: by who attacks; "": who runs the test.
who=
as() {
  if [ -z "$who" ]; then "$@"; else setpriv --reuid "$who" --regid "$who" --clear-groups "$@"; fi
}
own() { [ -z "$who" ] || chown -R "$who:$who" "$@"; }
try() {
  out=$(as "$CKRUN" --store "$PWD/$place/s.db" "$@" 2>err </dev/null)
  code=$?
  err=$(cat err)
}
# refuses NAME TEXT: reading and writing alike.
refuses() {
  try sessions list
  is "$1: not read" "$code" 5
  has "$1: it is named" "$err" "$2"
  try run flow.lua --input 1
  is "$1: not written" "$code" 5
}
takes() {
  try sessions list
  is "$1: read" "$code" 0
  try run flow.lua --input 1
  is "$1: written" "$code" 0
}
# fresh: a store of its own.
fresh() {
  place=$1
  mkdir "$place" && own "$place"
  try run flow.lua --input 1 --session first
  is "$place: made" "$code $(stat -c %a "$place/s.db")" "0 600"
}

attack() {
  fresh "$1.files"
  for file in "" .lock .sessions; do
    for mode in o+w g+w; do
      [ "$mode" = o+w ] || as chgrp 64999 "$place/s.db$file" 2>/dev/null || continue
      chmod "$mode" "$place/s.db$file"
      refuses "$1: s.db$file $mode" "$PWD/$place/s.db$file can be written by others (mode"
      chmod go-w "$place/s.db$file"
    done
  done
  : >"$place/s.db-wal" && own "$place/s.db-wal" && chmod 666 "$place/s.db-wal"
  refuses "$1: a log that others can write" "s.db-wal can be written by others (mode 0666)"
  rm "$place/s.db-wal"
  chmod go+r "$place"/s.db*
  takes "$1: files that others can read"
  chmod 777 "$place"
  refuses "$1: a folder that others can write" \
    "the folder $PWD/$place can be written by others (mode 0777)"
  mkdir "$place.from" && own "$place.from"
  as "$CKRUN" --store "$PWD/$place.from/s.db" run flow.lua --input 1 >/dev/null 2>&1
  out=$(as "$CKRUN" store copy "$PWD/$place.from/s.db" "$PWD/$place/copy.db" 2>&1 </dev/null)
  is "$1: no copy is made there" "$? $(ls -A "$place" | grep -c copy)" "5 0"
  has "$1: for the same reason" "$out" "the folder $PWD/$place can be written by others (mode 0777)"
  chmod 1777 "$place"
  takes "$1: a folder as /tmp is"
  chmod 755 "$place"
  takes "$1: a folder that others can read"
}
attack mine
chmod 775 "$place" && chgrp "$(id -u)" "$place" 2>/dev/null
takes "mine: a folder that only the group of its owner's number can write, too"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 755 "$dir"
  # Root is no exception.
  place=mine.files
  chown 64901 "$place/s.db"
  refuses "root: a store of another user" "$PWD/$place/s.db belongs to another user (uid 64901)"
  chown 0 "$place/s.db"
  chown 64901 "$place/s.db.lock"
  refuses "root: the lock of another user" "s.db.lock belongs to another user (uid 64901)"
  chown 0 "$place/s.db.lock"
  chmod 755 "$place" && chown 64901 "$place"
  takes "root: in the folder of another user, as in a container"
  chown 0 "$place"
  who=64901
  touch err && chmod 666 err
  if as "$CKRUN" --version >/dev/null 2>&1; then
    attack user
    chown 64902 "$place/s.db"
    refuses "user: a store of a third one" "s.db belongs to another user (uid 64902)"
    chown 64901 "$place/s.db"
    chown 64902 "$place"
    refuses "user: in the folder of a third one" "$PWD/$place belongs to another user (uid 64902)"
    chown 0 "$place"
    try sessions list
    is "user: in a folder of root's" "$code" 0
  fi
fi
finish
