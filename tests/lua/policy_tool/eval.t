#!/bin/bash
# eval.t - policy eval: Lua over what policies see at one recorded event: its views, the options and
# hooks of a policy, the sandbox's limits; lines of a terminal are edited, and kept nowhere.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

cat >shop.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "shop", user = flow.ask {}, tools = { stock = "once" },
  stop = function(text) return ck.find(text, "^Bye") ~= nil end }
END
call() {
  printf '{"scope":"main","kind":"model","cost_micros":%d,"usage":{"input_tokens":20,%s' "$2" \
    "\"output_tokens\":9},\"message\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{"
  printf '"id":"%s","type":"function","function":{"name":"stock","arguments":"%s"}}]}}\n' "$1" \
    "{\\\"item\\\":\\\"$3\\\"}"
  printf '{"scope":"main","kind":"tool","index":0,"name":"stock","arguments":"%s","result":3}\n' \
    "{\\\"item\\\":\\\"$3\\\"}"
}
{
  echo '{"cassette":1}'
  echo '{"scope":"main","kind":"ask","answer":"Kettles? Pots?"}'
  call c1 900 kettle
  call c2 1000 pot
  printf '{"scope":"main","kind":"model","cost_micros":800,"usage":{"input_tokens":60,%s\n' \
    '"output_tokens":9},"message":{"role":"assistant","content":"Bye: three kettles, no pots."}}'
} >shop.jsonl
echo 'return { name = "p", extends = "loop", policies = { "tool_rounds", { "every_n", n = 3 } } }' \
  >p.lua
exits 0 "a session" run shop.lua --cassette shop.jsonl --profile p.lua --session shop
"$CKRUN" --json sessions log shop >log
# seq EXPRESSION: of the first event for which it is true.
seq() {
  perl -MJSON::PP -e 'my $want = shift; while (<STDIN>) { my $e = decode_json($_);
    my $b = $e->{body}; if (eval $want) { print $e->{seq}; last } }' "$1" <log
}
round=$(seq '$e->{kind} eq "boundary" && $b->{kind} eq "tool_round" && $b->{since}{cost} == 1000')
intent=$(seq '$e->{kind} eq "intent" && $b->{kind} eq "tool" && $e->{seq} > 8')
at() { run policy eval "shop#$1" "${@:2}"; }

# ---- values ----
exits 0 "a field" policy eval "shop#$round" -e at.kind
is "is printed as it is" "$out" tool_round
at "$round" -e 'at.seq, at.agent, at.since.cost_usd, at.since.tool_calls, at.node'
is "several, with tabs between" "$out" "$round	shop	0.001	1	nil"
at "$round" -e 'at.since.cost_usd > 0.0005 and at.tools[1].tool == "stock"'
is "an expression" "$out" true
at "$round" -e '{ 1, "a", x = { [true] = ck.drop, ["a b"] = ck.null, f = print } }, {}, ck.array {}'
is "a table, as Lua writes it" "$out" \
  '{ 1, "a", x = { ["a b"] = ck.null, f = function, [true] = ck.drop } }	{}	{}'
at "$round" -e at.tools
is "a view's table" "$out" '{ { class = "once", tool = "stock" } }'
at "$round" -e at
is "a view with a field on each line, those that are nil left out" \
  "$(sed -n 's/^  \([a-z_]*\) = .*/\1/p' <<<"$out" | tr '\n' ' ')" \
  "kind scope agent depth seq now random latency_ms is_clean checkpoint_cost_ms message tools \
model since next budget "
has "with what is in it" "$out" \
  '  message = { calls = { { class = "once", id = "c2", tool = "stock"'
at "$round" -e 'ck.find(at.kind, "round")' \
  -e 'local n = 0 for _ in pairs(at.tools) do n = n + 1 end'
is "a statement prints nothing" "$out" "6	10"
at "$round" -e 'x = at.seq' -e 'x + 1' -e 'local y = 1' -e 'x'
is "a global stays for the next line" "$out" "$((round + 1))
$round"
at "$round" -e '"a\nb\27[2Jc"'
is "line breaks are shown, control characters are not sent" "$out" 'a
b\x1b[2Jc'

at "$round" -e '{ at.seq, at.since.cost_usd, at.since.boundaries }'
is "counted since the last checkpoint, as the boundaries tell it" "$out" "{ $round, 0.001, 1 }"

# ---- the other views ----
at "$round" -e '#history, history[1].kind, history[#history].seq == checkpoint.seq' -e \
  'history.now == at.now and checkpoint.age_ms == at.now - checkpoint.created'
is "history is that of then: the rounds up to here" "$out" "2	tool_round	true
true"
last=$(seq '$e->{kind} eq "boundary" && $b->{kind} eq "final"')
exits 0 "without a number" policy eval shop -e at.kind -e at.seq
is "the last boundary" "$out" "final
$last"
at "$intent" -e effect.tool -e effect.arguments.item -e effect.class -e '#effect.untrusted' \
  -e at.seq
is "an intent has its effect, and the boundary before it" "$out" "stock
pot
once
0
$(perl -ne 'print "$1 " if /"seq":(\d+),.*"kind":"boundary"/ && $1 < '"$intent" log |
  awk '{ print $NF }')"
at "$intent" -e 'event.kind, event.seq, item.kind, item.value.request ~= nil, item.value.key'
is "every event has event, and item its content alone" "$out" "intent	$intent	intent	true	nil"
at "$round" -e effect
is "what it has not" "$code $err" "5 eval:1: there is no 'effect' at this event
ckrun: 1 of 1 expressions failed"
at 1 -e 'at'
has "before the first boundary there is none" "$err" "there is no 'at' at this event"

# ---- a policy ----
at "$round" --policy every_n -e opt.n -e 'policy.checkpoint(at, opt)' -e policy
is "a policy's options and hooks" "$out" "10
nil
{ checkpoint = function }"
at "$round" --profile p.lua --policy every_n -e opt
is "as a profile sets them" "$out" '{ n = 3 }'
cp "$root/policies/every_n.lua" mine.lua
sed -i 's/"every_n"/"mine"/' mine.lua
echo 'return { name = "q", policies = { { "./mine.lua", n = 7 } } }' >q.lua
at "$round" --profile q.lua -e opt.n
is "the only one need not be named" "$out" 7
for name in mine ./mine.lua mine.lua; do
  at "$round" --profile q.lua --policy $name -e opt.n
  is "$name names it" "$out" 7
done
refused 2 "one of several" \
  "--profile p.lua: whose options? Name one of its policies with --policy: tool_rounds, every_n" \
  policy eval shop --profile p.lua -e opt
refused 2 "one that it has not" \
  "smart: profile p has no such policy; it has tool_rounds, every_n" \
  policy eval shop --profile p.lua --policy smart -e opt
at "$round" -e opt
has "without one" "$err" "there is no 'opt': name a policy with --policy"

# ---- what a hook reads: fields by any text that is their name, options as read-only tables ----
cat >lists.lua <<'END'
return { name = "lists", version = 1,
  options = { words = { "a", "b" }, by = { x = { 1 } }, none = {}, n = 2 },
  checkpoint = function(at, opt) return #opt.words == opt.n end }
END
at "$round" --policy ./lists.lua -e 'at["ki" .. "nd"]' \
  -e 'local f = "cost_" f = f .. "usd" return at.since[f]' \
  -e '#opt.words, opt.words[2], opt.words[3], opt.words["1"]' \
  -e 'opt.by.x[1], opt.nothing, opt.__index' \
  -e 'n = "" for k in pairs(opt) do n = n .. k .. " " end' \
  -e 'for _, w in ipairs(opt.words) do n = n .. w end return n' \
  -e 'type(opt), type(opt.by.x), tostring(opt), #opt.none, table.concat(opt.words, "+")' \
  -e 'policy.checkpoint(at, opt)' -e opt
is "all of it" "$out$err" "tool_round
0.001
2	b	nil	nil
1	nil	nil
by n none words ab
table	table	table	0	a+b
true
{ by = { x = { 1 } }, n = 2, none = {}, words = { \"a\", \"b\" } }"
for write in 'opt.n = 1' 'opt.new = 1' 'opt.words[1] = 1' 'opt.by.x[2] = 1' \
  'table.insert(opt.words, 1)' 'table.sort(opt.words)'; do
  at "$round" --policy ./lists.lua -e "$write" -e opt.n
  is "$write: is refused" "$(grep -c 'read-only' <<<"$err") $out" "1 2"
done
for name in '1' '"KIND"' '"kind "' '("x"):rep(100)' '{}' '""' '"__index"'; do
  at "$round" -e "at[$name]"
  has "at[$name]: is no field" "$err" "at has no field '"
done

# ---- errors ----
run policy eval "shop#$round" -e at.knd -e 'at.kind = 1' -e 'os.time()' -e 'error("mine")' -e 7
is "do not end it" "$out $code" "7 5"
is "are told with what is near" "$(head -4 <<<"$err")" \
  "eval:1: at has no field 'knd' (did you mean 'kind'?)
eval:1: the view 'at' is read-only
eval:1: undefined global 'os'
eval:1: mine"
is "and counted" "$(tail -1 <<<"$err")" "ckrun: 4 of 5 expressions failed"
run policy eval "shop#$round" -e 'while true do end' \
  -e 'local t = {} for i = 1, 1e9 do t[i] = i .. "" end' \
  -e 'pcall(string.rep, "x", 1e9)' -e 'ok = 1' -e ok
is "the limits of a hook stop a line, and no other" "$(tail -1 <<<"$out")" 1
ok "each is told" test "$(grep -cE 'budget of|ran longer than' <<<"$err")" -ge 2
run policy eval "shop#$round" -e 'string.rep("x", 400000)' -e \
  'local t = {} for i = 1, 20 do t = { t } end return t' -e 'local t = {} t.t = t return t'
is "what is long or deep is cut" "$(grep -c … <<<"$out")" 2
is "a text is not" "$(head -1 <<<"$out" | wc -c)" 400001
run policy eval "shop#$round" -e 'print("seen", at.kind)'
is "print is a line of the log" "$out|$err" "|ckrun: eval:1: seen  tool_round"

# ---- lines ----
"$CKRUN" policy eval "shop#$round" >lines 2>errors <<'END'
at.kind

for i = 1, 3 do
  n = (n_before or 0) + i
end
at.knd
n =
  5
n
END
is "lines of a file: exit 5 with an error" $? 5
is "each is evaluated, a statement may have several" "$(cat lines)" "tool_round
5"
is "the error alone is told" "$(cat errors)" "eval:2: undefined global 'n_before'
eval:1: at has no field 'knd' (did you mean 'kind'?)
ckrun: 2 of 5 statements failed"
printf 'if at.kind then' | "$CKRUN" policy eval "shop#$round" 2>errors
has "one without an end" "$(cat errors)" "eval: the last statement has no end"
exits 0 "nothing at all" policy eval "shop#$round"
is "prints nothing" "$out$err" ""

# ---- as JSON ----
run --json policy eval "shop#$round" -e 'at.kind, nil, { 1 }, {}, print, 0/0' -e at.knd -e at.since
is "an object for each" "$(sed -n 1p <<<"$out")" \
  '{"ckrun_json":1,"values":["tool_round",null,[1],{},"function",null]}'
is "an error, too" "$(sed -n 2p <<<"$out")" "{\"ckrun_json\":1,\"error\":\"eval:1: at has no field \
'knd' (did you mean 'kind'?)\"}"
is "views are objects" "$(json "$(sed -n 3p <<<"$out")" '$d->{values}[0]{cost_usd}')" 0.001
is "and the end is one" "$code $(json "$err" '$d->{error}{exit}')" "5 5"

# ---- what is named ----
for name in 0 x -1 1x ""; do
  refused 2 "#$name" "shop#$name: behind # the number of an event is expected" \
    policy eval "shop#$name" -e 1
done
refused 3 "no such event" "session shop has no event 9999" policy eval "shop#9999" -e 1
refused 3 "no such session" "there is no session nobody" policy eval "nobody#1" -e 1
refused 3 "no such policy" "policy 'nothing'" policy eval shop --policy nothing -e 1

# ---- a terminal ----
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  skip "script cannot make a terminal here"
elif ! ldconfig -p | grep -q libedit.so.2; then
  skip "libedit is not installed"
else
  mkfifo keys
  (TERM=xterm script -qec "'$CKRUN' policy eval 'shop#$round'" /dev/null <keys >terminal 2>&1) &
  exec 3>keys
  shows() { # TEXT: waits until the terminal does
    local n
    for n in $(command seq 600); do
      grep -qF -- "$1" terminal && return 0
      read -rt 0.05 <> <(:) || :
    done
    return 1
  }
  ok "it greets with what there is" shows "There are: at, history, checkpoint, event, item."
  ok "and a prompt" shows "> "
  printf 'at.sex\177q + 10000\n' >&3
  ok "what was typed wrong is mended" shows "$((round + 10000))"
  printf '\033[A\177\177\177\177\17720000\n' >&3
  ok "a line comes back" shows "$((round + 20000))"
  printf 'for i = 1, 2 do\n' >&3
  ok "more is asked for" shows ">> "
  printf 'zz = i end\nzz + 40000\n' >&3
  ok "and taken" shows 40002
  printf 'at.knd\n"behind" .. 7\n' >&3
  ok "an error does not end it" shows "behind7"
  printf '\004' >&3
  exec 3>&-
  wait
  ok "nothing that was typed is in a file" bash -c '! grep -rlF "40000" home store . \
    --exclude=terminal --exclude=eval.t 2>/dev/null | grep -q .'
fi
finish
