#!/bin/bash
# clean.t - a checkpoint is clean when nothing was tried again and nothing failed before it since
# the session began, along its lineage; what goes by that: lists, --clean, policies.
. "$(dirname "$0")/../tap.sh"

# cleanness SESSION: "NODE:clean" or "NODE:no" of each checkpoint in the live view.
cleanness() {
  "$CKRUN" --json sessions checkpoints "$1" | perl -MJSON::PP -ne '
    $d = decode_json($_);
    next if $d->{abandoned};
    push @list, ($d->{info}{node} // $d->{kind}) . ($d->{clean} ? ":clean" : ":no");
    END { print "@list" }'
}
id_of() { # SESSION NTH
  "$CKRUN" sessions checkpoints "$1" | sed -n "$2p" | cut -f2
}
metrics() { # SESSION [CHECKPOINT]
  json "$("$CKRUN" --json sessions inspect "$1" ${2:+--checkpoint "$2"})" \
    '"$d->{metrics_snapshot}{total_retries} @{$d->{metrics_snapshot}{nodes_with_failures}}"'
}
profile() {
  echo "return { name = '$1', extends = 'default', policies = { $2 } }" >"$dir/$1.lua"
}
profile starts '{ "every_boundary", on_node_complete = false }'

# ---- a node that is tried again: nothing behind it is clean, however far ----
cat >"$dir/line.lua" <<'LUA'
local flow = require "ck.flow"
local function fine(ctx) ctx.memory.n = (ctx.memory.n or 0) + 1 end
return flow.graph {
  name = "line", start = "a",
  nodes = {
    a = fine, c = fine, e = fine,
    b = flow.exec { argv = { "sh", "-c", "test -e mended || { touch mended; exit 1; }" },
      class = "pure", retry = { times = 2, backoff_ms = 0 } },
    d = flow.lua(function(ctx) ctx.pause("halfway") end),
  },
  edges = { a = "b", b = "c", c = "d", d = "e", e = flow.done },
}
LUA
mkdir "$dir/work"
cd "$dir/work" || exit 1
exits 8 "a graph with a node that is tried twice" run "$dir/line.lua" --session line \
  --profile "$dir/starts.lua"
is "the checkpoints before it are clean, all later ones are not" "$(cleanness line)" \
  "a:clean b:clean b:no c:no d:no d:no"
is "the list can be of the clean ones" \
  "$("$CKRUN" sessions checkpoints line --clean | wc -l)" 2
is "the retry and the node are counted" "$(metrics line)" "1 b"
is "but not before they happened" "$(metrics line "$(id_of line 2)")" "0 "
exits 0 "the latest clean one" --json resume line --clean --dry-run
is "lies before the retry" "$(json "$out" '$d->{checkpoint}{id}')" "$(id_of line 2)"
exits 0 "a fork of one before the retry" sessions fork line --checkpoint "$(id_of line 2)" \
  --session early
is "is clean" "$(cleanness early)" "a:clean b:clean b:clean"
exits 0 "a fork of one behind it" sessions fork line --checkpoint "$(id_of line 4)" --session late
is "is not" "$(cleanness late | sed 's/.* //')" "c:no"
is "and knows why" "$(metrics late)" "1 b"
exits 0 "a resume" resume line
is "stays unclean to the end" "$(cleanness line)" \
  "a:clean b:clean b:no c:no d:no d:no e:no e:no"
is "with the same totals" "$(metrics line)" "1 b"

# ---- a prune of the unclean ones, where some are and some are not ----
# Of those that are not clean, the fork "late" needs the 4th, the resume the 6th, the session the
# last.
exits 0 "a prune by hand, dry" --json sessions prune line --unclean --dry-run
is "would drop the other three" "$(json "$out" '$d->{dropped}')" 3
is "and drops none" "$(cleanness line | wc -w)" 8
goes=$(for n in 3 5 7; do id_of line $n; done)
is "they are the 3rd, the 5th and the 7th" "$(json "$out" 'join "\n", @{$d->{ids}}')" "$goes"
exits 0 "of those older than an hour, too" --json sessions prune line --unclean --older-than 1h
is "there are none" "$(json "$out" '$d->{dropped}')" 0
exits 0 "but for the latest four" --json sessions prune line --unclean --keep 4 --dry-run
is "one goes" "$(json "$out" 'join "\n", @{$d->{ids}}')" "$(id_of line 3)"
exits 0 "without more words" sessions prune line --unclean
is "the clean ones stay, and those that are needed" "$(cleanness line)" \
  "a:clean b:clean c:no d:no e:no"
exits 0 "another time" --json sessions prune line --unclean
is "drops no more" "$(json "$out" '$d->{dropped}')" 0

# ---- the policies see it, too ----
cat >"$dir/see.lua" <<'LUA'
return { name = "see", version = 1,
  checkpoint = function(at) return at.is_clean and "clean" or "unclean" end }
LUA
profile seen "'$dir/see.lua'"
rm mended
exits 8 "a policy that looks" run "$dir/line.lua" --session seen --profile "$dir/seen.lua"
is "sees what the checkpoints say" \
  "$("$CKRUN" sessions checkpoints seen | cut -f7,11 | tr '\t\n' ' ;')" \
  "$(printf 'yes see: clean;%.0s' 1 2 3 4)$(printf 'no see: unclean;%.0s' 1 2 3 4 5 6 7 8)"
profile kept '{ "every_boundary", on_node_complete = false }, "keep_clean"'
rm mended
exits 8 "keep_clean" run "$dir/line.lua" --session kept --profile "$dir/kept.lua"
is "keeps what is clean, and the newest" "$(cleanness kept)" "a:clean b:clean d:no"

# ---- a failure, a resume behind it, one before it ----
cat >"$dir/fails.lua" <<'LUA'
local flow = require "ck.flow"
local function fine() return 1 end
return flow.graph {
  name = "fails", start = "a",
  nodes = {
    a = fine, c = fine,
    b = flow.lua(function(ctx) if not ctx.memory.fixed then error("not yet") end end),
  },
  edges = { a = "b", b = "c", c = flow.done },
}
LUA
exits 1 "a graph that fails" run "$dir/fails.lua" --session fails --profile "$dir/starts.lua"
is "at an unclean checkpoint" "$(cleanness fails)" "a:clean b:clean b:no"
exits 0 "a fork of the failure" sessions fork fails --session behind
exits 0 "that goes on" resume behind --set fixed=true
is "is never clean again" "$(cleanness behind)" "a:clean b:clean b:no b:no b:no c:no c:no"
is "for the node that failed" "$(metrics behind)" "0 b"
exits 0 "from the clean one" resume fails --clean --set fixed=true
is "the failure is not in its past" "$(cleanness fails)" "a:clean b:clean b:clean c:clean c:clean"
is "nor in its totals" "$(metrics fails)" "0 "

# ---- back to before a retry: what is left behind does not count, over a crash neither ----
cat >"$dir/back.lua" <<'LUA'
local flow = require "ck.flow"
local function die_once(ctx)
  ctx.effect { kind = "exec", class = "pure", request = { argv = { "sh", "-c",
    "test ! -e armed || { rm armed; kill -9 $PPID; sleep 5; }" } } }
end
return flow.graph {
  name = "back", start = "a",
  nodes = {
    a = function() return 1 end,
    b = flow.exec { argv = { "sh", "-c", "test -e whole || { touch whole; exit 1; }" },
      class = "idempotent", retry = { times = 2, backoff_ms = 0 } },
    c = flow.lua(function(ctx) if not ctx.memory.on then ctx.pause("look") end die_once(ctx) end),
  },
  edges = { a = "b", b = "c", c = flow.done },
}
LUA
exits 8 "a retry, then a pause" run "$dir/back.lua" --session back --profile "$dir/starts.lua"
is "the retry is counted" "$(cleanness back) $(metrics back)" "a:clean b:clean b:no c:no c:no 1 b"
exits 0 "back to before it, where all goes well" resume back --clean --set on=true
is "it is not in the past any more" "$(cleanness back)" \
  "a:clean b:clean b:clean c:clean c:clean"
is "nor in the totals" "$(metrics back)" "0 "
rm whole
exits 8 "the same again" run "$dir/back.lua" --session again --profile "$dir/starts.lua"
touch armed
exits 137 "back, and a crash behind b" resume again --clean --set on=true
exits 0 "a resume of that" resume again
is "tried again is what was lost, alone" "$(metrics again)" "1 "

# ---- a pause is none, and what it interrupted before it began is not tried again ----
cat >"$dir/quiet.lua" <<'LUA'
local flow = require "ck.flow"
return flow.graph {
  name = "quiet", start = "a",
  nodes = {
    a = flow.lua(function(ctx) ctx.pause("first") ; ctx.memory.a = 1 end),
    b = flow.ask { question = "Go on?", writes = "go" },
    c = flow.exec { argv = { "true" }, class = "pure" },
  },
  edges = { a = "b", b = "c", c = flow.done },
}
LUA
exits 8 "a pause" run "$dir/quiet.lua" --session quiet --profile "$dir/starts.lua"
exits 8 "a resume that comes to a question" resume quiet
exits 0 "its answer" answer quiet yes
run resume quiet
is "all of it is clean" "$(cleanness quiet | tr ' ' '\n' | grep -c ':no')" 0
is "and nothing was tried again" "$(metrics quiet)" "0 "

# ---- a program that ends badly has failed, whatever its flow makes of it ----
cat >"$dir/probe.lua" <<'LUA'
local flow = require "ck.flow"
local function program(ctx, script)
  return ctx.effect { kind = "exec", class = "pure",
    request = { argv = { "sh", "-c", script } } }.status
end
return flow.custom { name = "probe", run = function(ctx)
  if not ctx.position then
    ctx.boundary("node_start", { node = "look", position = { path = "look" } })
  end
  if not ctx.position or ctx.position.path == "look" then
    ctx.memory.found = program(ctx, "exit 1") == "ok"
    program(ctx, "test -e died || { touch died; kill -9 $PPID; sleep 5; }")
    ctx.boundary("node_start", { node = "rest", position = { path = "rest" } })
  end
end }
LUA
touch died
exits 0 "a flow whose program ends badly" run "$dir/probe.lua" --session probe \
  --profile "$dir/starts.lua"
is "is not clean behind it" "$(cleanness probe)" "look:clean rest:no rest:no"
is "though nothing was tried again, and no node has failed" "$(metrics probe)" "0 "
rm died
exits 137 "one that dies behind it" run "$dir/probe.lua" --session gone --profile "$dir/starts.lua"
exits 0 "goes on with what the program had said" resume gone
is "which is no more clean" "$(cleanness gone)" "look:clean rest:no rest:no"
is "what was tried again is what it died of" "$(metrics gone)" "1 "

# ---- a model that was busy once, a tool whose error the model is told ----
. "$root/tests/host/served.sh"
serve busy <<'END'
{"answer":{"calls":[{"name":"bad","arguments":{}}],"usage":{"input":1,"output":1}}}
{"status":503,"headers":{"Retry-After":"0"},"body":"oh","times":1}
{"answer":{"text":"done","usage":{"input":1,"output":1}}}
END
cat >busy.lua <<END
return { name = "busy", extends = "default", secrets = { main = "env:MODEL_KEY" },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m",
    key = "main", price = { input = 3, output = 15 } } } }
END
cat >asks.lua <<'END'
local flow = require "ck.flow"
return flow.agent { name = "w", prompt = "W", tools = { bad = flow.tool(
  function() error("boom") end, { description = "d", parameters = { type = "object" } }) } }
END
exits 0 "a run with both" run asks.lua --input '"x"' --session busy --profile ./busy.lua
is "the request was sent again" "$(requests busy)" 3
is "within one call, so the log says" "$("$CKRUN" --json sessions log busy --kind update |
  perl -MJSON::PP -ne 'print decode_json($_)->{body}{update}{retry}')" 1
is "no effect was tried again and none has failed" \
  "$(cleanness busy | tr ' ' '\n' | grep -c ':no') $(metrics busy)" "0 0 "
finish
