#!/bin/bash
# import.t - sessions import at the command line: what is printed, which exit code, what another
# look at the store finds.
. "$(dirname "$0")/../../host/tap.sh"
data=$root/tests/lua/import/data

exits 0 "a file" sessions import "$data/pi.jsonl"
times=$'2030-02-01T00:00:01.000Z\t2030-02-01T00:00:06.000Z'
is "one row: id, format, status, events, agents, delegations, calls, cost, times" "$out" \
  $'imported_pi_f6bd6b2a\tpi\tpaused\t13\t1\t0\t2\t1\t$0.0101\t'"$times"
exits 5 "the same again" sessions import "$data/pi.jsonl"
has "it exists already" "$err" "imported_pi_f6bd6b2a exists already"
is "nothing is printed" "$out" ""
exits 0 "a file of two sessions with an old one" sessions import "$data/tau_bench.json" \
  "$data/pi.jsonl"
is "two rows" "$(grep -c '' <<<"$out")" 2
is "what the source does not know stays empty" "$(head -n 1 <<<"$out" | cut -f9-)" \
  "$(printf '\t\t')"

exits 0 "as JSON" --json sessions import "$data/claude_inline.jsonl"
is "its delegations" "$(json "$out" '$d->{delegations}')" 2
is "its agents" "$(json "$out" '$d->{agents}')" 3
is "its first time" "$(json "$out" '$d->{first}')" "2030-03-01T00:00:00.000Z"
is "no cost is made up" "$(json "$out" 'exists $d->{cost_usd} ? 1 : 0')" 0
run --json sessions show imported_claude_code_2df9cfd0
is "the parents of agents are kept" "$(json "$out" \
  'join ",", map { $_->{id} . "<" . ($_->{parent} // "") } @{$d->{input}{import}{agents}}')" \
  "main<,a1<main,b1<main"
run sessions log imported_claude_code_2df9cfd0 --agent b1
is "an agent's own events" "$(cut -f3 <<<"$out" | tr '\n' ' ')" \
  "message outcome intent outcome boundary "
run sessions log imported_tau_bench_c8e45325 --kind message
is "no time, no date of 1970" "$(cut -f2 <<<"$out" | sort -u)" ""
exits 0 "the store is well" store verify

# What a sub-agent did is told behind its parent's later lines: its minute is work, too. The user is
# away for an hour; that is none.
# said PARENT ID SIDECHAIN TYPE CONTENT TIME
said() {
  local message='"role":"'$4'","content":[{"type":"text","text":"'$5'"}]'
  [ "$4" = user ] || message='"id":"'$2'","usage":{"input_tokens":1,"output_tokens":1},'$message
  printf '{"parentUuid":%s,"uuid":"%s","isSidechain":%s,"sessionId":"S9","type":"%s",' \
    "$1" "$2" "$3" "$4"
  printf '"message":{%s},"timestamp":"2030-03-01T%s.000Z"}\n' "$message" "$6"
}
{
  said null m1 false user go 00:00:00
  said '"m1"' m2 false assistant "Two minutes." 00:02:00
  said null b1 true user test 00:00:10
  said '"b1"' b2 true assistant red 00:01:10
  said '"m2"' m3 false user more 01:01:10
  said '"m3"' m4 false assistant "A second." 01:01:11
} >"$dir/branch.jsonl"
exits 0 "a branch" --json sessions import "$dir/branch.jsonl" --session branch
run --json sessions log branch --all --kind boundary
is "since.ms goes on in a branch, and stands while the user is away" \
  "$(perl -MJSON::PP -ne 'print decode_json($_)->{body}{since}{ms} // 0, " "' <<<"$out")" \
  "120000 180000 181000 "
run --json policy simulate branch --profile \
  "$(echo 'return { name = "none", policies = {} }' >"$dir/none.lua"; echo "$dir/none.lua")"
is "a crash loses the active time" \
  "$(json "$out" '$d->{profiles}[0]{lost}{time_ms}{worst}')" 181000

before=$("$CKRUN" --json sessions list)
refused 2 "lines that cannot be read" "openai_many.jsonl:3: no conversation; so do 1 more places" \
  sessions import "$data/openai_many.jsonl"
has "with what to do" "$("$CKRUN" sessions import "$data/openai_many.jsonl" 2>&1)" "--partial"
is "nothing of the file is imported" "$("$CKRUN" --json sessions list)" "$before"
exits 1 "in part" sessions import --partial "$data/openai_many.jsonl"
has "the line is named" "$err" "openai_many.jsonl:4: "
has "the cut is named" "$err" "the last line is cut off"
has "the other, too" "$err" "openai_many.jsonl:3: no conversation; left out"
has "they are counted" "$err" "2 places could not be read and were left out; 2 sessions imported"
is "the rest is imported" "$(grep -c '' <<<"$out")" 2
run --json sessions import --partial "$data/openai_many.jsonl" --session again
is "the same as JSON" "$(json "$err" '$d->{error}{exit}')" 1

{
  printf '{"type":"user","sessionId":"a","timestamp":"2026-01-01T00:00:00Z","message":%s}\n' \
    '{"role":"user","content":"Go."}' '["Go."]' '{"role":"user","content":"On."}'
} >"$dir/lists.jsonl"
refused 2 "a list in the place of a message" \
  "lists.jsonl:2: its message is a list, not an object: nothing of it is imported" \
  sessions import "$dir/lists.jsonl"
exits 1 "in part" sessions import --partial "$dir/lists.jsonl" --session lists
has "the place is named" "$err" "lists.jsonl:2: its message is a list, not an object; left out"
is "the rest is imported" "$("$CKRUN" --json sessions log lists --all --kind message |
  grep -c '"content":"[GO]')" 2

exits 0 "a module of one's own, an id of one's own" sessions import "$data/pi.jsonl" --format \
  "$data/mine.lua" --session mine
is "has that id" "$(cut -f1,2 <<<"$out")" "$(printf 'mine\tmine')"
refused 2 "its lines that cannot be read" "mine.jsonl:2: " sessions import "$data/mine.jsonl" \
  --format "$data/mine.lua"
exits 1 "in part" sessions import --partial "$data/mine.jsonl" --format "$data/mine.lua"
has "are named" "$err" "mine.jsonl:2: "
exits 0 "more sessions than the id" sessions import "$data/tau_bench.json" --session two
is "are numbered" "$(cut -f1 <<<"$out" | tr '\n' ' ')" "two two_2 "

sed -n 3p "$data/pi.jsonl" >"$dir/one.jsonl"
exits 0 "a file of one line" sessions import "$dir/one.jsonl"
is "is one line of its format, whose call has no result" "$(cut -f2,7,8 <<<"$out")" \
  "$(printf 'pi\t1\t0')"
# counts FORMAT FILE: what is printed of each session, and what is shown of it then.
counts() {
  "$CKRUN" --json --store "$dir/counts.db" sessions import --partial "$1" 2>/dev/null |
    perl -MJSON::PP -ne 'my $d = decode_json($_); print join(" ", $d->{session}, map { $_ // 0 }
      @{$d}{qw(model_calls tool_calls input_tokens output_tokens)}), "\n"'
}
shown() {
  for id in $(cut -d' ' -f1 <<<"$1"); do
    "$CKRUN" --json --store "$dir/counts.db" sessions show "$id" | perl -MJSON::PP -0ne '
      my $d = decode_json($_);
      my ($t, $all) = ($d->{totals}, $d->{input}{import});
      my @tokens = map { $t->{$_} || $all->{$_} || 0 } "input_tokens", "output_tokens";
      print join(" ", $d->{session}, $t->{model_calls}, $t->{tool_calls}, @tokens), "\n"'
  done
}
for sample in "$data"/*.expected; do
  printed=$(counts "${sample%.expected}")
  is "$(basename "${sample%.expected}"): what is counted means what sessions show means" \
    "$printed" "$(shown "$printed")"
done
cat >"$dir/told.traj" <<'JSON'
{"environment": "e", "trajectory": [], "history": [
  {"role": "user", "agent": "main", "content": "Mend it."},
  {"role": "assistant", "agent": "main", "content": "Done."}],
 "info": {"model_stats": {"instance_cost": 0.5, "tokens_sent": 120, "tokens_received": 7}}}
JSON
is "tokens that swe_agent tells of the whole" "$(counts "$dir/told.traj" | cut -d' ' -f4-)" "120 7"
request='{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text",'
{
  for n in 1 2; do
    echo "$request\"text\":\"Ask $n\"}]}],\"system\":\"s\"}"
    echo '{"id":"msg_'$n'","type":"message","role":"assistant","content":[{"type":"text",' \
      '"text":"Say '$n'"}],"usage":{"input_tokens":'$n',"output_tokens":1}}'
  done
  echo '{"id":"msg_3","type":"message","role":"assistant","content":[]}'
  echo "$request\"text\":\"Ask 4\"}]}],\"system\":\"s\"}"
} >"$dir/pairs.jsonl"
exits 0 "requests and responses on lines of their own" --json sessions import "$dir/pairs.jsonl"
is "a response is joined to the request on the line before, one without stays alone" \
  "$(grep -o '"model_calls":[0-9]*' <<<"$out" | tr -dc '0-9\n' | tr '\n' ' ')" "1 1 1 0 "
is "with what was asked" "$(for id in $(grep -o '"session":"[^"]*"' <<<"$out" | cut -d'"' -f4); do
  "$CKRUN" sessions log "$id" --json | grep -oE '"(Ask|Say) [0-9]"' | tr -d '"' | tr '\n' ','
  echo
done | tr '\n' ';')" "Ask 1,Say 1,;Ask 2,Say 2,;;Ask 4,;"
exits 0 "a session of notes alone" sessions import "$data/relay.json" --session notes
exits 2 "is no conversation" sessions export notes --format openai
has "and why is true" "$err" "session notes: it has no messages"
exits 5 "an imported session is not resumed" resume imported_pi_f6bd6b2a
has "and says why" "$err" "flow"

echo "plain text" >"$dir/text"
while IFS='|' read -r code name text arguments; do
  refused "$code" "$name" "$text" sessions import $arguments
done <<LIST
2|a file of no known format|$dir/text: none of the formats known|$dir/text
3|a file that is not there|/nothing: there is no such file|$dir/nothing
2|a folder|a folder, not a file|$dir
2|an unknown format|did you mean 'tau_bench'?|$data/pi.jsonl --format tau_banch
2|a wrong format|it holds no session of format who_and_when|\
$data/swe_agent.traj --format who_and_when
2|an id that is none|--session|$data/pi.jsonl --session a/b
2|no file|FILE is missing|
LIST
exits 2 "one bad file among good ones" sessions import "$dir/text" "$data/crafted.json"
is "does not stop them" "$(cut -f2 <<<"$out")" who_and_when

# ---- whole or not at all, whatever the format and the fault ----
# fault NAME FORMAT FILE: refused with the file's name, in words of the file; no store is made.
bad=
fault() {
  local as
  for as in "--format $2" ""; do
    "$CKRUN" --store "$dir/empty/e.db" sessions import $as "$3" >"$dir/out" 2>"$dir/err"
    code=$?
    [ "$code" = 2 ] && grep -qF "${3##*/}" "$dir/err" && [ "$(grep -c '' "$dir/err")" = 1 ] &&
      ! grep -qE 'attempt to|bad argument' "$dir/err" && [ ! -s "$dir/out" ] &&
      [ ! -e "$dir/empty/e.db" ] && continue
    bad="$bad [$1 of $2 $as: exit $code, $(head -c 200 "$dir/err")]"
    rm -rf "$dir/empty"
  done
}
while read -r format sample; do
  file=$dir/faulty.${sample##*.}
  : >"$file"
  fault "an empty file" "$format" "$file"
  printf '\n \n\n' >"$file"
  fault "a file of blanks" "$format" "$file"
  iconv -f UTF-8 -t UTF-16 "$data/$sample" >"$file"
  fault "UTF-16" "$format" "$file"
  [ "$format" = hyperagent ] && continue # a text, which may end anywhere
  size=$(stat -c %s "$data/$sample")
  for cut in $((size / 4)) $((size / 2)) $((size - 3)); do
    head -c "$cut" "$data/$sample" >"$file"
    fault "a cut file" "$format" "$file"
  done
  perl -0pe 's/(.*)"([^"\\]+)"/$1"$2\xe9"/s' "$data/$sample" >"$file"
  fault "Latin-1" "$format" "$file"
  { cat "$data/$sample"; printf '\nno JSON\n'; } >"$file"
  fault "a line that is no JSON" "$format" "$file"
done <<LIST
agentdojo agentdojo.jsonl
anthropic anthropic.json
claude_code claude_inline.jsonl
gemini gemini.json
openai openai.json
openai_agents run_state.json
moatless moatless_tree.json
opencode opencode.json
openhands openhands_log.json
otlp otlp.json
owl_roleplay owl.json
pi pi.jsonl
relay relay.json
swe_agent swe_agent.traj
tau2_bench tau2_bench.json
tau_bench tau_bench.json
who_and_when crafted.json
hyperagent hyperagent.txt
LIST
is "a faulty file is refused, and nothing is left of it" "$bad" ""
cat >"$dir/plain.json" <<'JSON'
{
  "messages": [
    {"role": "user", "content": "What time is it?"},
    {"role": "assistant", "content": "Ten."}
  ]
}
JSON
exits 0 "a request over several lines that says nothing of its API, by its format" \
  --json sessions import --format anthropic "$dir/plain.json"
is "has its messages and its answer" "$(json "$out" '"$d->{events} $d->{model_calls}"')" "5 1"
perl -MJSON::PP -0 -ne 'print encode_json(decode_json($_))' "$dir/plain.json" >"$dir/one.json"
exits 0 "the same in one line" --json sessions import --format anthropic "$dir/one.json"
is "is the same" "$(json "$out" '"$d->{events} $d->{model_calls}"')" "5 1"
echo '[{"role":"user","content":"Go."},{"role":"tool","content":"no","error":7}]' >"$dir/code.json"
exits 0 "an error that is a number" --json sessions import "$dir/code.json" --session code
has "is one" "$("$CKRUN" --json sessions log code --all)" '"status":"error"'
{
  echo '{"type":"session_meta","timestamp":"2030-01-01T00:00:00Z","payload":{"id":"odd"}}'
  for content in '"Plain."' '[1.5,null,"x",{"type":"output_text","text":"Said."}]'; do
    for role in user assistant; do
      echo '{"type":"response_item","payload":{"type":"message","role":"'$role'",' \
        '"content":'"$content}}"
    done
  done
} >"$dir/odd.jsonl"
exits 0 "a message of Codex in parts that are none" --json sessions import "$dir/odd.jsonl" \
  --session parts
is "keeps all that was said, plain or not" \
  "$("$CKRUN" --json sessions log parts --all | grep -oE '"(Plain|Said)[.]"' | sort | uniq -c |
    tr -d ' \n')" '2"Plain."2"Said."'

{ sed -n 1p "$data/pi.jsonl"; printf '{"type":"mess'; } >"$dir/line.jsonl"
refused 2 "the unreadable line is named" "line.jsonl:2: the last line is cut off" sessions import \
  --format pi "$dir/line.jsonl"

recorded=${CKRUN_DATA:-$root/../shared/data}
if [ -d "$recorded" ]; then
  largest=$(ls "$recorded"/claude_code/*.jsonl)
  exits 0 "the largest session" sessions import "$largest"
  shopt -s globstar nullglob
  exits 0 "all recorded sessions of the formats" sessions import \
    "$recorded"/{tau_bench,tau2_bench,agentdojo,swe_agent,pi,claude_code_inline}/* \
    "$recorded"/who_and_when/**/*.json
  is "as many as there are" "$(grep -c '' <<<"$out")" 245
  exits 0 "the store is well with all of them" store verify
  has "with no problem" "$out$err" "all is well"
  boundaries() { "$CKRUN" --json sessions log "$1" --kind boundary | \
    perl -ne '/"kind":"(tool_round|loop_iteration)"/ && print "$1 "'; }
  airline=$(ls "$recorded"/tau_bench/*.json)
  run sessions import "$airline" --session past
  for n in 1 14 50; do
    run run "$flow" --cassette "$airline#$((n - 1))" --session "live_$n"
    past=past_$n
    [ "$n" = 1 ] && past=past
    ok "conversation $n has boundaries" test -n "$(boundaries "$past")"
    is "they are those of a live run of it" "$(boundaries "$past")" "$(boundaries "live_$n")"
  done
else
  skip "the recorded sessions (CKRUN_DATA) are not there"
fi
finish
