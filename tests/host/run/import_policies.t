#!/bin/bash
# import_policies.t - what is imported passes the policies of the profile that is given, as what is
# typed does; where they cannot be asked nothing is imported; names that stay readable (ids, labels,
# agents) are refused where a policy masks them.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

profile() { echo "return { name = 'own', extends = 'default', $2 }" >"$1"; }
cat >names.lua <<'END'
return { name = "names", version = 1, redact = function(item)
  return ck.mask(item.value, { "Ada Lovelace", "ada", "Lovelace" }, { words = true, case = false })
end }
END
profile own.profile.lua 'policies = { "./names.lua" }'
profile broken.profile.lua 'policies = { "./broken.lua" }'
cat >broken.lua <<'END'
return { name = "broken", version = 1, redact = function(item) error "no" end }
END
cat >chat.json <<'END'
{"id":"of Ada Lovelace","owner":"Ada Lovelace","messages":[
 {"role":"user","content":"I am Ada Lovelace. Mail me."},
 {"role":"assistant","content":"Yes, Ada.","tool_calls":[{"id":"c1","function":{"name":"mail",
  "arguments":"{\"to\":\"Ada\\u0020Lovelace\",\"n\":1}"}}]},
 {"role":"tool","tool_call_id":"c1","content":"{\"sent\":\"ADA LOVELACE\"}"},
 {"role":"assistant","content":"Sent to Lovelace."}]}
END
cat >other.lua <<'END'
return { name = "other", detect = function() return false end, import = function(source, emit)
  emit { kind = "session", id = "1" }
  emit { kind = "message", agent = source.name == "agents.txt" and "Ada" or "clerk",
    message = { role = "user", content = "hello" } }
  emit { kind = "end", status = "failed", reason = "Lovelace left" }
end }
END
echo x >ends.txt
echo x >agents.txt

exits 0 "a conversation is imported under a profile" \
  sessions import chat.json --profile ./own.profile.lua --session one
exits 0 "and one that says why it ended" \
  sessions import ends.txt --format ./other.lua --profile ./own.profile.lua --session two
ok "no file of the store has a name that its policies mask" \
  test -z "$(grep -rliaE 'ada[^p]{0,6}lovelace|lovelace|Yes, Ada' store)"
log=$("$CKRUN" --json sessions log one --all)
has "the rest is there" "$log" 'I am [redacted:policy:'
has "calls keep their arguments' other parts" "$log" '\"n\":1'
has "also the reason of its end" "$("$CKRUN" sessions show two)" '[redacted:policy:'
exits 0 "without a profile nobody is asked" sessions import chat.json --session plain
has "and the text is as it was" "$("$CKRUN" --json sessions log plain --all)" 'I am Ada Lovelace'

count() { "$CKRUN" --json sessions list | grep -c '"session"'; }
before=$(count)
refused 5 "a policy that fails" "it failed" \
  sessions import chat.json --profile ./broken.profile.lua --session three
refused 3 "one that is not there" "none.profile.lua" \
  sessions import chat.json --profile ./none.profile.lua --session three
refused 5 "an id that a policy masks" "session 'ada': a policy of the profile masks it" \
  sessions import chat.json --profile ./own.profile.lua --session ada
refused 5 "an agent's name" "agent 'Ada': a policy of the profile masks it" \
  sessions import agents.txt --format ./other.lua --profile ./own.profile.lua --session three
is "nothing of them is imported" "$(count)" "$before"

cat >flow.lua <<'END'
return require("ck.flow").lua(function(ctx) return 1 end)
END
refused 5 "an id of a run" "session 'ada': a policy of the profile masks it" \
  run flow.lua --profile ./own.profile.lua --session ada
refused 5 "a label" "label 'lovelace': a policy of the profile masks it" \
  submit flow.lua --profile ./own.profile.lua --label lovelace
exits 0 "another label" submit flow.lua --profile ./own.profile.lua --session q --label gpu
refused 5 "a label at a resume" "label 'ada': a policy of the profile masks it" \
  resume q --detach --label ada
refused 5 "an id of a fork" "session 'ada': a policy of the profile masks it" \
  sessions fork q --session ada
is "nothing of them is begun" "$("$CKRUN" sessions show ada 2>/dev/null)" ""
cat >whole.lua <<'END'
return { name = "whole", version = 1, redact = function(item)
  if item.kind == "session_started" then return ck.mask end end }
END
profile whole.profile.lua 'policies = { "./whole.lua" }'
exits 0 "a policy that masks every input says nothing of an id" \
  run flow.lua --profile ./whole.profile.lua --session some --input '"x"'
echo 'return { name = "words", version = 1, redact = function(item)
  return ck.mask(item.value, "\\w+") end }' >words.lua
profile words.profile.lua 'policies = { "./words.lua" }'
exits 0 "nor does one that masks every word" \
  run flow.lua --profile ./words.profile.lua --session other
finish
