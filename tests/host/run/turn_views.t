#!/bin/bash
# turn_views.t - what policies are told at a boundary of the turn behind it: the last message, the
# tools that ran, the model that answered, as the transcript has them; and what is asked later, of
# the recorded boundary, is told the same.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

cat >flow.lua <<'END2'
local flow = require "ck.flow"
return flow.graph { start = "plan", nodes = {
  plan = flow.lua(function(ctx) ctx.memory.x = 1 end),
  work = flow.agent { name = "ann", model = "big", prompt = "Work.", input = "Do it.",
    parallel_tools = 1, tools = {
    look = flow.command { argv = { "echo", "seen" }, class = "pure" },
    send = flow.command { argv = { "sh", "-c", "[ ! -e die ] || { rm die; kill -9 $PPID; }" } },
    own = flow.tool(function() return "mine" end, { description = "Its own." }) } } },
  edges = { plan = "work", work = flow.done } }
END2
call() { echo "{\"name\":\"$1\",\"arguments\":{\"n\":$2}}"; }
serve work <<END2
{"turn":0,"answer":{"text":"S\u00f6\u00f6","calls":[$(call look 1),$(call own 2)]},"times":0}
{"turn":1,"answer":{"text":"now it goes","calls":[$(call look 3),$(call send 4)]},"times":0}
{"turn":2,"answer":{"text":"Done."},"times":0}
END2
cat >turn.lua <<'END2'
local function list(calls)
  local words = {}
  for _, call in ipairs(calls or {}) do
    words[#words + 1] = call.tool .. ":" .. (call.class or "-")
  end
  return table.concat(words, ",")
end
return { name = "turn", version = 1, checkpoint = function(at)
  local message = at.message and ("%s %d [%s]"):format(at.message.role, at.message.length,
    list(at.message.calls)) or "none"
  return ("%s %s; ran [%s]; %s"):format(at.scope, message, list(at.tools), at.model or "none")
end }
END2
# profile NAME POLICIES
profile() {
  cat >"$1.lua" <<END2
return { name = "$1", extends = "default", policies = { $2 },
  secrets = { main = "env:MODEL_KEY" }, models = { big = { api = "openai", model = "mine",
    base_url = "$(base_url openai)", key = "main", retries = 0, stream = false } } }
END2
}
profile p '"./turn.lua", "before_effect"'
profile plain ''
# told SESSION: kind and what the policy said, of each boundary that is live.
told() {
  "$CKRUN" --json sessions log "$1" --kind boundary | perl -MJSON::PP -ne '
    my $b = JSON::PP->new->decode($_)->{body};
    for (@{$b->{reasons}}) { print "$b->{kind} $_->{reason}\n" if $_->{policy} eq "turn" }'
}
begin() { exits "$1" "$2: a session" run flow.lua --profile "./$3.lua" --session "$2"; }

begin 0 s p
# By hand, from the scenario: the text of the first answer has 5 bytes, of the second 11.
graph='main none; ran []; none'
want="node_start $graph
node_complete $graph
edge_transition $graph
node_start $graph
tool_round main.ann assistant 5 [look:pure,own:-]; ran [look:pure,own:-]; big
before_call main.ann assistant 11 [look:pure,send:once]; ran []; big
tool_round main.ann assistant 11 [look:pure,send:once]; ran [look:pure,send:once]; big
node_complete $graph
edge_transition $graph
final $graph"
is "each boundary has what was said, what ran, who answered" "$(told s)" "$want"

# ---- asked later ----
begin 0 unasked plain
"$CKRUN" --json policy explain unasked --rerun ./turn.lua 2>/dev/null | perl -MJSON::PP -ne '
  my $d = JSON::PP->new->decode($_); next unless $d->{rerun};
  print "$d->{boundary} $_->{reason}\n" for @{$d->{rerun}{reasons}}' >again
is "who is asked later is told the same" "$(cat again)" "$(grep -v '^final' <<<"$want")"
exits 0 "a simulation" --json policy simulate --profile ./p.lua s
is "repeats each decision" \
  "$(json "$out" '"$d->{profiles}[0]{as_recorded} $d->{profiles}[0]{boundaries}"')" "10 10"
cat >of_test.lua <<'END2'
local test = require "ck.test"
local turn = test.policy "./turn.lua"
return {
  test_sessions = function()
    for i, at in ipairs(test.session "s") do
      if i == 6 then
        test.equal(turn.checkpoint(at),
          "main.ann assistant 11 [look:pure,send:once]; ran []; big")
      end
    end
  end,
  test_own = function()
    test.equal(turn.checkpoint { message = { role = "user", length = 3 }, model = "m",
      tools = { { tool = "x", class = "once" } } }, "main user 3 []; ran [x:once]; m")
    test.equal(turn.checkpoint {}, "main none; ran []; none")
  end,
}
END2
exits 0 "tests have it, too" policy test of_test.lua
is "of recorded boundaries and their own" "$(grep -c '^ok' <<<"$out")" 2

# ---- the text, where the profile says so ----
cat >text.lua <<'END2'
return { name = "text", version = 1,
  redact = function(item) return ck.mask(item.value, "goes") end,
  checkpoint = function(at) return at.message and (at.message.text or "not shown") or "none" end }
END2
sed 's/"p"/"text", message_text = true/; s/"turn.lua"/"text.lua"/; s|"./turn.lua"|"./text.lua"|' \
  p.lua >text_profile.lua
sed 's/message_text = true/message_text = false/' text_profile.lua >hidden.lua
begin 0 shown text_profile
begin 0 hidden hidden
texts() { "$CKRUN" --json sessions log "$1" --kind boundary | perl -CS -MJSON::PP -ne '
  my $e = JSON::PP->new->decode($_);
  for (@{$e->{body}{reasons}}) {
    print "$e->{seq} $_->{reason}\n" if $_->{policy} eq "text" && $e->{scope} eq "main.ann" }'; }
# What the transcript has: the content of the last message before it in its scope that is no tool's.
"$CKRUN" --json sessions log shown | perl -CS -MJSON::PP -ne '
  my $e = JSON::PP->new->decode($_); next if ($e->{scope} // "") ne "main.ann";
  my $m = $e->{body}{message}; $last = $m->{content} if ref $m && $m->{role} ne "tool";
  print "$e->{seq} $last\n" if $e->{kind} eq "boundary"' >want
is "it is that of the store, at each boundary" "$(texts shown)" "$(cat want)"
is "what a policy masks is masked here" "$(grep -c 'now it ' want) $(grep -c goes want)" "2 0"
is "without the option there is none" "$(texts hidden | cut -d' ' -f2- | sort -u)" "not shown"
exits 0 "a simulation" --json policy simulate --profile ./text_profile.lua shown
is "is shown the same" "$(json "$out" '$d->{profiles}[0]{as_recorded}')" 10

# ---- a kill between the calls and the round ----
touch die
begin 137 killed p
run resume killed
exits 0 "what became of the call is said" resolve killed "$(
  "$CKRUN" resolve killed 2>/dev/null | head -1 | cut -f1)" done --result '""'
exits 0 "it goes on" resume killed
is "what was replayed ran in this turn" "$(told killed | grep tool_round | tail -1)" \
  "tool_round main.ann assistant 11 [look:pure,send:once]; ran [look:pure,send:once]; none"

# ---- boundaries of a version that recorded nothing of it ----
cat >any.lua <<'END2'
return { name = "any", version = 1, checkpoint = function(at)
  return at.message ~= nil or #at.tools > 0 or at.model ~= nil
end }
END2
cp "$root/tests/golden/schema2.db" old.db
chmod 600 old.db
"$CKRUN" --store sqlite:old.db --json policy explain branched --all --rerun ./any.lua >again
is "have nothing of it, and are asked about" \
  "$(grep -c '"kind":"boundary".*"rerun":{[^}]*"taken":false,"differs":true' again)" 6
finish
