#!/bin/bash
# prices.t - what models cost: by the profile, by its list or a file of its own, by what ships; who
# says it is told, what a session costs follows it, and no list makes a budget count less.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# profile FILE MODEL TOP [PRICE]: with one model.
profile() {
  cat >"$1" <<END
return { name = "priced", extends = "default", secrets = { main = "env:MODEL_KEY" }, $3
  models = { default = { api = "anthropic", base_url = "$(base_url anthropic)", model = "$2",
    key = "main", retries = 0, max_tokens = 1000, ${4:-} } } }
END
}
# row KEY: value, from and origin of one setting of the profile that was shown.
row() { sed -n "s/^$1	//p" <<<"$out"; }
cost() { json "$("$CKRUN" --json sessions show "$1")" 'micros($d->{totals}{cost_usd})'; }

answer='{"answer":{"text":"Yes.","usage":{"input":1000,"output":100,"cached":2000,"written":500}}'
serve main <<<"$answer,\"times\":0}"
cat >flow.lua <<'END'
return require("ck.flow").agent { name = "asker", prompt = "." }
END

# What ships: with its date and its source.
profile shipped.lua claude-haiku-4-5-20251001 ''
exits 0 "a model whose price ships" profile show ./shipped.lua
is "has it" "$(row models.default.price.input | cut -f 1,2)" "1.00	default"
is "what is written to a cache, too" "$(row models.default.price.cache_write | cut -f 1)" 1.25
ok "with date and source" grep -q '^20[0-9-]*: https://' <<<"$(row models.default.price.output |
  cut -f 3)"
exits 0 "--json" --json profile show ./shipped.lua
is "has it as a number" "$(json "$out" 'join ",", map { $_->{value} }
  grep { $_->{key} eq "models.default.price.cache_read" } @{$d->{settings}}')" 0.1
exits 0 "checked" profile check ./shipped.lua
has "it is told" "$err" 'model "default" (claude-haiku-4-5-20251001) costs $1.00 for a million'
has "as what it is" "$err" 'as it ships, of 2025-11 (https://'
exits 0 "a session" run flow.lua --profile ./shipped.lua --session shipped --input '"?"'
is "costs so" "$(cost shipped)" $((1000 * 1 + 100 * 5 + 2000 / 10 + 500 * 5 / 4))

# Who says what his input costs, and nothing of a cache, does not get the list's for that.
profile own.lua claude-haiku-4-5 '' 'price = { input = 2 }'
exits 0 "a price of the profile's own" profile show ./own.lua
is "comes first" "$(row models.default.price.input | cut -f 1,2)" "2	profile"
is "what ships fills in" "$(row models.default.price.output | cut -f 1,2)" "5.00	default"
is "what is read from a cache costs no less" "$(row models.default.price.cache_read | cut -f 1)" \
  2.00
exits 0 "a session" run flow.lua --profile ./own.lua --session own --input '"?"'
is "counts it so" "$(cost own)" $((1000 * 2 + 100 * 5 + 2000 * 2 + 500 * 2))
exits 0 "checked" profile check ./own.lua
has "both are named" "$err" "by $dir/own.lua and as it ships"

# A list in a file, for the model's name without its date; its figures hold as a whole.
cat >prices.lua <<'END'
return {
  ["claude-haiku-4-5"] = { input = 7, output = 11, date = "2026-11-02", source = "our contract" },
  house = { input = 1, output = 2, cache_read = 0.5, cache_write = 3 },
}
END
profile listed.lua claude-haiku-4-5-20251001 'prices = "./prices.lua",'
exits 0 "a list of prices" profile show ./listed.lua
is "comes before what ships" "$(row models.default.price.input)" "7	extends	$dir/prices.lua"
is "says from when" "$(row prices.claude-haiku-4-5.date | cut -f 1)" 2026-11-02
is "what it lacks costs no less than its input" \
  "$(row models.default.price.cache_write | cut -f 1)" 7.00
exits 0 "a session" run flow.lua --profile ./listed.lua --session listed --input '"?"'
is "costs so" "$(cost listed)" $((3500 * 7 + 100 * 11))
exits 0 "checked" profile check ./listed.lua
has "the file is named" "$err" "by $dir/prices.lua"
profile mine.lua house 'prices = "./prices.lua",' 'price = { input = 4 }'
exits 0 "a model's own price" profile show ./mine.lua
is "comes before the list" "$(row models.default.price.input | cut -f 1,2)" "4	profile"
is "which fills in what an answer costs" "$(row models.default.price.output | cut -f 1)" 2
is "not what a cache does" "$(row models.default.price.cache_read)" ""
cat >above.lua <<END
return { name = "above", extends = "./listed.lua",
  prices = { ["claude-haiku-4-5"] = { input = 8, output = 12 } } }
END
exits 0 "a profile above it" profile show ./above.lua
is "has other prices" "$(row models.default.price.input)" "8	profile	$dir/above.lua"
is "and nothing of the row below" "$(row prices.claude-haiku-4-5.date)" ""

# The list is part of what ran: it is kept with the profile, and a resume reads it as it is then.
profile waits.lua house 'prices = "./prices.lua", constraints = { model_calls = 0 },'
for name in changed kept; do
  exits 8 "a session that stops" run flow.lua --profile ./waits.lua --session $name --input '"?"'
done
mv prices.lua away.lua
exits 5 "with its stored files" resume kept --limit model_calls=1 --flow stored
trusted=$(grep -o 'trust-flow [0-9a-f]*' <<<"$err" | sed 's/^/--/')
# shellcheck disable=SC2086 # words
exits 0 "that somebody trusts" resume kept --limit model_calls=1 --flow stored $trusted
is "the list counts that it began with" "$(cost kept)" $((1000 + 200 + 1000 + 1500))
sed 's/input = 1,/input = 1.5,/' away.lua >prices.lua
exits 0 "with another list" resume changed --limit model_calls=1
is "that one counts" "$(cost changed)" $((1500 + 200 + 1000 + 1500))

# Long requests: all of one is dearer, as are its answer and its reserve.
longer='long = { above = 3499, input = 2, output = 3, cache_read = 1 }'
whole='price = { input = 1, output = 2, cache_read = 0.5'
profile short.lua house '' "$whole }"
profile long.lua house '' "$whole, $longer }"
profile just.lua house '' "$whole, ${longer/3499/3500} }"
profile all.lua house '' "$whole, ${longer/3499/1} }"
for name in short long just all; do
  exits 0 "$name" run flow.lua --profile ./$name.lua --session $name --input '"?"'
done
is "a request of more tokens than are said costs what long ones do" "$(cost long)" \
  $((1000 * 2 + 100 * 3 + 2000 * 1 + 500 * 2))
is "one of as many does not" "$(cost just)" $((1000 + 100 * 2 + 2000 / 2 + 500))
is "nor one of a model without" "$(cost short)" "$(cost just)"
reserve() { "$CKRUN" --json sessions log "$1" --kind intent | perl -MJSON::PP -ne '
  print decode_json($_)->{body}{reserve}'; }
is "what may be long reserves as much" "$(reserve all)" \
  $((($(reserve short) - 1000 * 2) * 2 + 1000 * 3))
serve main <<<'{"answer":{"text":"Yes.","usage":{"input":140001,"output":100,"cached":60000}}}'
profile gemini.lua gemini-2.5-pro ''
exits 0 "a model whose long requests are dearer, as it ships" run flow.lua --profile ./gemini.lua \
  --session gemini --input '"?"'
is "costs so" "$(cost gemini)" $(((140001 * 250 + 60000 * 25 + 100 * 1500 + 99) / 100))
exits 0 "checked" profile check ./gemini.lua
has "it is told" "$err" 'above 200000 tokens of input $2.50 and $15.00, as it ships, of 2025-10-31'
cat >prices.lua <<'END'
return { house = { input = 1, output = 2, long = { above = 100, input = 4, output = 8 } } }
END
serve main <<<"$answer}"
profile row.lua house 'prices = "./prices.lua",'
exits 0 "a list that says so" run flow.lua --profile ./row.lua --session row --input '"?"'
is "counts" "$(cost row)" $((3500 * 4 + 100 * 8))
mistake() { # LONG TEXT
  profile mistaken.lua house '' "price = { input = 1, output = 2, long = $1 }"
  exits 1 "long = $1" profile check ./mistaken.lua
  has "is told" "$err" "models.default.price.long$2"
}
mistake '{ above = 0, input = 1, output = 1 }' '.above: a number of tokens is expected'
mistake '{ above = 9, input = 1 }' ": needs 'output'"
mistake '{ above = 9, input = -1, output = 1 }' '.input: dollars for a million tokens'
mistake '{ above = 9, input = 1, output = 1, from = 2 }' ": unknown key 'from'"
mistake 5 ': { above = TOKENS, input'

# No price: told, and refused under a budget.
profile none.lua mystery ''
exits 0 "a model without a price" profile check ./none.lua
has "is told" "$err" 'model "default" (mystery) has no price: under a budget_usd it is refused'
profile none.lua mystery 'constraints = { budget_usd = 1 },'
exits 5 "under a budget" run flow.lua --profile ./none.lua --session none --input '"?"'
has "it is refused" "$err" 'model "default" (mystery) has no price'

# Mistakes of a list are told with its line.
cat >wrong.lua <<'END'
return {
  a = { input = 1 },
  b = { input = 1, output = -2 },
  c = { input = 1, output = 2, ouput = 3 },
  d = { input = 1, output = 2, source = 5 },
  e = 7,
}
END
profile mistaken.lua m 'prices = "./wrong.lua",'
exits 1 "a list with mistakes" profile check ./mistaken.lua
has "tells what is missing" "$err" "wrong.lua:2: prices[\"a\"]: needs 'output'"
has "a price below nothing" "$err" 'wrong.lua:3: prices["b"].output: dollars for a million'
has "an unknown word" "$err" "wrong.lua:4: prices[\"c\"]: unknown key 'ouput' (did you mean"
has "a source that is none" "$err" 'wrong.lua:5: prices["d"].source: a text is expected'
has "and no row" "$err" 'wrong.lua:6: prices["e"]: { input = '
profile lost.lua m 'prices = "./lost_prices.lua",'
exits 3 "a list that is not there" profile check ./lost.lua
has "is named" "$err" "lost_prices.lua"
profile named.lua m 'prices = "lists",'
exits 1 "a name that is no path" profile check ./named.lua
has "is told" "$err" 'prices: "lists" is no path'
finish
