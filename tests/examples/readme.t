#!/usr/bin/env bash
# readme.t - what the README shows works: its policy, its profile and its flow, as they stand there.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CKRUN_STORE="sqlite:$work/readme.db"
count=0
check() {
  count=$((count + 1))
  if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; sed 's/^/# /' "$work/out"; fi
}

# Each Lua block is saved under the name in its first line.
awk -v dir="$work" '/^```lua/ { getline; split($2, name, " "); file = dir "/" name[1]; print > file; inside = 1; next }
  /^```/ { inside = 0 } inside { print > file }' README.md

cd "$work" || exit 1
"$CKRUN" run "$root/examples/airline/flow.lua" --cassette "$root/examples/airline/cassette.jsonl" --profile ./careful.lua --session careful >out 2>&1
check $? 'the policy and the profile of the guide run'
"$CKRUN" sessions log careful --kind boundary --json >out 2>&1
grep -q '"policy":"money","version":1,"reason":"spent 0.01[0-9]* since the last one"' out
check $? 'the policy takes its decision, and says why'

for command in 'policy check money.lua' 'policy test money.lua' 'policy bench money.lua' \
  'policy simulate --profile default --profile ./careful.lua --plot careful'; do
  # shellcheck disable=SC2086
  "$CKRUN" $command >out 2>&1
  check $? "ckrun $command"
done

cat >shop.jsonl <<'END'
{"cassette":1}
{"scope":"main","kind":"ask","answer":"One kettle, please."}
{"scope":"main","kind":"model","message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"order","arguments":"{\"item\":\"kettle\"}"}}]}}
{"scope":"main","kind":"tool","index":0,"name":"order","arguments":"{\"item\":\"kettle\"}","result":"ordered"}
{"scope":"main","kind":"model","message":{"role":"assistant","content":"It is ordered."}}
END
printf '#!/bin/sh\ncat >>orders\necho ordered\n' >order
printf '#!/bin/sh\ngrep -q "\\"key\\":\\"$CKRUN_EFFECT_KEY\\"" orders && echo ordered\n' >ordered
chmod +x order ordered
"$CKRUN" run shop.lua --cassette shop.jsonl --session shop >out 2>&1
check $? 'the flow of the guide runs'
[ "$(wc -l <orders)" = 1 ] && grep -q kettle orders
check $? 'and its tool ran once'

"$CKRUN" profile check ./shop_profile.lua >out 2>&1 && "$CKRUN" profile show ./shop_profile.lua >out 2>&1 && grep -q '^models.house.base_url' out
check $? 'the profile with models of the guide loads'
ANTHROPIC_API_KEY='' "$CKRUN" run shop.lua --profile ./shop_profile.lua >out 2>&1
[ $? = 4 ] && grep -q 'secret "anthropic": env:ANTHROPIC_API_KEY is empty' out
check $? 'and names the key that is not set'

printf '#!/bin/sh\ncat >>items\necho >>items\necho hello\n' >greet
chmod +x greet
"$CKRUN" run each.lua --input '["Ada","Grace"]' --session each >out 2>&1
check $? 'the kind of flow of the guide runs'
[ "$(grep -c '"item":"\(Ada\|Grace\)"' items)" = 2 ]
check $? 'and its program ran once for each item'

# The commands that the README names exist.
missing=$(grep -o 'ckrun [a-z][a-z]* *[a-z]*' "$root/README.md" | sort -u | while read -r _ word more; do
  case "$word $more" in 'run '* | 'resume '* | 'resolve '* | 'help '* | 'sessions '* | 'store '*) "$CKRUN" help "$word" >/dev/null 2>&1 || "$CKRUN" help "$word" "$more" >/dev/null 2>&1 || echo "$word $more" ;; esac
done)
echo "$missing" >out
[ -z "$missing" ]
check $? 'every command it names exists'
echo "1..$count"
