#!/bin/bash
# tool_changes.t - an MCP server says that its tools are others now: from the next turn on they are,
# in the record too; a tool that is gone is an error for the model, and no flood is worth more.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
command -v perl >/dev/null || { echo "1..0 # SKIP perl is not there"; exit 0; }

calls=
for name in old new shift; do calls="$calls,{\"name\":\"$name\",\"arguments\":{}}"; done
serve openai <<END
{"turn":0,"answer":{"text":"","calls":[{"name":"grow","arguments":{}}]},"times":0}
{"turn":1,"answer":{"text":"","calls":[${calls#,}]},"times":0}
{"turn":2,"answer":{"text":"Done."},"times":0}
END
write_house
# grower NAME ERA [ARGUMENTS [MORE]]: a session of it; fills said and told, what its turns were
# sent.
grower() {
  cat >"$1.lua" <<END
local flow = require "ck.flow"
return flow.agent { name = "grower", input = "Grow.", tools = { ${5:-}
  garden = flow.mcp { argv = { "perl", "$root/tests/effect/mcp/changing_server.pl", "$2",
    "$dir/$1.log", [[${3:-{\}}]] }, ${4:-} } } }
END
  local before=$(requests openai)
  run run "$1.lua" --profile ./house.lua --session "$1"
  said=$(sed -n $((before + 1))p openai.log) told=$(sed -n $((before + 2))p openai.log)
}
noted() { grep -c "^$2" "$1.log"; }
offered() {
  grep -o '"type":"function","function":{"name":"[a-z0-9]*","par' <<<"$1" | cut -d'"' -f10 |
    sort -u | tr '\n' ' '
}

for era in older modern; do
  for when in before after; do
    name=$era-$when
    grower $name $era "{\"when\":\"$when\"}"
    is "$name: the session goes on" "$code" 0
    is "the first turn has the old tools" "$(offered "$said")" "grow old shift "
    is "the next one has the new" "$(offered "$told")" "grow new shift "
    has "one that is gone is an error for the model" "$(tail -1 openai.log)" \
      "Error: there is no tool 'old'"
    is "and is not called" "$(noted $name 'call old') $(noted $name 'call new')" "0 1"
    has "the class of the others is judged again" \
      "$("$CKRUN" sessions log $name --kind intent | grep '"name":"shift"')" " pure "
    is "they are listed twice" "$(noted $name 'list$')" 2
  done
done
is "a newer server is asked to tell" "$(grep listens modern-after.log)" \
  'listens {"toolsListChanged":true}'
"$CKRUN" sessions export older-before --format cassette >older.jsonl
run run older-before.lua --profile ./house.lua --cassette older.jsonl --session again
is "a recording lists them twice, too, and needs no server" "$code $(noted older-before list)" "0 2"

grower never older '{"when":"never"}'
is "one that says nothing is not asked again" "$(noted never list)" 1
has "its new tools are unknown" "$(tail -1 openai.log)" "there is no tool 'new'"
grower flood older '{"times":20000,"names":300}'
is "a flood of news is one" "$code $(noted flood list)" "0 2"
grower broken modern '{"broken":true}'
is "one that lists them no more keeps its old ones" \
  "$code $(noted broken 'call old') $(noted broken 'call new')" "0 1 0"

# A recording may say what no server says.
"$CKRUN" sessions export broken --format cassette >broken.jsonl
for list in null 5 '"x"' '[]' '{"tools":5}'; do
  LIST=$list perl -pe 's/"result":.*/"result":$ENV{LIST}}/ if /"list":true/ && $n++' broken.jsonl \
    >odd.jsonl
  run run broken.lua --profile ./house.lua --cassette odd.jsonl
  is "a list of tools that is $list is none: the old one holds" "$code" 0
done
cat >own.lua <<'END'
return require "ck.flow".agent { name = "grower", input = "Grow.",
  tools = { grow = "pure", new = "pure", shift = "pure" } }
END
grep -v '"list":true' older.jsonl >own.jsonl
run run own.lua --profile ./house.lua --cassette own.jsonl --session own
is "a tool that is no server's changes no server's tools" "$code" 0

own='new = flow.tool(function() return "its own" end, {}),'
grower declared older '{}' 'tools = { old = "once" }' "$own"
is "what the flow says of a tool that is gone, or has itself, is no mistake later" \
  "$code $(noted declared 'call new')" "0 0"
finish
