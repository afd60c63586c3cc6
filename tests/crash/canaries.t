#!/usr/bin/env bash
# canaries.t - fifty secrets that the profile names, in every place and every spelling: none of them
# gets into a file of the store, a copy or an export of it, or onto an output, through run, kill and
# resume; and no child is given one.
. "$(dirname "$0")/lib.sh"
begin
command -v perl >/dev/null && perl -MMIME::Base64 -e1 2>/dev/null || skip_all "no perl"
canaries() { perl "$here/canaries.pl" "$@"; }

mkdir "$work/made"
canaries make "$work/made"
made=$work/made
unset CKRUN_LOG
(umask 077 && "$CKRUN" key new "$work/key" >/dev/null)

# Everything is done in the folder of the store; the outputs lie beside it.
into() {
  folder "$1"
  cp "$made/leak" leak
  cp "$made/nowhere" "./$(cat "$made/nowhere.name")"
  said=$work/said-$1
  mkdir "$said"
}
numbered() { printf '%s/%03d' "$said" "$(find "$said" -type f | wc -l)"; }
# told COMMAND…: keeps its outputs and returns its exit code. With all secrets, and the variables of
# `how`, in its environment.
how=()
told() { (. "$made/env"; export CKRUN_LOG=debug; bounded env "${how[@]}" "$CKRUN" --store "$store" \
  "$@") >"$(numbered)" 2>"$(numbered)" </dev/null; }
start() { told run "$made/flow.lua" --cassette "$made/flow.jsonl" --profile "$made/profile.lua" \
  --session s --input "@$made/input.json"; }
# The output of a process that knows no secret: it is what was stored.
plainly() { bounded "$CKRUN" --store "$store" "$@" >"$(numbered)" 2>"$(numbered)" </dev/null; }
look() {
  local command
  for command in '--json sessions log s --all' 'sessions log s --all' '--json sessions inspect s' \
    'sessions inspect s' '--json sessions show s' 'sessions show s' '--json sessions list' \
    'sessions checkpoints s' '--json resume s --dry-run' 'store verify' 'store stats' \
    'sessions diff s first latest' '--json sessions diff s first latest' 'sessions tail s main' \
    '--json sessions tail s canary' 'sessions tail s canary' 'sessions export s --format cassette' \
    'sessions export s --format session-checkpoint' 'sessions export s --format run-checkpoint' \
    'sessions export s --format otlp'; do
    # shellcheck disable=SC2086
    plainly $command
    # shellcheck disable=SC2086
    told $command
  done
  rm -rf copy.db* backup.db* sealed
  for command in 'sessions export s --format html' 'sessions export s --format markdown' \
    'policy explain s --all' 'policy simulate --profile default s' 'facts list' \
    "store copy $store copy.db" 'store backup backup.db' \
    "sessions export s --format markdown --seal-key file:$work/key -o sealed" \
    "key unseal sealed --seal-key file:$work/key"; do
    # shellcheck disable=SC2086
    plainly $command
  done
  serve | plainly_with mcp
  serve | (. "$made/env"; plainly_with mcp)
}
# The answers to a client of the protocol.
serve() {
  local number=0 call
  for call in '"list_resumable_sessions"' \
    '"list_session_checkpoints","arguments":{"session_id":"s"}' \
    '"inspect_checkpoint","arguments":{"session_id":"s","include_memory":true}' \
    '"agent_tail","arguments":{"session_id":"s","agent":"canary"}' \
    '"diff_checkpoints","arguments":{"session_id":"s","from":"first","to":"latest"}' \
    '"inspect_checkpoint","arguments":{"session_id":"nosuch"}'; do
    number=$((number + 1))
    printf '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}\n' "$number" \
      "$call"
  done
}
plainly_with() { bounded "$CKRUN" --store "$store" "$@" >"$(numbered)" 2>"$(numbered)"; }
# In all files of the store and all outputs; the tool itself holds no secret.
hits() {
  find "$work/$1" "$said" -type f -print0 | \
    xargs -0 perl "$here/canaries.pl" scan >"$work/hits" 2>"$work/figures"
  say "$1: $(cat "$work/figures")"
  head -n 5 "$work/hits" | cut -c1-240 | sed 's/^/# /'
  sed 's/^[^:]*: cn[^ ]* \([a-z0-9_]*\): .*/# \1/' "$work/hits" | sort | uniq -c | sort -rn | head
  [ ! -s "$work/hits" ] && grep -q ' hits=0$' "$work/figures"
}
ended_by_itself() { [ "$1" = 1 ] && grep -q 'it ends with \[redacted:c01:' -r "$said"; }
only_allowed() {
  ! sort -u children | grep -vxE -e 'PATH|HOME|LANG|LC_[A-Z]+|TZ|TMPDIR' \
    -e 'CKRUN_EFFECT_KEY|CKRUN_EFFECT_ATTEMPT|CKRUN_SESSION|CKRUN_RUN'
}

check 'what is looked for is found where it is' test \
  "$(canaries scan "$made/flow.jsonl" "$made/env" "$made/input.json" 2>/dev/null | wc -l)" -gt 1000

into whole
build_kill_at 2>/dev/null && how=("LD_PRELOAD=$work/kill_at.so" "KILL_COUNT=$work/calls")
start
code=$?
how=()
check 'the flow runs to its end, which is an error that tells secrets' ended_by_itself "$code"
look
check 'it is copied and exported, too' test -s copy.db -a -s backup.db -a -s sealed
check 'no file and no output holds a secret' hits whole
check 'no child is given one' only_allowed
check 'the tools got them all the same' test \
  "$(sort children | uniq -c | awk '$2 == "PATH" { print $1 }')" = "${CANARIES:-50}"

if [ ! -s "$work/calls" ]; then
  skip 'killed and resumed' 'no compiler'
else
  into killed
  # at_call AT: as begin_anew of lib.sh, with the secrets.
  at_call() {
    fresh
    how=("LD_PRELOAD=$work/kill_at.so" "KILL_AT=$1")
    start 2>/dev/null
    local code=$?
    how=()
    return $code
  }
  midway "$(($(cat "$work/calls") / 2 * 2))" at_call standing
  check 'killed half-way it is dead' test "$code" = 137
  look
  check 'what it leaves behind holds no secret' hits killed
  plainly resume s
  check 'without the secrets nothing goes on' test "$?" = 4
  told resume s
  code=$?
  check 'with them it goes on to its end' ended_by_itself "$code"
  look
  check 'and still nothing holds one' hits killed
fi
finish
