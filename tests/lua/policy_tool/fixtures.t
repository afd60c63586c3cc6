#!/bin/bash
# fixtures.t - what a test gives to a hook is what a live call can have: another field, a value of
# another type, a word that the field or the hook never has is refused, with field, value and what
# is possible, at the test's line; all that a view documents is taken.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

{
  echo 'return { name = "all", version = 1,'
  for hook in checkpoint prune redact resume tail on_failure in_doubt permit; do
    echo "  $hook = function() end,"
  done
  echo '}'
} >all.lua
# asks CALL: a test with the call, on line 3.
asks() {
  printf '%s\n' 'local test = require "ck.test"' 'local all = test.policy "./all.lua"' \
    "return { test_it = function() $1 end }" >all_test.lua
}
refuses() {
  asks "$1"
  exits 1 "refused: $1" policy test all.lua
  has "in words" "$out" "all_test.lua:3: $2"
}
takes() {
  asks "$1"
  exits 0 "taken: $1" policy test all.lua
}
refuses 'all.permit { kind = "sleep" }' \
  'effect.kind: it is never "sleep" in permit: it is model, tool, exec, agent, agent_tool'
refuses 'all.permit({}, { kind = "tool_round" })' 'at.kind: it is nil in permit, between boundaries'
refuses 'all.permit { untrusted = "web" }' 'effect.untrusted: a list is expected, not "web"'
refuses 'all.permit { untrusted = { "web", 3 } }' 'effect.untrusted[2]: a text is expected, not 3'
refuses 'all.permit { kind = "exec", tool = "x" }' \
  'effect.tool: it is nil where effect.kind is "exec"'
takes 'all.permit({ kind = "agent_tool", tool = "x", untrusted = { "web" } },
  { next = { tool = "x" } })'
refuses 'all.permit { toll = "rm" }' "effect has no field 'toll': it has agent, arguments, attempt,"
refuses 'all.in_doubt { class = "pure" }' \
  'effect.class: it is never "pure" in in_doubt: it is reconcilable, once'
takes 'all.in_doubt { class = "reconcilable", arguments = { 1 } }'
refuses 'all.tail({ kind = "intent" }, "ann")' 'event.kind: it is never "intent" in tail: it is'
refuses 'all.tail({ kind = "nite" }, "ann")' 'event.kind: it is never "nite": it is'
refuses 'all.redact { key = "plan" }' \
  'item.key: it is never "plan": it begins with memory., outputs., scratch., ended.'
refuses 'all.redact { kind = "replay" }' 'item.kind: it is never "replay" in redact'
refuses 'all.redact { key = "memory.x", kind = "message" }' \
  'item.key: it is nil where item.kind is not'
takes 'all.redact { key = "outputs.x", value = 4 } all.redact { kind = "note", agent = "a" }'
refuses 'all.checkpoint { kind = "tool_rond" }' \
  'at.kind: it is never "tool_rond": it is node_start,'
refuses 'all.checkpoint { tools = { { clas = "once" } } }' \
  "at.tools[1] has no field 'clas': it has"
refuses 'all.checkpoint { tools = { { tool = "x", class = "onc" } } }' \
  'at.tools[1].class: it is never "onc": it is pure, idempotent, reconcilable, once'
refuses 'all.checkpoint { message = { calls = { { tool = 3 } } } }' \
  'at.message.calls[1].tool: a text is expected, not 3'
refuses 'all.checkpoint { since = { changed = { plan = true } } }' \
  'at.since.changed: it has no key "plan": they begin with memory., outputs., scratch.'
refuses 'all.checkpoint { since = { tokens = -1 } }' 'at.since.tokens: it is never -1: it is from 0'
refuses 'all.checkpoint { seq = 1.5 }' 'at.seq: a whole number is expected, not 1.5'
refuses 'all.checkpoint { is_clean = "yes" }' 'at.is_clean: true or false is expected, not "yes"'
refuses 'all.checkpoint { next = { class = "twice" } }' 'at.next.class: it is never "twice"'
takes 'all.checkpoint { since = { changed = { ["memory.x"] = true }, ms = 2.0 },
  message = { role = "user", length = 3, text = "abc" }, calls = ck.null, random = 0.5 }'
refuses 'all.on_failure { status = "CK_E_NOPE" }' 'failure.status: it is never "CK_E_NOPE"'
refuses 'all.on_failure { try = 0 }' 'failure.try: it is never 0: it is from 1'
refuses 'all.resume { models = { { model = "x" } } }' "session.models[1] has no field 'model'"
refuses 'all.resume({ status = "pausd" })' 'session.status: it is never "pausd": it is running,'
refuses 'all.resume({}, { kind = "finl" })' 'checkpoint.kind: it is never "finl"'
takes 'all.resume({ utc_offset_s = -3600, host = { now = "a" }, models = {} }, { seq = 4 })'
refuses 'all.prune(test.history(3, { knd = "x" }))' "checkpoint has no field 'knd'"
refuses 'all.prune(test.history(3, {}, { [2] = { kind = "finl" } }))' 'checkpoint.kind: it is never'
takes 'all.prune(test.history(3, { reasons = { "a" }, age_ms = 4 }))'
takes 'all.on_failure() all.in_doubt() all.permit() all.checkpoint() all.resume()'

# ---- every field that the annotations have, with a value of its type ----
perl -ne '
  if (/^---\@alias (ck\.\w+)/) { $alias = $1 }
  elsif ($alias && /^---\| "(\w+)"/) { $words{$alias} = $1 }
  elsif (/^---\@class (ck\.\w+)/) { $class = $1 }
  elsif ($class && /^---\@field (\w+) (\S+)/) { push @{$fields{$class}}, [$1, $2] }
  sub value {
    my ($type) = @_;
    $type =~ s/\|nil$//;
    return "{ " . value($1) . " }" if $type =~ /^(.*)\[\]$/;
    return "\"$words{$type}\"" if $words{$type};
    return "{ [\"memory.x\"] = true }" if $type =~ /^table</;
    return "{ " . join(", ", map { "$_->[0] = " . value($_->[1]) } @{$fields{$type}}) . " }"
      if $fields{$type};
    return {integer => 7, number => 0.5, boolean => "true", string => "\"x\"", table => "{}",
      "ck.ItemKey" => "\"memory.x\"", "ck.Json" => "{ 1 }"}->{$type} // die "no value for $type";
  }
  END {
    print "return {";
    for (["checkpoint", "ck.Boundary"], ["resume", "ck.Session"], ["on_failure", "ck.Failure"],
         ["tail", "ck.Event"]) {
      my ($hook, $class) = @$_;
      print " $hook = { ", join(", ", map { "$_->[0] = " . value($_->[1]) } @{$fields{$class}}),
        " },";
      $count += @{$fields{$class}};
    }
    print " count = $count }\n" }' <"$root/lua/ck/meta.lua" >whole.lua
printf '%s\n' 'local test = require "ck.test"' 'local all = test.policy "./all.lua"' \
  'local whole = require "./whole"' 'return { test_it = function() test.ok(whole.count > 50)' \
  'all.checkpoint(whole.checkpoint) all.resume(whole.resume) all.on_failure(whole.on_failure)' \
  'all.tail(whole.tail, "ann") end }' >all_test.lua
exits 0 "every documented field is taken" policy test all.lua
finish
