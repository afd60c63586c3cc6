#!/bin/bash
# sessions.t - a run is reported, listed and shown: as tab-separated values and as JSON, with the
# figures in agreement.
. "$(dirname "$0")/../tap.sh"

exits 0 "run" run "$flow" --cassette "$cassette" --session first --input '{"k": 1.0}'
is "the id comes first" "$(head -n 1 <<<"$out")" first
summary=$out
is "it completed" "$(cell "$summary" status)" completed
has "progress goes to stderr" "$err" "checkpoint"
for figure in events messages checkpoints model_calls tool_calls asks checkpoint_bytes; do
  ok "the summary counts $figure" test "$(cell "$summary" $figure)" -gt 0
done
for figure in checkpoint_average checkpoint_max; do
  ok "the summary gives $figure with its unit" grep -qE '^[1-9][0-9.]* (us|ms|s)$' \
    <<<"$(cell "$summary" $figure)"
done
is "nothing was replayed" "$(cell "$summary" replayed)" 0
is "a completed session has nothing to resume" "$(cell "$summary" resume)" ""

exits 0 "run --json" --json run "$flow" --cassette "$cassette" --session second
is "one object" "$(json "$out" '$d->{session} . " " . $d->{status}')" "second completed"
is "no talk with --json" "$err" ""
is "what was spent is told in dollars, though no terminal reads it" "$(cell "$summary" spent)" \
  "$(dollars "$(json "$out" 'micros($d->{cost_usd})')")"
for figure in events messages checkpoints model_calls tool_calls asks; do
  is "both runs agree on $figure" "$(json "$out" "\$d->{$figure}")" "$(cell "$summary" $figure)"
done

cat >"$dir/input.lua" <<'EOF'
--- Gives back what it was given.
local flow = require "ck.flow"
return flow.custom { name = "input", run = function(ctx) return { given = ctx.input } end }
EOF
echo '"from a file"' >"$dir/input.json"
exits 0 "run --input" --store memory: --json run "$dir/input.lua" --input '{"topic":"x"}'
is "the flow is given that and nothing else" "$(json "$out" '$d->{result}')" \
  '{"given":{"topic":"x"}}'
exits 0 "run --input @FILE" --store memory: --json run "$dir/input.lua" --input "@$dir/input.json"
is "the same from a file" "$(json "$out" '$d->{result}')" '{"given":"from a file"}'
exits 0 "run --input of several lines" --store "$dir/lines.db" --json run "$dir/input.lua" --input \
  $'{"a":\n\r\n 1}' --session lines
exits 0 "its log" --store "$dir/lines.db" --json sessions log lines
ok "is one object per line" lines "$out"
exits 0 "it is shown" --store "$dir/lines.db" --json sessions show lines
has "with spaces for the line breaks" "$out" '"input":{"a":    1}'
exits 0 "run without input" --store memory: --json run "$dir/input.lua"
is "the flow is given none" "$(json "$out" '$d->{result}')" '{}'

# A long input is cut where a person reads it, behind redaction, and whole for programs.
perl -e 'print qq({"password":"), "s3cr3t-" x 6, qq(","t":"x), "\xc3\xa9" x 5000, "end", qq("})' \
  >"$dir/long.json"
exits 0 "run with a long input" --store "$dir/long.db" run "$dir/input.lua" --session long --input \
  "@$dir/long.json"
exits 0 "it is shown" --store "$dir/long.db" sessions show long
long=$(cell "$out" input)
is "cut behind a whole character" "$(perl -CS -e '
  my ($text, $rest) = $ARGV[0] =~ /(.*)… \((.*)\)$/ or die;
  print utf8::decode($text) && $text !~ /end/ ? "yes" : "no", " $rest"' "$long")" \
  "yes 9.8 KiB; all of it with --json"
ok "and short" test "${#long}" -lt 2100
ok "the secret is masked" test "${long#*s3cr3t}" = "$long"
exits 0 "as JSON" --store "$dir/long.db" --json sessions show long
is "it is whole" "$(json "$out" 'length $d->{input}{input}{t}')" 5004

exits 0 "sessions list" sessions list
is "newest first" "$(cut -f1,2 <<<"$out" | tr '\t\n' ' ;')" "second completed;first completed;"
exits 0 "sessions list --json" sessions list --json
ok "one object per line" lines "$out"
exits 0 "sessions list --status" sessions list --status failed
is "none failed" "$out" ""

exits 0 "sessions show" sessions show first
is "its events" "$(cell "$out" events)" "$(cell "$summary" events)"
is "its input" "$(cell "$out" input)" '{"k": 1.0}'
is "its money" "$(cell "$out" spent)" "$(cell "$summary" spent)"
exits 0 "sessions show --json" --json sessions show first
is "its checkpoints" "$(json "$out" '$d->{checkpoints}')" "$(cell "$summary" checkpoints)"
has "the input keeps its bytes" "$out" '"input":{"k": 1.0}'
is "the cassette's path is absolute" "$(json "$out" '$d->{input}{cassette}')" "$cassette"

exits 0 "sessions checkpoints" sessions checkpoints first
is "as many as were counted" "$(grep -c '' <<<"$out")" "$(cell "$summary" checkpoints)"
id=$(head -n 1 <<<"$out" | cut -f2)
exits 0 "sessions checkpoints --json" sessions checkpoints first --json
ok "one object per line" lines "$out"
is "the first one" "$(json "$(head -n 1 <<<"$out")" '$d->{id} . " " . $d->{kind}')" "$id tool_round"

exits 0 "sessions inspect" sessions inspect first --checkpoint "$id"
has "the state has the position" "$out" "position.main"
exits 0 "sessions inspect --json" sessions inspect first --checkpoint "$id" --json
is "the same checkpoint" "$(json "$out" '$d->{checkpoint}{id}')" "$id"
is "the same state" "$(json "$out" 'ref $d->{state}{"position.main"}')" HASH

exits 0 "sessions log" sessions log first
is "every event" "$(grep -c '' <<<"$out")" "$(cell "$summary" events)"
is "in order" "$(cut -f1 <<<"$out")" "$(cut -f1 <<<"$out" | sort -n)"
exits 0 "sessions log --json" sessions log first --json
ok "one object per line" lines "$out"
all=$out
exits 0 "sessions log --last" sessions log first --json --last 3
is "the last three" "$out" "$(tail -n 3 <<<"$all")"
exits 0 "sessions log --kind" sessions log first --json --kind outcome
is "that kind alone" "$out" "$(grep '"kind":"outcome"' <<<"$all")"
exits 0 "sessions log --agent" sessions log first --json --agent airline
is "that agent alone" "$out" "$(grep '"agent":"airline"' <<<"$all")"
exits 3 "sessions log of an unknown agent" sessions log first --agent nobody
is "is empty" "$out" ""
exits 0 "sessions log --all" sessions log first --all --json
is "nothing is abandoned" "$(grep -c '"abandoned":false' <<<"$out")" "$(cell "$summary" events)"

exits 0 "store verify" store verify
exits 0 "store verify --json" store verify --json
is "it looked at everything" "$(json "$out" \
  '$d->{sessions} . " " . $d->{ok} . " " . $d->{events}')" \
  "2 1 $((2 * $(cell "$summary" events)))"
exits 0 "store verify --session" store verify --json --session first
is "it looked at one" "$(json "$out" '$d->{sessions} . " " . $d->{events}')" \
  "1 $(cell "$summary" events)"
exits 0 "store stats" store stats
is "it counts sessions" "$(cell "$out" sessions)" 2
exits 0 "store stats --json" store stats --json
is "it counts events" "$(json "$out" '$d->{events}')" $((2 * $(cell "$summary" events)))
exits 5 "a completed session is not resumed" resume first
exits 0 "nothing is in doubt" resolve first

# ---- which are listed ----
printf 'return require "ck.flow".custom { name = "p", run = function(ctx)
  ctx.boundary("tool_round", { position = { path = "a" } }) ctx.pause("here") end }' \
  >"$dir/pausing.lua"
mkdir "$dir/some"
CKRUN_STORE=sqlite:$dir/some/lists.db
for id in p1 p2 p3; do "$CKRUN" run "$dir/pausing.lua" --session $id >/dev/null 2>&1; done
"$CKRUN" run "$flow" --cassette "$cassette" --session done >/dev/null 2>&1
"$CKRUN" cancel p3 >/dev/null 2>&1
listed() { run sessions list "$@"; cut -f1 <<<"$out" | sort | tr '\n' ' '; }
is "all" "$(listed)" "done p1 p2 p3 "
is "those that can be resumed" "$(listed --resumable)" "p1 p2 "
is "those of a flow, by its name" "$(listed --flow pausing.lua)" "p1 p2 p3 "
is "by its path" "$(listed --flow "$dir/pausing.lua")" "p1 p2 p3 "
is "of both" "$(listed --flow flow.lua --resumable)" " "
is "of the last hour" "$(listed --since 1h)" "done p1 p2 p3 "
cp "$root/tests/golden/schema3.db" "$dir/old.db" # of a past day
is "none that has rested for longer" \
  "$("$CKRUN" --store "sqlite:$dir/old.db" sessions list --since 1h)" ""
ok "of those that there are" test -n \
  "$("$CKRUN" --store "sqlite:$dir/old.db" sessions list | grep ^done)"
is "the newest one of those that fit" "$(listed --resumable --limit 1)" "p2 "
exits 2 "a time that is none" sessions list --since yesterday
exits 2 "a limit of none" sessions list --limit 0
finish
