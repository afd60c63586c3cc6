#!/bin/bash
# others.t - each format's importer is given each other format's sample: what is none of its
# sessions is refused in words of the file, never by an error of the importer's own, and never
# becomes a session in which nothing is said.
. "$(dirname "$0")/../../host/tap.sh"
data=$root/tests/lua/import/data

# Shapes that several programs write: lists of chat messages, and what lies around them.
shared=" anthropic/agentdojo.jsonl anthropic/codex_old.jsonl anthropic/openai.json
anthropic/openai_log.jsonl anthropic/openai_many.jsonl anthropic/openhands_log.json
openai/agentdojo.jsonl openai/anthropic.json openai/anthropic_lines.jsonl
openai/openhands_log.json "

# Who is known to have written a sample: whoever tells it apart.
for sample in "$data"/*.expected; do
  file=${sample%.expected}
  "$CKRUN" --json --store "$dir/own.db" sessions import --partial "$file" >"$dir/out" 2>/dev/null
  shared="$shared$(grep -o '"format":"[a-z0-9_]*"' "$dir/out" | head -n 1 |
    cut -d'"' -f4)/${file##*/} "
done
shared=" $(tr '\n' ' ' <<<"$shared") "
ok "samples are told apart" test "$(wc -w <<<"$shared")" -gt 40

# taken FORMAT FILE: what is wrong with what came of it.
taken() {
  local may=
  case $shared in *" $1/${2##*/} "*) may=yes ;; esac
  "$CKRUN" --json --store "$dir/$1.db" sessions import --partial --format "$1" "$2" \
    >"$dir/out" 2>"$dir/err"
  code=$?
  grep -qE 'lua/ck|attempt to|bad argument|emit:' "$dir/err" && echo "an error of its own"
  [ -s "$dir/out" ] && [ -z "$may" ] && echo "a session"
  [ -n "$may" ] && [ ! -s "$dir/out" ] && echo "none of its own"
  [ ! -s "$dir/out" ] && [ "$code" != 2 ] && echo "exit $code"
  [ ! -s "$dir/out" ] && ! grep -qF "${2##*/}" "$dir/err" && echo "no word of the file"
}
for module in "$root"/lua/ck/import/*.lua; do
  format=$(basename "$module" .lua)
  bad=
  for sample in "$data"/*.expected; do
    what=$(taken "$format" "${sample%.expected}")
    [ -n "$what" ] && bad="$bad [$(basename "${sample%.expected}"): $what: \
$(head -c 160 "$dir/err")]"
  done
  is "$format: of each sample its session, or a refusal" "$bad" ""
done

# A header of one's own beside lines of others is not enough to fail on.
{
  echo '{"type":"session_meta","timestamp":"2030-01-01T00:00:00Z","payload":{"id":"odd"}}'
  echo '{"type":"response_item","payload":{"type":"message","role":"assistant",' \
    '"content":[{"type":"text","text":{"value":"x"}},{"type":"text","text":"Said."}]}}'
} >"$dir/odd.jsonl"
exits 0 "a text that is none" --json sessions import --format codex "$dir/odd.jsonl"
finish
