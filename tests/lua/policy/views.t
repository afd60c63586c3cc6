#!/bin/bash
# views.t - every field of every view that policies/README.md documents is there in a live call: of
# the type that it says, never nil unless it says so, and seen at least once. The fields come from
# the document, so a new one must be shown to a policy by what these sessions do.
. "$(dirname "$0")/../../host/tap.sh"
. "$(dirname "$0")/../../host/served.sh"
guide=$root/policies/README.md

# The document's tables as a module: { ["at.since"] = { { "ms", "integer", false }, … }, … }; true:
# may be nil.
perl -ne '
  BEGIN { print "return {\n" } END { print "}\n" }
  if (/^<!-- generated: ([a-z]\w*(\.\w+)*) -->/ && $1 !~ /^hooks/) {
    print "[\"$1\"] = {\n";
    $in = 1;
  } elsif (/^<!-- end -->/ && $in) { print "},\n"; $in = 0 }
  elsif ($in && /^\| `(\w+)` \| (\w+)( or nil)? \|/) {
    printf qq(  { "%s", "%s", %s },\n), $1, $2, $3 ? "true" : "false" }' "$guide" >fields.lua
documented=$(grep -cE '^  \{' fields.lua)
ok "the document has views and fields" test "$documented" -ge 90

cat >views.lua <<'END'
local fields = require "./fields"
local told = {}
local function tell(line)
  if told[line] then return end
  told[line] = true
  print(line)
end

local is = {
  text = function(v) return type(v) == "string" end,
  number = function(v) return type(v) == "number" end,
  integer = function(v) return math.type(v) == "integer" end,
  boolean = function(v) return type(v) == "boolean" end,
  table = function(v) return type(v) == "table" or type(v) == "userdata" end,
  JSON = function(v) return v ~= nil end,
}

local function find(path, view)
  if path == "" then return view end
  local name, rest = ck.match(path, "^\\.(\\w+)(.*)$")
  local below = view[name]
  if below ~= nil and rest == "" and type(below) == "table" and below[1] ~= nil then
    return below[1]
  end
  return below ~= nil and find(rest, below) or nil
end

local function look(root, view, where)
  for path, list in pairs(fields) do
    local rest = path == root and "" or
      (path:sub(1, #root + 1) == root .. "." and path:sub(#root + 1) or nil)
    local inner = rest and find(rest, view)
    for _, field in ipairs(inner ~= nil and list or {}) do
      local name, kind, may_be_nil = field[1], field[2], field[3]
      local value = inner[name]
      if value == nil and not may_be_nil then
        tell("wrong " .. path .. "." .. name .. " is nil in " .. where)
      elseif value ~= nil and not is[kind](value) then
        tell("wrong " .. path .. "." .. name .. " is a " .. type(value) .. " in " .. where)
      elseif value ~= nil then
        tell("seen " .. path .. "." .. name)
      end
    end
  end
end

local function word(hook, field, value)
  if value then tell(("word %s %s %s"):format(hook, field, value)) end
end

local function place(at)
  return ("%s|%d|%s|%s|%s|%s|%s"):format(tostring(at.kind), at.seq, at.scope, tostring(at.node),
    tostring(at.agent), tostring(at.next.node), tostring(at.next.tool))
end

return {
  name = "views", version = 1,
  checkpoint = function(at)
    look("at", at, "checkpoint")
    if at.message then tell("text " .. tostring(at.message.text)) end
    tell("at " .. place(at))
    tell("since " .. at.seq .. " " .. at.since.events .. " " .. at.since.boundaries)
    return true
  end,
  prune = function(history)
    for _, checkpoint in ipairs(history) do look("checkpoint", checkpoint, "prune") end
  end,
  redact = function(item)
    look("item", item, item.key and "redact of a key" or "redact")
    word("redact", "kind", item.kind)
    word("redact", "key", item.key)
  end,
  resume = function(session, checkpoint)
    look("session", session, "resume")
    if checkpoint then look("checkpoint", checkpoint, "resume") end
  end,
  tail = function(event, agent)
    look("event", event, "tail")
    tell("tail of " .. agent)
    word("tail", "kind", event.kind)
  end,
  on_failure = function(failure)
    look("failure", failure, "on_failure")
    word("on_failure", "status", failure.status)
  end,
  in_doubt = function(effect)
    look("effect", effect, "in_doubt")
    word("in_doubt", "class", effect.class)
    return "tell"
  end,
  permit = function(effect, at)
    look("effect", effect, "permit")
    word("permit", "kind", effect.kind)
    look("at", at, "permit")
  end,
}
END

cat >work.lua <<'END'
local flow = require "ck.flow"
return flow.graph {
  name = "work", start = "plan",
  nodes = {
    plan = function(ctx) ctx.memory.topic = "kettles" end,
    build = flow.exec {
      argv = { "sh", "-c", "[ -e built ] || { touch built; exit 7; }" }, class = "idempotent",
      retry = { times = 2, backoff_ms = 1 },
    },
    shop = flow.agent {
      name = "ann", prompt = "Buy.", input = "A kettle.",
      tools = {
        look = flow.command { argv = { "rm", "-f", "gone" }, class = "pure" },
        send = flow.command { argv = { "echo", "sent" } },
        gone = flow.command { argv = { "./gone" }, class = "pure" },
      },
    },
    hold = function(ctx) ctx.pause("a person looks") end,
    deadly = flow.exec { argv = { "sh", "-c", "[ -e died ] || { touch died; kill -9 $PPID; }" } },
  },
  edges = { plan = "build", build = "shop", shop = "hold", hold = "deadly", deadly = flow.done },
}
END
call() { echo "{\"name\":\"$1\",\"arguments\":{\"n\":$2}}"; }
serve shop <<END
{"turn":0,"answer":{"calls":[$(call look 1)]},"times":0}
{"turn":1,"answer":{"calls":[$(call look 2),$(call send 3)]},"times":0}
{"turn":2,"answer":{"calls":[$(call gone 4)]},"times":0}
{"turn":3,"answer":{"text":"Bought."},"times":0}
END
url=$(base_url openai)
serve away <<'END'
{"status":429,"headers":{"retry-after":"3600"},"body":"x"}
END
away=$(base_url openai)
for name in url away; do
  cat >"$name.profile.lua" <<END
return { name = "$name", extends = "graph", policies = { "./views.lua" }, prune_every_n_nodes = 2,
  secrets = { main = "env:MODEL_KEY" }, constraints = { budget_usd = 1 },
  models = { default = { api = "openai", base_url = "${!name}", key = "main", model = "mine",
    retries = 0, stream = false, max_tokens = 100, price = { input = 3, output = 15 } } } }
END
done

# ---- a life with everything in it ----

: >told
# life CODE NAME ARGUMENTS…: what the policy prints is added to told.
life() {
  printf '#!/bin/sh\n' >gone
  chmod +x gone
  exits "$@"
  sed -n 's/^ckrun: [^ ]*views.lua:6: //p' <<<"$err" >>told
}
life 8 "it runs to the pause" run work.lua --profile ./url.profile.lua --session work
life 137 "goes on, and dies in a program" resume work
life 1 "goes on, is told, and fails" resume work
life 0 "its tail is read" sessions tail work ann
cat >chat.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "solo", prompt = "You look." }
END
sed -n 's/^at //p' told >places
# A recording that does not fit: a call of a tool cannot be carried out.
cat >other.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "other", tools = { look = "pure" }, run = function(ctx)
  return ctx.effect { kind = "tool", class = "pure",
    request = { name = "look", arguments = { n = 2 } } }.status
end }
END
cat >other.jsonl <<'END'
{"cassette":1}
{"scope":"main","kind":"tool","request":{"name":"look","arguments":{"n":1}},"result":1}
END
life 1 "a call of a tool fails" run other.lua --profile ./url.profile.lua --cassette other.jsonl \
  --session other
life 8 "a model is away" run chat.lua --profile ./away.profile.lua --session away --input '"Hi"'

is "a message's text is not shown without message_text" "$(grep '^text' told | sort -u)" \
  "text nil"
sed 's/return { name = "url"/return { name = "text", message_text = true/' \
  url.profile.lua >text.profile.lua
rm -f built died
printf '#!/bin/sh\n' >gone
chmod +x gone
exits 8 "with it" run work.lua --profile ./text.profile.lua --session text
is "it is, also an empty one" "$(sed -n 's/^ckrun: .*views.lua:6: \(text .*\)$/<\1>/p' <<<"$err")" \
  "<text >"

is "no field is of another type, or nil where the document does not say so" \
  "$(grep '^wrong' told)" ""
perl -ne '$view = $1 if /^\["(.*)"\]/; print "$view.$1\n" if /^  \{ "(\w+)"/' fields.lua |
  sort >documented
unseen=$(comm -23 documented <(sed -n 's/^seen //p' told | sort -u))
is "every documented field is there in a live call" "$unseen" ""

# ---- policy check takes each word that a hook was shown for one that it can be shown ----

sed -n 's/^word \([a-z_]*\) \([a-z]*\) \(.*\)/  if of.\2 == "\3" then return nil end  -- \1/p' \
  told | sort -u >seen
{
  echo 'return { name = "words", version = 1,'
  for hook in $(sed 's/.*-- //' seen | sort -u); do
    printf '%s\n' "$hook = function(of)" "$(grep -- "-- $hook\$" seen)" "end,"
  done
  echo '}'
} >words.lua
exits 0 "words that were shown live are no problem" policy check ./words.lua
ok "they are many, of five hooks" test "$(wc -l <seen)" -ge 15 -a "$(grep -c 'function' \
  words.lua)" = 5

# ---- what it says, against the transcript ----

"$CKRUN" --json sessions log work --all --kind boundary >boundaries
perl -MJSON::PP -e '
  my %always = map { $_ => 1 } qw(user_checkpoint pause failure edit final);
  open my $log, "<", "boundaries" or die;
  while (<$log>) {
    my $e = JSON::PP->new->decode($_);
    my $b = $e->{body};
    next if $always{$b->{kind}};
    my @of = ($b->{kind}, $e->{seq}, $e->{scope}, $b->{node}, $e->{agent}, $b->{next}{node},
      $b->{next}{tool});
    print join("|", map { $_ // "nil" } @of), "\n";
  }' | sort >want
grep -vE '^(user_checkpoint|pause|failure|edit|final)\|' places | sort -u >got
is "each boundary is the one of the transcript" "$(diff want got)" ""
ok "they are many" test "$(wc -l <want)" -ge 12
finish
