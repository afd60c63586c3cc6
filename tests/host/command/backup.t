#!/bin/bash
# backup.t - a whole copy of a store, made while a run writes it: sound, and a session goes on in it
# elsewhere; FILE is absent or whole, and nothing that exists is replaced.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../steps.sh"
. "$(dirname "$0")/../kills.sh"
write_flow idempotent

# at STORE ARGUMENTS…
at() {
  local store=$1
  shift
  run --store "$store" "$@"
}
# stored STORE SESSION: the transcript up to now, as JSON.
stored() { "$CKRUN" --store "$1" --json sessions log "$2" --all; }
names_of() { ls -A "$1" | tr '\n' ' '; }

# ---- while a run waits in the middle ----
begin run "$dir/flow.lua" --session one
steps first second
reach
mkdir "$dir/copies"
copy=$dir/copies/copy.db
plain=$dir/plain.db
cp "$dir/store/ckrun.db" "$plain"
stored "$CKRUN_STORE" one >"$dir/before"
exits 0 "a backup while a session runs" --json store backup "$copy"
is "says where it is, and what is in it" \
  "$(json "$out" '"$d->{backup} $d->{sessions} " . ($d->{file_bytes} == -s $d->{backup})')" \
  "$copy 1 1"
is "is one file, and nothing beside it" "$(names_of "$dir/copies")" "copy.db "
is "for the user alone" "$(stat -c %a "$copy")" 600
let_on third
reach
let_on fourth
ended
is "the run was not disturbed" "$code $(cell "$out" result)" "0 fourth"

# ---- a copy of the file alone, made by other means while its first session ran ----
for command in "store verify" "sessions list" "sessions show one" "resume one" "store stats" \
  "store backup $dir/copies/second.db" "run $dir/flow.lua"; do
  refused 7 "$command of the file alone" "without $plain-wal" --store "$plain" $command
done

at "$copy" store verify
is "the copy is sound" "$code" 0
stored "$copy" one >"$dir/copied"
ok "it has all that was committed before it, and nothing of later" \
  cmp "$dir/before" "$dir/copied"
at "$copy" --json sessions show one
is "its session is one whose process is gone" "$(json "$out" '"$d->{status} " . !!$d->{live}')" \
  "running "

# ---- it goes on elsewhere, without doing again what was done ----
: >"$dir/done"
mkdir "$dir/elsewhere" && mv "$copy" "$dir/elsewhere/moved.db"
rm -rf "$dir/store"
CKRUN_STORE=sqlite:$dir/elsewhere/moved.db
begin resume one
steps third fourth
ended
is "the copy goes on" "$code $(cell "$out" result)" "0 fourth"
is "with the two steps that were not done" "$(wc -l <"$dir/done")" 2
exits 0 "and is sound at its end" store verify

# ---- nothing that exists is replaced ----
keep=$dir/elsewhere/keep.db
for there in "" -wal -shm -journal .lock .sessions .spill; do
  rm -rf "$keep"*
  echo precious >"$keep$there"
  refused 5 "a backup to a name whose '$there' exists" "keep.db$there exists already" \
    store backup "$keep"
  is "it is left as it is ('$there')" "$(cat "$keep$there") $(ls "$keep"*)" \
    "precious $keep$there"
done
rm -f "$keep"*
ln -s nowhere "$keep"
refused 5 "a backup to a dangling link" "exists already" store backup "$keep"
rm "$keep"
refused 5 "a backup to the store itself" "exists already" store backup "$dir/elsewhere/moved.db"
refused 5 "a backup to a folder" "exists already" store backup "$dir/elsewhere"
refused 2 "a backup to no file" "does not name a file" store backup memory:
refused 2 "a backup to a stream" "does not name a file" store backup -
refused 3 "a backup into no folder" "there is no folder" store backup "$dir/none/x.db"
refused 3 "a backup of no store" "there is no store" --store "$dir/none.db" store backup "$keep"
refused 2 "a backup of a store in memory" "cannot be copied into a file" --store memory: \
  store backup "$keep"
ok "nothing was made by all this" test ! -e "$keep" -a ! -e "$dir/none" -a ! -e "$dir/none.db"
exits 0 "a backup beside the store, with its name before it" store backup \
  "$dir/elsewhere/moved.db.bak"
at "sqlite:$dir/elsewhere/moved.db.bak" store verify
is "is sound" "$code" 0
exits 0 "a backup in words" store backup "sqlite:$dir/elsewhere/url.db"
is "to a URL: its file" "$(cell "$out" backup)" "$dir/elsewhere/url.db"

# ---- long outputs ----
mkdir "$dir/elsewhere/moved.db.spill"
echo long >"$dir/elsewhere/moved.db.spill/one-0123456789abcdef-1.stdout"
exits 0 "a backup of a store with long outputs" store backup "$keep"
is "has them" "$(cat "$keep.spill"/*)" long
is "for the user alone" "$(stat -c %a "$keep.spill" "$keep.spill"/* | tr '\n' ' ')" "700 600 "

# ---- a store with a key ----
export CKRUN_KEY=$(od -An -tx1 -N 32 /dev/urandom | tr -d ' \n')
sealed=sqlite:$dir/sealed.db
sealed_copy=sqlite:$dir/sealed-copy.db
at "$sealed" run "$flow" --cassette "$cassette" --session s
is "a run in a store with a key" "$code" 0
at "$sealed" store backup "$dir/sealed-copy.db"
is "a backup of it" "$code" 0
stored "$sealed" s >"$dir/before"
at "$sealed_copy" store verify
is "is sound, with the same key" "$code" 0
ok "and holds the same" cmp "$dir/before" <(stored "$sealed_copy" s)
ok "is as sealed as it" test -z "$(grep -a customer "$dir/sealed-copy.db")"
CKRUN_KEY=$(od -An -tx1 -N 32 /dev/urandom | tr -d ' \n')
at "$sealed" store backup "$dir/other.db"
is "with another key: exit 4" "$code $(test -e "$dir/other.db"; echo $?)" "4 1"
unset CKRUN_KEY
at "$sealed" store backup "$dir/other.db"
is "without its key: exit 4" "$code $(test -e "$dir/other.db"; echo $?)" "4 1"

# ---- killed at each call: absent or whole ----
if can_kill; then
  target=$dir/elsewhere/killed.db
  whole() {
    [ -e "$target" ] || return 0
    found=$((found + 1))
    "$CKRUN" --store "$target" store verify >/dev/null 2>&1 &&
      stored "$target" one | cmp -s "$dir/before"
  }
  stored "$CKRUN_STORE" one >"$dir/before"
  calls=$(count_calls store backup "$target")
  points=0 broken=0 found=0 drafts=0 left=0
  for ((n = 1; n <= calls; n++)); do
    rm -rf "$target"*
    preloaded "KILL_AT=$n" store backup "$target"
    points=$((points + 1))
    whole || broken=$((broken + 1))
    ls "$target".ckrun-draft-* >/dev/null 2>&1 || continue
    drafts=$((drafts + 1))
    rm -rf "$target" "$target.spill"
    echo mine >"$target.bak"
    "$CKRUN" store backup "$target" >/dev/null 2>&1
    [ "$(cd "$dir/elsewhere" && echo killed.db*)" = "killed.db killed.db.bak killed.db.spill" ] ||
      left=$((left + 1))
  done
  ok "some of the killed ones leave a draft" test "$drafts" -gt 0
  is "which the next backup to the name removes, and nothing else" "$left" 0
  is "killed at each of $points calls it is absent or whole" "$broken" 0
  ok "it was killed, before and behind its name" test "$points" -gt 5 -a "$found" -gt 0 \
    -a "$found" -lt "$points"
else
  skip "killed at each call: no compiler, or it cannot be preloaded"
fi

# ---- under load ----
CKRUN_STORE=sqlite:$dir/load.db
cat >"$dir/busy.lua" <<LUA
local flow = require "ck.flow"
-- It does not end before the copies are made, however fast it is.
local copied = flow.exec {
  class = "idempotent", argv = { "sh", "-c", "until [ -e '$dir/copied' ]; do sleep 0.02; done" },
}
return flow.custom {
  name = "busy",
  run = function(ctx)
    for n = ctx.position and ctx.position.turn + 1 or 1, 3000 do
      ctx.memory["k" .. n % 50] = ("%d "):format(n):rep(100)
      ctx.memory.last = n
      ctx.boundary("tool_round", { position = { path = "n#" .. n, turn = n } })
    end
    copied.run(ctx, copied)
    return ctx.memory.last
  end,
}
LUA
"$CKRUN" run "$dir/busy.lua" --session busy >"$dir/out" 2>"$dir/err" 3>&- 4>&- &
pid=$!
until "$CKRUN" sessions show busy >/dev/null 2>&1; do :; done
made=0 sound=0 moved=0 last=0
while [ "$made" -lt 12 ]; do
  "$CKRUN" store backup "$dir/busy-$made.db" >/dev/null 2>"$dir/err" || break
  made=$((made + 1))
done
touch "$dir/copied"
wait "$pid"
is "the run is not disturbed by copies" "$?" 0
for ((n = 0; n < made; n++)); do
  copy=$dir/busy-$n.db
  "$CKRUN" --store "$copy" store verify >/dev/null 2>&1 && sound=$((sound + 1))
  events=$(stored "$copy" busy | grep -c .)
  [ "$events" -ge "$last" ] && moved=$((moved + 1))
  last=$events
done
is "copies were made under load" "$made $(cat "$dir/err")" "12 "
is "all of them are sound, and none is older than one before" "$sound $moved" "$made $made"
run --store "$dir/busy-0.db" resume busy
is "the first goes on to the same end" "$code $(cell "$out" result)" "0 3000"
finish
