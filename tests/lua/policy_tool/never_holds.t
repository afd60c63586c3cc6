#!/bin/bash
# never_holds.t - policy check names conditions that hold at no live call, by the types of views and
# options: words that a hook is not shown, lists taken for texts or for tables with names, keys of
# another form, fields within lists; and none of what can hold.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

options='tools = { "mail" }, keys = { card = "mask" }, mode = "strict", n = 3, on = true, any = {}'
# hook NAME PARAMETERS BODY…: a policy with one hook, a line each, from the second on.
hook() {
  local name=$1 parameters=$2
  shift 2
  echo "return { name = 'p', version = 1, options = { $options }, $name = function($parameters)"
  printf '%s\n' "$@" "end }"
}
# found WHAT LINES TEXT: of the policy on stdin these lines have a problem, each with that text.
found() {
  cat >p.lua
  run policy check p.lua
  is "$1" "$(grep -oE '^problem.*p\.lua:[0-9]+' <<<"$out" | sed 's/.*://' | sort -nu |
    paste -sd ' ')" "$2"
  [ -z "${3-}" ] || has "$1: in words" "$out" "$3"
}

# ---- words that a hook is not shown ----
permits="it is model, tool, exec, agent, agent_tool"
found "permit: no sleep" 2 "'effect.kind' is never 'sleep' in permit: $permits" \
  < <(hook permit effect 'if effect.kind == "sleep" then return ck.deny("x") end')
found "permit: no question, behind an or" 2 "is never 'ask' in permit" \
  < <(hook permit effect 'if effect.kind == "tool" or "ask" == effect.kind then return end')
found "permit: what it is shown" "" < <(hook permit effect \
  'if effect.kind == "agent_tool" or effect.kind == "exec" then return end' \
  'if effect.class == "pure" then return end')
found "in_doubt: nothing that may be repeated" "2 3" "'effect.class' is never 'pure' in in_doubt" \
  < <(hook in_doubt e 'if e.class == "pure" then return "stop" end' \
    'if e.class ~= "idempotent" or e.class == "once" then return "tell" end')
found "tail: no intents" 2 "'event.kind' is never 'intent' in tail" \
  < <(hook tail event 'return event.kind ~= "intent"')
found "redact: no event without content" 2 "'item.kind' is never 'replay' in redact" \
  < <(hook redact item 'if item.kind == "replay" then return ck.drop end' \
    'if item.kind == "boundary" then return ck.drop end')

# ---- keys ----
found "a key of the state by its bare name" 2 \
  "'item.key' is never 'plan': it begins with memory., outputs., scratch., ended." \
  < <(hook redact item 'if item.key == "plan" then return ck.mask end' \
    'if item.key == "memory.plan" or item.key == "options.a" then return ck.mask end')
found "a key that is misspelt" 2 "is never 'memry.x'" \
  < <(hook redact item 'if "memry.x" == item.key then return ck.mask end')
found "of what has changed" "2 3" \
  "'at.since.changed' has no key 'plan': they begin with memory., outputs., scratch." \
  < <(hook checkpoint at 'if at.since.changed.plan then return true end' \
    'if at.since.changed["plan"] then return true end' \
    'return at.since.changed["memory.plan"] or at.since.changed["memory." .. at.scope] or nil')
found "in a loop over them" 3 "'at.since.changed's key' is never 'plan'" \
  < <(hook checkpoint at 'for key in pairs(at.since.changed) do' \
    'if key == "plan" then return true end' 'if key == "memory.plan" then return true end' 'end')
found "a key and the body of an event at once" 2 \
  "is never true here: 'item.kind == \"intent\"' holds since line 2" \
  < <(hook redact item 'if item.kind == "intent" and item.key == "memory.x" then return end' \
    'if item.kind == "intent" or item.key == "memory.x" then return end')
found "behind a return" 3 "is never true here: 'item.key' holds since line 2" \
  < <(hook redact item 'if not item.key then return end' 'if item.agent == "bob" then return end')

# ---- types ----
found "a list and a text" 2 \
  "'effect.untrusted' is a list, and never equal to \"web\": look at each of its elements" \
  < <(hook permit effect 'if effect.untrusted == "web" then return ck.deny "x" end' \
    'if effect.untrusted[1] == "web" or #effect.untrusted == 2 then return ck.deny "x" end')
found "a number and a text, on either side" "2 3" "'at.seq' is a number, and never equal to \"5\"" \
  < <(hook checkpoint at 'if at.seq == "5" then return true end' \
    'if "6" ~= at.since.tokens then return true end' \
    'return at.seq .. "" == "5" or "x" == at.kind .. "y" or at.seq + 1 == 6 or nil')
found "a truth and a text" 2 "'at.is_clean' is true or false, and never equal to \"true\"" \
  < <(hook checkpoint at 'if at.is_clean == "true" then return true end')
found "a text and a number" 2 "'at.node' is a text, and never equal to 3" \
  < <(hook checkpoint at 'return at.node == 3' 'or at.node == nil')
found "an option of another type" "2 3 4 5" "'opt.tools' is a list, and never equal to \"mail\"" \
  < <(hook checkpoint "at, opt" 'if opt.tools == "mail" then return true end' \
    'if opt.n == "3" then return true end' 'if opt.on == "yes" then return true end' \
    'if opt.mode == true then return true end' \
    'if opt.mode == "other" or opt.n == 9 or opt.any == "x" then return true end')

# ---- elements ----
found "a list taken for a table with names" 2 "'opt.tools' is a list: its element \
'effect.tool' is always nil; look at each, with ipairs(opt.tools)" \
  < <(hook permit "effect, at, opt" 'if opt.tools[effect.tool] then return ck.deny "x" end')
found "by a local, a text, and a field of the view" "3 4 5" "its element '\"mail\"' is always nil" \
  < <(hook permit "effect, at, opt" 'local tool = effect.tool' \
    'if opt.tools[tool] then return ck.deny "x" end' \
    'if opt.tools["mail"] then return ck.deny "x" end' \
    'if at.tools[effect.tool] then return ck.deny "x" end' \
    'if opt.tools[1] == tool or opt.tools[#opt.tools] or opt.any[tool] or opt.keys[tool] then end')
found "in a loop, an element of the option" 3 "'opt.tools[i]' is a text, and never equal to 1" \
  < <(hook permit "effect, at, opt" 'for _, tool in ipairs(opt.tools) do' \
    'if tool == 1 then return end' 'if tool == effect.tool then return end' 'end')
found "a table with names taken for a list" "2 3" \
  "'opt.keys' has names for its elements: ipairs goes through none of them; pairs does" \
  < <(hook redact "item, opt" 'for _, key in ipairs(opt.keys) do' \
    'if opt.keys[1] then return end' 'end' 'for key in pairs(opt.keys) do if key == 3 then end end')
found "members of what lies within" "2 3" \
  "'at.tools[i]' has no field 'clas': it has class, id, tool" \
  < <(hook checkpoint at 'if at.tools[1] and at.tools[1].clas == "once" then return true end' \
    'if at.message and at.message.calls and at.message.calls[1].tol then return true end')
found "their words, in a loop" "3 4" "'at.tools[i].class' is never 'onc'" \
  < <(hook checkpoint at 'for _, call in ipairs(at.tools) do' \
    'if call.class == "onc" then return true end' 'if call.name then return true end' \
    'if call.class == "once" and call.tool ~= "a" then return true end' 'end')
found "behind an or, of a local" "4" "'at.calls[i]' has no field 'name'" \
  < <(hook checkpoint at 'for _, call in ipairs(at.calls or {}) do' 'local c = call' \
    'if c.name then return true end' 'end')
found "of a list of checkpoints" "3 5" "'checkpoint.kind' is never 'finl'" \
  < <(hook prune history 'for i, c in ipairs(history) do' 'if c.kind == "finl" then return end' \
    'if c.kind == "final" and history[i].seq > 3 then return end' 'if history[1].knd then end' \
    'end' 'return history.now > 3 and { drop = {} } or nil')
found "of the list itself" 2 "'history' has no field 'count': it has now" \
  < <(hook prune history 'return history.count and { drop = {} } or nil')
found "of the models of a resume" 3 "'session.models[i]' has no field 'model'" \
  < <(hook resume session 'for _, use in pairs(session.models) do' 'if use.model then return end' \
    'if use.was ~= use.now then return end' 'end')

# ---- names that get other values are not theirs ----
found "a local that is given another value" "" < <(hook checkpoint "at, opt" \
  'local node = at.node' \
  'for _ = 1, 2 do' 'if node == 3 then return true end' 'node = 3' 'end' \
  'local tools = opt.tools' 'if opt.on then tools = { mail = true } end' \
  'return tools["mail"] and node == 3 or nil')
found "other tables of such names" "" < <(hook checkpoint "at" \
  'local inner = { tools = { { clas = "x" } }, since = { changed = {} } }' \
  'for _, at in ipairs { inner } do' \
  'if at.tools[1].clas == "x" or at.since.changed.plan or at.seq == "5" then return "a" end' 'end')
finish
