#!/bin/bash
# doctor.t - doctor finds each thing that needs somebody, when it was made, and its remedy, run as
# it is printed, mends it; the exit code says what was found.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/views.sh"
cd "$dir" || exit 1
mkdir bin && ln -s "$CKRUN" bin/ckrun
export PATH=$dir/bin:$PATH
store=${CKRUN_STORE#sqlite:}

# finding CHECK MEMBER: of the first finding of that check.
finding() {
  json "$("$CKRUN" --json doctor 2>&1 | head -1)" \
    "(map { \$_->{$2} } grep { \$_->{check} eq '$1' } @{\$d->{findings}})[0]"
}
# finds CODE CHECK SUBJECT TEXT NAME: it is found.
finds() {
  run doctor
  is "$5: exit $1" "$code" "$1"
  is "$5: is found" "$(finding "$2" subject)" "$3"
  has "$5: and told" "$(finding "$2" text)" "$4"
}
# mends CHECK NAME: the remedy of the first finding, as it is printed, does away with it.
mends() {
  local remedy
  remedy=$(finding "$1" remedy)
  bash -c "$remedy" >remedy.out 2>&1 </dev/null
  is "$2: '${remedy//$dir/DIR}' runs" "$?" "${3:-0}"
}
clean() {
  run doctor
  is "$1" "$code $(cut -f1 <<<"$out" | grep -v version | sort -u)" "0 "
}

exits 0 "no store" doctor
has "is told" "$out" "there is none yet"
is "and none is made" "$(ls store 2>/dev/null)" ""
refused 2 "more room than there can be" "more than there can be" doctor --free 99999999999999

exits 0 "a session" run "$flow" --cassette "$cassette" --session air
clean "of a sound store nothing needs to be done"
exits 0 "as JSON" --json doctor
is "too" "$(json "$out" '"$d->{ok} $d->{store}"')" "1 $CKRUN_STORE"
is "with the versions" "$(json "$out" '$d->{sqlite}')" "$(sqlite3 --version | cut -d' ' -f1)"
ok "and the room" test "$(json "$out" '$d->{free_bytes}')" -gt 0

# ---- who may read and write ----

for what in "$store" "$store.lock"; do
  chmod 644 "$what"
  finds 5 permission "$what" "can read it (mode 0644)" "a ${what##*/} that others can read"
  mends permission "it"
  clean "then it is private"
done
chmod 777 store
finds 5 permission "$dir/store" "can exchange the files" "a folder that others can write"
mends permission "it"
clean "then they cannot"
mkdir -p "$store.spill" && chmod 755 "$store.spill"
finds 5 permission "$store.spill" "can read it" "long outputs that others can read"
mends permission "they"
clean "then they are private"
cat >mine.lua <<'END'
return { name = "mine", extends = "default", policies = { "./kept.lua" } }
END
echo 'return { name = "kept", version = 1, options = {} }' >"kept.lua"
cp "$flow" flow.lua
exits 0 "a session under a profile" run flow.lua --cassette "$cassette" --profile ./mine.lua \
  --session mine
for what in flow mine kept; do
  chmod 664 $what.lua
  finds 5 permission "$dir/$what.lua" "can write it, and it is run (mode 0664)" \
    "$what.lua that others can write"
  mends permission "it"
  clean "then they cannot"
done

# ---- a key ----

exits 0 "a key" key new "it's.key"
export CKRUN_STORE=sqlite:$dir/keyed/s.db
exits 0 "a store with it" --key "file:$dir/it's.key" run "$flow" --cassette "$cassette" \
  --session air
chmod 640 "it's.key"
run --key "file:$dir/it's.key" --json doctor
is "a key that others can read: exit 5" "$code" 5
remedy=$(json "$(head -1 <<<"$out")" \
  '(map { $_->{remedy} } grep { $_->{check} eq "permission" } @{$d->{findings}})[0]')
bash -c "$remedy"
exits 0 "its remedy mends it" --key "file:$dir/it's.key" doctor
run --json doctor
is "a store whose key is not given cannot be looked at" "$code" 4
is "which is a finding" "$(finding store status)" CK_E_SECRET_MISSING
export CKRUN_STORE=sqlite:$store

# ---- room ----

run doctor --free 100000000
is "too little room: exit 74" "$code" 74
remedy=$(awk -F'\t' '$1 == "space" { print $5 }' <<<"$out")
is "the one that has most is pruned" "$remedy" "ckrun sessions prune air --keep 1"
ok "that command runs" bash -c "$remedy"
is "and makes room" "$("$CKRUN" --json sessions checkpoints air | grep -c .)" 1

# ---- sessions ----

# graph NAME NODE: a flow of one node.
graph() {
  cat >"$1.lua" <<END
local flow = require "ck.flow"
return flow.graph { name = "$1", start = "a", edges = { a = flow.done }, nodes = { a = $2 } }
END
}
graph killed 'flow.exec { class = "idempotent",
  argv = { "sh", "-c", "test -e was || { touch was; kill -9 $PPID; }" } }'
run run killed.lua --session killed
finds 1 lease killed "its process is gone" "a session whose process was killed"
mends lease "it"
clean "then it is over"

graph failing 'flow.exec { class = "idempotent",
  argv = { "sh", "-c", "test -e well && echo 1 || kill -9 $PPID" } }'
run run failing.lua --session dies
for _ in 1 2 3 4; do run resume dies; done
is "a session that kills its process whenever it is resumed is refused" "$code" 5
touch well
finds 1 session dies "it is failing: it died three times" "it"
mends session "when its cause is gone it"
clean "then it is over, too"

graph waits 'flow.ask { question = "which?" }'
run run waits.lua --session waits
finds 8 session waits "it waits for a person" "a question"
mends session "its remedy lists it and"
has "with its words" "$(cat remedy.out)" "which?"
exits 0 "an answer" answer waits this
exits 0 "and the resume" resume waits
clean "then nobody waits"

graph doubt 'flow.exec { class = "once", argv = { "sh", "-c", "kill -9 $$" } }'
run run doubt.lua --session doubt
finds 75 session doubt "what became of an effect" "a doubt"
mends session "its remedy lists it and"
has "with its key" "$(cat remedy.out)" "main/a#1/exec/1"
exits 0 "a verdict" resolve doubt main/a#1/exec/1 done
exits 0 "and the resume" resume doubt
clean "then there is no doubt"

# ---- what belongs to nothing ----

digits=0123456789abcdef
touch "$store.spill/air-$digits-1.out"
finds 1 spill air "no result names 1 of its files" "a long output that no result names"
mends spill "it"
is "it is gone" "$(ls "$store.spill")" ""
kept=$("$CKRUN" --json sessions checkpoints mine | grep -c .)
touch "$store.spill/mine-$digits-1.out"
is "its command asks no policy what goes" "$(finding spill remedy)" \
  "ckrun sessions prune mine --keep 1000000"
mends spill "that of a session with checkpoints"
is "which are all kept" "$("$CKRUN" --json sessions checkpoints mine | grep -c .)" "$kept"
touch "$store.spill/it's gone-$digits-1.out"
finds 1 spill "$store.spill/it's gone-$digits-1.out" "a session that is not there" \
  "a long output of no session"
mends spill "it"
touch "$store.sessions/gone.lock"
finds 1 file "$store.sessions/gone.lock" "a session that is not there" "a lock of no session"
mends file "it"
touch "$store.new"
finds 1 file "$store.new" "killed while it made the store" "half a store"
mends file "it"
clean "then everything belongs to something"

# ---- a damaged store; several at once ----

chmod 644 "$store"
touch "$store.sessions/gone.lock"
run doctor
is "of several the gravest says the code" "$code $(grep -vc ^version <<<"$out")" "5 2"
has "and they are counted" "$err" "2 findings need somebody"
cp "$store" whole.db && chmod 600 "$store"
rm "$store.sessions/gone.lock"
printf 'nothing' | dd of="$store" bs=1 conv=notrunc 2>/dev/null
run doctor
is "what is no store: exit 74" "$code" 74
is "is a finding" "$(finding store status)" CK_E_NOT_A_STORE

# ---- on a terminal ----

cp whole.db "$store"
chmod 644 "$store"
touch "$store.sessions/gone.lock"
if has_terminal; then
  for columns in 60 80 120; do
    shown=$(screen $columns doctor)
    is "at $columns columns: only commands are wider" \
      "$(grep -v '^  do: ' <<<"$shown" | too_wide $columns)" 0
    has "and they are in one piece" "$shown" "  do: chmod 600 -- $store"
  done
else
  skip "no pseudo-terminal"
fi
finish
