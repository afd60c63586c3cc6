#!/bin/bash
# pause_turn.t - a turn that its provider pauses (stop_reason "pause_turn", for tools of its own)
# goes on: what came is sent back byte for byte, each answer is paid once, a kill between two of
# them repeats none, and one that pauses for ever is stopped.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

cat >flow.lua <<'END'
return require("ck.flow").agent { name = "one", prompt = "Answer.",
  tools = { kill = require("ck.flow").command { argv = { "./kill" }, class = "pure" } } }
END
write_kill
cat >schema.lua <<'END'
return require("ck.flow").agent { name = "one", prompt = "Answer.",
  schema = { type = "object", required = { "town" } } }
END
model() { # FILE
  cat >"$1" <<END
return { name = "test", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "anthropic", base_url = "$(base_url anthropic)", model = "m",
    key = "main", retries = 0, stream = false, price = { input = 3, output = 15 } } } }
END
}
cost() { json "$("$CKRUN" --json sessions show "$1")" 'micros($d->{totals}{cost_usd})'; }
usage='"usage":{"input_tokens":200,"output_tokens":30}'
paid=$((200 * 3 + 30 * 15))
# What only its provider reads: order, spaces and escapes are its own.
blocks='{"type":"redacted_thinking","data":"x+/="},{"type":"text","text":"Looking. "},
  {"id":"srvtoolu_1","type":"server_tool_use","name":"web_search","input":{ "query":"B\u0061th" }},
  {"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{ "data":"Zm8=" }]}'
blocks=$(sed 's/^ *//' <<<"$blocks" | tr -d '\n')
answer() { # BLOCKS REASON
  echo '{"type":"message","role":"assistant","content":['"$1"'],'"$usage"',"stop_reason":"'"$2"'"}'
}
text() { echo '{"type":"text","text":"'"$1"'"}'; }

called='{"type":"server_tool_use","id":"srvtoolu_2","name":"web_fetch","input":{}}'
found='{"type":"web_fetch_tool_result","tool_use_id":"srvtoolu_2","content":{"type":"none"}}'
serve twice <<END
{"body":$(answer "$blocks" pause_turn)}
{"body":$(answer "$called" pause_turn)}
{"body":$(answer "$found,$(text Bath.)" end_turn),"times":0}
END
model twice.lua
run --json run flow.lua --profile ./twice.lua --session twice --input '"?"'
is "a turn that pauses goes on to its end" "$code $(json "$out" '$d->{result}{text}')" "0 Bath."
is "each answer is paid for" "$(requests twice) $(cost twice)" "3 $((3 * paid))"
has "what came is sent back as it came" "$(sed -n 2p twice.log)" "\"content\":[$blocks"
has "with what came behind it, in one turn" "$(sed -n 3p twice.log)" "$blocks,$called"
has "a document says so of the turn" "$("$CKRUN" sessions export twice --format markdown)" \
  "its provider paused this turn; it goes on below"
"$CKRUN" sessions export twice --format openai >twice.chat
is "an export has what all of it cost" \
  "$(json "$(cat twice.chat)" 'micros($d->{cost_usd}) . " $d->{usage}{prompt_tokens}"')" \
  "$((3 * paid)) 600"
ok "all is valid on the wire" test -z "$(grep '"problem":"' twice.log)"
ok "which is the last" perl -MJSON::PP -ne 'my $r = decode_json($_); exit 1
  if $. > 1 && $r->{body}{messages}[-1]{role} ne "assistant"' twice.log

touch kill-now
serve killed <<END
{"body":$(answer "$blocks" pause_turn)}
{"body":$(answer '{"type":"tool_use","id":"a","name":"kill","input":{}}' tool_use)}
{"body":$(answer "$(text Bath.)" end_turn),"times":0}
END
model killed.lua
run run flow.lua --profile ./killed.lua --session killed --input '"?"'
is "killed behind it" "$code" 137
run --json resume killed
is "a resume goes on" "$code $(json "$out" '$d->{result}{text}')" "0 Bath."
is "and repeats no answer" "$(requests killed) $(cost killed)" "3 $((3 * paid))"

serve schema <<END
{"body":$(answer "$blocks" pause_turn)}
{"body":$(answer '{"type":"tool_use","id":"a","name":"final_answer","input":{"town":"Bath"}}' \
  tool_use),"times":0}
END
model schema-profile.lua
run --json run schema.lua --profile ./schema-profile.lua --session schema --input '"?"'
is "an answer of a schema may come behind one" "$code $(json "$out" '$d->{result}{value}{town}')" \
  "0 Bath"
is "and nobody is told that it was none" "$(grep -c 'satisfy' schema.log)" 0

serve ever <<<"{\"body\":$(answer "$(text on)" pause_turn),\"times\":0}"
model ever.lua
run run flow.lua --profile ./ever.lua --session ever --input '"?"'
is "one that pauses for ever is stopped" "$code $(requests ever)" "1 21"
has "by name" "$err" "the model paused its turn more than 20 times in a row (pause_turn)"
finish
