#!/bin/bash
# exit_codes.t - every command of the table answers the same mistake with the same exit code, in one
# line, and makes nothing.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# Per command, how it is called: S is a session, C a checkpoint, P a profile, L a policy, F a file
# or folder to be read, N a new file, U the store. A command without a row here fails below.
rows() {
  cat <<'LIST'
init|init N
run|run F --profile P
resume|resume S C
submit|submit F --profile P
worker|worker --until-idle
flow sign|flow sign F --with file:sign.pem --profile P
flow key|flow key N
pause|pause S
cancel|cancel S
answer|answer S yes
resolve|resolve S main/a/tool/1 retry
checkpoint|checkpoint S
sessions list|sessions list
sessions show|sessions show S
sessions checkpoints|sessions checkpoints S
sessions checkpoints delete|sessions checkpoints delete S C
sessions inspect|sessions inspect S C
sessions diff|sessions diff S C C
sessions log|sessions log S
sessions watch|sessions watch S
sessions tail|sessions tail S main
sessions output|sessions output S main/start/exec/1
sessions export|sessions export S --format session-checkpoint
sessions fork|sessions fork S C
sessions rewind|sessions rewind S C --report found
sessions undo|sessions undo S
sessions pin|sessions pin S C
sessions prune|sessions prune S
sessions scrub|sessions scrub S --key token --yes
sessions delete|sessions delete S
sessions import|sessions import F
facts list|facts list
facts get|facts get k
facts set|facts set k 1 --profile P
facts delete|facts delete k
policy list|policy list F
policy new|policy new made
policy check|policy check L
policy test|policy test L
policy simulate|policy simulate S
policy tune|policy tune P --over S
policy explain|policy explain S C --rerun L
policy eval|policy eval S --policy L -e 1
policy bench|policy bench L
profile list|profile list F
profile check|profile check P
profile show|profile show P
store verify|store verify --session S
store stats|store stats
store accept-rollback|store accept-rollback
doctor|doctor
store backup|store backup N
store copy|store copy U N
store salvage|store salvage
key new|key new N
key list|key list
key rotate|key rotate --new-key file:new.key
key unseal|key unseal F
mcp|mcp
ui|ui
help|help sessions
LIST
}

printf 'return require "ck.flow".custom { name = "f", run = function(ctx)
  ctx.boundary("tool_round", { position = { path = "a" } }) ctx.pause("here") end }' >flow.lua
"$CKRUN" run flow.lua --session s >/dev/null 2>&1
"$CKRUN" key new good.key >/dev/null 2>&1
"$CKRUN" flow key sign.pem >/dev/null 2>&1
"$CKRUN" key new other.key >/dev/null 2>&1
"$CKRUN" key new new.key >/dev/null 2>&1
sealed=sqlite:$dir/sealed.db
"$CKRUN" --store "$sealed" --key file:good.key run flow.lua --session s >/dev/null 2>&1

run help
declared=$(sed -n '/^commands:/,/^$/s/^  \([a-z][a-z]*\( [a-z][a-z-]*\)\{0,2\}\)  .*/\1/p' \
  <<<"$out")
while read -r command; do
  ok "$command has a row here" grep -q "^$command|" < <(rows)
done <<<"$declared"

# called ROW SESSION CHECKPOINT PROFILE POLICY FILE: sets `words`.
called() {
  local word
  words=()
  for word in ${1#*|}; do
    case $word in
      S) word=$2 ;; C) word=$3 ;; P) word=$4 ;; L) word=$5 ;; F) word=$6 ;; N) word=$dir/made ;;
      U) word=$store ;;
    esac
    words+=("$word")
  done
}

# one_line NAME CODE: the last run told one thing, once.
one_line() {
  is "$1: exit $2" "$code" "$2"
  is "$1: told in one line, once" "$(grep -c . <<<"$err") $out" "1 "
}

# each KIND CODE PATTERN STORE SESSION CHECKPOINT PROFILE POLICY FILE [OPTION…]: every command whose
# row has a word of PATTERN.
each() {
  local kind=$1 wanted=$2 pattern=$3 store=$4 s=$5 c=$6 p=$7 l=$8 f=$9 row
  shift 9
  while read -r row; do
    declared_now "$row" || continue
    called "$row" "$s" "$c" "$p" "$l" "$f"
    run --store "$store" "$@" "${words[@]}"
    one_line "${row%%|*}, $kind" "$wanted"
  done < <(rows | grep -E "$pattern")
}
declared_now() { grep -qx "${1%%|*}" <<<"$declared"; }

sessions='[ |]S( |$)'
# those that need a store that is there: 'run', 'sessions import' and 'facts set' make one
stores='^(resume|pause|cancel|answer|resolve|checkpoint|sessions [^i]|sessions inspect|facts [^s]|'
stores+='policy (simulate|tune|explain)|store|key list|key rotate)'
here=sqlite:$dir/store/ckrun.db
before=$(find . | sort)
each "no such session" 3 "$sessions" "$here" nobody 1 default every_n flow.lua
each "a malformed id" 2 "$sessions" "$here" a/b 1 default every_n flow.lua
each "an empty id" 2 "$sessions" "$here" "" 1 default every_n flow.lua
each "an id like an option" 2 '[ |][^-|]+ S( |$)'  "$here" -x 1 default every_n flow.lua
each "no such checkpoint" 3 '[ |]C( |$)' "$here" s none default every_n flow.lua
each "no such profile" 3 '[ |]P( |$)' "$here" s 1 nosuch every_n flow.lua
each "no such file of a profile" 3 '[ |]P( |$)' "$here" s 1 ./nosuch.lua every_n flow.lua
each "no such policy" 3 '[ |]L( |$)' "$here" s 1 default nosuch flow.lua
each "no such file" 3 '[ |]F( |$)' "$here" s 1 default every_n ./nosuch.lua
for words in "sessions tail s" "sessions log s --agent"; do
  refused 3 "$words of an agent that took part in nothing" "session s has no agent 'nobody'" \
    $words nobody
done
refused 2 "an import of nothing that can be read" "none of the formats" --store "$dir/bad/new.db" \
  sessions import flow.lua
ok "leaves no store behind" test ! -e "$dir/bad"
printf '{"type":"nothing"\n' >cut.jsonl
for format in openai claude_code tau_bench; do
  run --store "$dir/bad/new.db" sessions import cut.jsonl --format $format
  ok "nor does one of a cut line as $format" test "$code" != 0 -a ! -e "$dir/bad"
done
rm cut.jsonl
each "no such store" 3 "$stores" "sqlite:$dir/none.db" s 1 default every_n flow.lua
each "no folder of the store" 3 "$stores" "sqlite:$dir/none/none.db" s 1 default every_n flow.lua
each "no name of a store" 2 "$stores" nonsense s 1 default every_n flow.lua
each "SQLite's name of memory" 2 "$stores" sqlite::memory: s 1 default every_n flow.lua
for words in "run flow.lua --session" "sessions fork s --session" \
  "sessions import flow.lua --session"; do
  refused 2 "$words with an id like an option" "does not begin with '-'" $words -x
done
echo 'return { name = "refuses", resume = { budget = "refuse" } }' >refuses.lua
"$CKRUN" run flow.lua --profile ./refuses.lua --session refused >/dev/null 2>&1
exits 5 "a resume that a rule refuses" resume refused
is "says so once" "$(grep -o 'session refused\|resumed' <<<"$err" | tr '\n' ' ')" \
  "session refused resumed "
exits 3 "a verdict on an effect that is not there" resolve s main/none retry
is "is answered once" "$(grep -c . <<<"$err")" 1
rm refuses.lua
keyed="$(grep -vE '^(key|store salvage)' < <(rows) | grep -E "$stores")"
saved_rows=$(rows)
rows() { echo "$keyed"; }
each "no key" 4 . "$sealed" s 1 default every_n flow.lua
each "another key" 4 . "$sealed" s 1 default every_n flow.lua --key file:other.key
each "no file of a key" 4 . "$sealed" s 1 default every_n flow.lua --key file:nosuch.key
each "no place of a key" 2 . "$sealed" s 1 default every_n flow.lua --key nonsense
rows() { echo "$saved_rows"; }
is "nothing was made by all this" "$(find . | grep -vE '^\./(out|err)$|-(wal|shm)$' | sort)" \
  "$(grep -vE '^\./(out|err)$|-(wal|shm)$' <<<"$before")"

# An older copy in the store's place: nobody writes it.
cp store/ckrun.db older.db
exits 0 "the store goes on" facts set later 1
rm -rf store/ckrun.db* && cp older.db store/ckrun.db
writers='^(run|resume|pause|cancel|answer|resolve|checkpoint|facts (set|delete)|key rotate|'
writers+='sessions (checkpoints delete|fork|rewind|undo|pin|prune|scrub|delete))[|]'
each "a store that was set back" 7 "$writers" "$here" s 1 default every_n flow.lua
finish
