/* test_policy.c - policies answer what they mean, fail closed, see one boundary at a time and never
 * each other. */
/* link: -Wl,--wrap=ck_vm_new */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy/policy.h"
#include "lua/profile/profile.h"
#include "tests/lua/still_vm.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

enum { TIMED = 100000, MIXED = 10000 };

static const ck_boundary tool_round = {.kind = CK_BOUNDARY_TOOL_ROUND,
                                       .scope = "main",
                                       .node = "n",
                                       .agent = "a",
                                       .depth = 1,
                                       .seq = 7,
                                       .now_ms = 1000,
                                       .random = UINT64_C(1) << 52,
                                       .node_latency_ms = 40,
                                       .since = {5, 6, 2500000, 8, 9, 10, 11},
                                       .next = {"m", "send", true, CK_EFFECT_ONCE},
                                       .budget = {800000, 1000000},
                                       .clean = true,
                                       .checkpoint_cost_us = 1500,
                                       .last_error = "late"};
static const ck_boundary bare = {
    .kind = CK_BOUNDARY_NODE_START, .scope = "main", .budget = {0, -1}};

static ck_status decide(ck_decision *out, const ck_policy_engine *engine, const ck_boundary *at,
                        ck_error *err) {
  return engine->checkpoint(out, engine->self, at, err);
}

/* ---- the shipped default ---- */

static void test_default(void) {
  ck_profile *profile;
  ck_policy_engine engine;
  ck_decision decision;
  ck_value *described;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_load(&profile, "default", &err) == CK_OK, "the default profile loads");
  tap_must(ck_policy_engine_open(&engine, profile, &err) == CK_OK, "its policies load: %s",
           err.text);
  ck_profile_free(profile);
  tap_is_status(decide(&decision, &engine, &tool_round, &err), CK_OK, &err,
                "it decides at a tool round");
  tap_ok(decision.take && !decision.sync, "with an async checkpoint");
  tap_is_bytes(
      ck_value_bytes(decision.reasons),
      ck_bytes_text("[{\"policy\":\"tool_rounds\",\"version\":1,\"reason\":\"tool round\"}]"),
      "and its reason");
  ck_decision_clear(&decision);
  tap_is_status(decide(&decision, &engine, &bare, &err), CK_OK, &err, "it decides elsewhere");
  tap_ok(!decision.take && !decision.reasons, "with no opinion");
  tap_ok(!engine.prune && !engine.redact && !engine.resume && !engine.tail && !engine.on_failure &&
             !engine.in_doubt && !engine.migrate,
         "hooks without a policy are absent");
  tap_is_status(ck_policy_describe(&described, &engine, true, &err), CK_OK, &err,
                "it can be described");
  tap_ok(strstr(ck_value_bytes(described).data,
                "[{\"name\":\"tool_rounds\",\"version\":1,\"digest\":\"") != NULL,
         "by name, version and digest: %s", ck_value_bytes(described).data);
  ck_value_free(described);
  int64_t began = vm_script_cpu_us();
  for (int i = 0; i < TIMED; i++) {
    if (decide(&decision, &engine, i % 2 ? &tool_round : &bare, &err) != CK_OK) break;
    ck_decision_clear(&decision);
  }
  tap_diag("a checkpoint decision takes %.2f us", (double)(vm_script_cpu_us() - began) / TIMED);
  engine.free(engine.self);
}

/* ---- what `at` shows ---- */

static void check_view(const char *condition, const ck_boundary *at) {
  ck_buffer text = {0};
  ck_buffer_append_format(
      &text, "return { name = 'v', version = 1, checkpoint = function(at) return %s end }",
      condition);
  ck_policy_engine engine = vm_script_engine(text.data);
  ck_decision decision;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(decide(&decision, &engine, at, &err), CK_OK, &err, "a view is read");
  tap_ok(decision.take && !decision.sync, "%s", condition);
  ck_decision_clear(&decision);
  engine.free(engine.self);
  ck_buffer_clear(&text);
}

static void test_view(void) {
  check_view(
      "at.kind == 'tool_round' and at.scope == 'main' and at.node == 'n' and at.agent == 'a'",
      &tool_round);
  check_view("at.depth == 1 and at.seq == 7 and at.now == 1000 and at.latency_ms == 40",
             &tool_round);
  check_view("at.random == 0.5 and at.is_clean == true and at.checkpoint_cost_ms == 1.5 and "
             "at.last_error == 'late'",
             &tool_round);
  check_view("at.since.ms == 5 and at.since.events == 6 and at.since.cost_usd == 2.5 and "
             "at.since.tokens == 8",
             &tool_round);
  check_view("at.since.tool_calls == 11", &tool_round);
  check_view("at.since.changed_keys == 9 and at.since.changed_bytes == 10", &tool_round);
  check_view("at.next.node == 'm' and at.next.tool == 'send' and at.next.class == 'once'",
             &tool_round);
  check_view("at.budget.spent == 0.8 and at.budget.limit == 1 and at.budget.approaching == true",
             &tool_round);
  check_view("at.budget.left > 0.199999 and at.budget.left < 0.200001", &tool_round);
  check_view("at.node == nil and at.agent == nil and at.last_error == nil and at.next.class == nil",
             &bare);
  check_view("at.budget.limit == nil and at.budget.left == nil and at.budget.approaching == false",
             &bare);
}

/* ---- failing closed ---- */

typedef struct {
  const char *name;
  const char *body; /* of checkpoint(at, opt), at the file's line 2 */
  const char *want; /* part of the error */
} failure;

static const failure failures[] = {
    {"loops", "while true do end", "policy \"p\", checkpoint: "},
    {"loops inside pcall", "while true do pcall(function() while true do end end) end",
     "the budget of 1000000 instructions"},
    {"recurses", "local function f() return 1 + f() end return f()", ":2: "},
    {"takes all memory", "local t = {} while true do t[#t + 1] = {} end", "is spent"},
    {"raises", "error('no')", ":2: no"},
    {"raises nil", "error(nil)", ":2: the error value is a nil, not a text"},
    {"raises a table", "error({})", "the error value is a table"},
    {"has a slip", "return at.knd", "at has no field 'knd' (did you mean 'kind'?)"},
    {"has a slip below", "return at.budget.limt",
     "at.budget has no field 'limt' (did you mean 'limit'?)"},
    {"reads with a number", "return at[1]", "at has no field"},
    {"writes to at", "at.kind = 'final'", "the view 'at' is read-only"},
    {"writes below at", "at.since.ms = 0", "the view 'at.since' is read-only"},
    {"walks at", "for k in pairs(at) do end", "table expected, got view"},
    {"writes to its options", "opt.a = 2", "the table is read-only"},
    {"writes below its options", "opt.list[1] = 2", "the table is read-only"},
    {"inserts into its options", "table.insert(opt.list, 1)",
     "table expected, got read-only table"},
    {"keeps state in a global", "calls = 1", "attempt to set global 'calls'"},
    {"opens a file", "io.open('/etc/passwd')", "undefined global 'io'"},
    {"answers a number", "return 1",
     "p1.lua:1: the answer: nil, true, a reason or a table expected, got a number"},
    {"answers a function", "return error", "expected, got a function"},
    {"answers at", "return at", "expected, got a userdata"},
    {"answers its options", "return opt", "a reason or a table expected, got a table"},
    {"answers an empty reason", "return ''", "the answer: 1 to 256 bytes expected, got 0"},
    {"answers a novel", "return ('x'):rep(257)", "expected, got 257"},
    {"answers a megabyte", "return ('x'):rep(1000000)", "expected, got 1000000"},
    {"answers with an escape sequence", "return '\\27[2J'", "got a control character at byte "},
    {"answers with a newline", "return 'a\\nb'", "got a control character at byte "},
    {"answers with C1 controls", "return '\\u{9B}2J'", "got a control character at byte "},
    {"answers with NUL", "return 'a\\0'", "got a control character at byte "},
    {"answers broken text", "return '\\xff'", "UTF-8 expected"},
    {"answers an unknown key", "return { reson = 'x' }",
     "unknown key 'reson' (did you mean 'reason'?)"},
    {"answers an unknown durability", "return { durability = 'snyc' }",
     "durability: \"async\" or \"sync\" expected, got 'snyc' (did you mean 'sync'?)"},
    {"answers a durability that is no text", "return { durability = {} }",
     "durability: \"async\" or \"sync\" expected, got a table"},
    {"answers a reason that is no text", "return { reason = 0/0 }",
     "reason: a text expected, got a number"},
    {"answers a list", "return { 'x' }", "a key that is no name"},
    {"answers a table with table keys", "return { [{}] = 1 }",
     "a key that is a table has no order"},
    {"answers a table with a million keys",
     "local t = {} for i = 1, 1000000 do t[i] = i end return t", "is spent"},
    {"answers through a huge format", "return string.format('%200s', 'x')", "at most two digits"},
};

static bool is_said(const char *text, const char *want, bool time_passes) {
  bool spends = strstr(want, "budget of") || strstr(want, "is spent");
  return strstr(text, want) || (time_passes && spends && strstr(text, "ran longer"));
}

/* While time passes it may strike before another budget, and what fails is over in time; while it
 * stands, what is said is known. */
static void check_failure(const failure *row, bool time_passes) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text,
                          "return { name = 'p', version = 1, options = { a = 1, list = {1} }, "
                          "checkpoint = function(at, opt)\n%s\nend }",
                          row->body);
  still_vm_set(!time_passes);
  ck_policy_engine engine = vm_script_engine(text.data);
  ck_decision decision;
  ck_error err = CK_ERROR_INIT;
  for (int round = 0; round < 2; round++) {
    int64_t began = vm_script_cpu_us();
    ck_status status = decide(&decision, &engine, &tool_round, &err);
    int64_t took = vm_script_cpu_us() - began;
    tap_is_status(status, CK_E_POLICY, &err, "a policy that %s fails", row->name);
    tap_ok(decision.take && decision.sync, "and the checkpoint is taken, sync");
    tap_ok(is_said(err.text, row->want, time_passes), "saying %s: %s", row->want, err.text);
    if (time_passes) tap_ok(took <= VM_SCRIPT_CONTAINED_US, "within %d ms", (int)(took / 1000) + 1);
    ck_decision_clear(&decision);
  }
  engine.free(engine.self);
  ck_buffer_clear(&text);
}

/* ---- several policies ---- */

static void test_composition(void) {
  static const char *const texts[] = {
      "return { name = 'one', version = 1, checkpoint = function(at) return at.depth == 1 end }",
      "return { name = 'bad', version = 1, checkpoint = function(at) if at.depth == 1 then "
      "error('x') end end }",
      "return { name = 'two', version = 3, checkpoint = function(at) return { reason = 'a "
      "\"quote\"', durability = 'sync' } end }",
      "return { name = 'silent', version = 1, checkpoint = function() end }"};
  ck_policy_engine engine;
  ck_decision decision;
  ck_error err = CK_ERROR_INIT;
  tap_must(vm_script_engines(&engine, texts, 4, &err) == CK_OK, "four policies load: %s", err.text);
  tap_is_status(decide(&decision, &engine, &tool_round, &err), CK_E_POLICY, &err,
                "one that fails is reported");
  tap_ok(strstr(err.text, "policy \"bad\", checkpoint: ") && strstr(err.text, "p2.lua:1: x"),
         "by name, hook, file and line: %s", err.text);
  tap_ok(decision.take && decision.sync, "a yes wins");
  tap_is_bytes(ck_value_bytes(decision.reasons),
               ck_bytes_text("[{\"policy\":\"one\",\"version\":1,\"reason\":null},{\"policy\":"
                             "\"two\",\"version\":3,\"reason\":\"a \\\"quote\\\"\"}]"),
               "all reasons are kept, and the others are asked all the same");
  ck_decision_clear(&decision);
  tap_is_status(decide(&decision, &engine, &bare, NULL), CK_OK, NULL,
                "the next boundary is a new one");
  ck_decision_clear(&decision);
  engine.free(engine.self);
}

/* ---- loading ---- */

static void test_refused_files(void) {
  static const struct {
    const char *text;
    ck_status status;
    const char *want;
  } cases[] = {
      {"return {\n name = }", CK_E_PARSE, "p1.lua:2: "},
      {"return nil", CK_E_PARSE, "a policy returns a table, not a nil"},
      {"return { version = 1 }", CK_E_PARSE, "name: a text of a to z"},
      {"return { name = 'A b', version = 1 }", CK_E_PARSE, "name: a text of a to z"},
      {"return { name = 'a\\0', version = 1 }", CK_E_PARSE, "name: a text of a to z"},
      {"return { name = 'a' }", CK_E_PARSE, "version: a whole number from 1"},
      {"return { name = 'a', version = 1.5 }", CK_E_PARSE, "version: a whole number from 1"},
      {"return { name = 'a', version = 1, checkpiont = error }", CK_E_PARSE,
       "unknown key 'checkpiont' (did you mean 'checkpoint'?)"},
      {"return { name = 'a', version = 1, [1] = 2 }", CK_E_PARSE, "keys are names"},
      {"return { name = 'a', version = 1, checkpoint = true }", CK_E_PARSE,
       "checkpoint: a function is expected, not a boolean"},
      {"return { name = 'a', version = 1, redact = 1 }", CK_E_PARSE,
       "redact: a function is expected, not a number"},
      {"return { name = 'a', version = 1, options = { f = error } }", CK_E_POLICY,
       "value.f: a value that cannot be stored"},
      {"return { name = 'a', version = 1, options = { 1 } }", CK_E_PARSE,
       "options: names with defaults"},
      {"while true do end", CK_E_POLICY, "p1.lua:1: the budget of 1000000 instructions"},
      {"string.rep = nil", CK_E_POLICY, "p1.lua:1: the library is read-only"},
      {"\033Lua", CK_E_PARSE, "a compiled chunk"},
      {"return '\xff'", CK_E_PARSE, "not UTF-8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_policy_engine engine = {.self = &engine};
    ck_error err = CK_ERROR_INIT;
    tap_is_status(vm_script_engines(&engine, &cases[i].text, 1, &err), cases[i].status, &err,
                  "refused: %s", cases[i].want);
    tap_ok(strstr(err.text, cases[i].want) && strstr(err.text, "p1.lua"),
           "naming the file and the reason: %s", err.text);
    tap_ok(!engine.self && !engine.checkpoint, "nothing is given out");
  }
}

static void check_override(const char *options, ck_status want, const char *text) {
  static const char policy[] =
      "return { name = 'o', version = 1, options = { slow_ms = 30000, list = {}, any = ck.null },\n"
      "checkpoint = function(at, opt) return string.format('%d %s %s', opt.slow_ms, "
      "table.concat(opt.list, ','), opt.any) end }";
  ck_profile *profile;
  ck_policy_engine engine;
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  tap_must(
      ck_profile_new(&profile, "o", &err) == CK_OK &&
          ck_value_new(&value, ck_bytes_text(options), &err) == CK_OK &&
          ck_profile_append_policy(profile, vm_script_file("o.lua", policy), value, &err) == CK_OK,
      "a profile with options is made");
  ck_value_free(value);
  tap_is_status(ck_policy_engine_open(&engine, profile, &err), want, &err, "options %s", options);
  ck_profile_free(profile);
  if (want != CK_OK) {
    tap_ok(strstr(err.text, text) != NULL, "%s: %s", text, err.text);
    return;
  }
  ck_decision decision;
  tap_is_status(decide(&decision, &engine, &bare, &err), CK_OK, &err, "are used");
  tap_ok(strstr(ck_value_bytes(decision.reasons).data, text) != NULL, "as %s: %s", text,
         ck_value_bytes(decision.reasons).data);
  ck_decision_clear(&decision);
  engine.free(engine.self);
}

static void test_options(void) {
  check_override("{}", CK_OK, "30000  null");
  check_override("{\"slow_ms\":5,\"list\":[1,2],\"any\":\"x\"}", CK_OK, "5 1,2 x");
  check_override("{\"slow_m\":5}", CK_E_PARSE, "unknown option 'slow_m' (did you mean 'slow_ms'?)");
  check_override("{\"slow_ms\":\"5\"}", CK_E_PARSE,
                 "option 'slow_ms': a number is expected, not a string");
  check_override("[1]", CK_E_PARSE, "options: names with values");
  ck_profile *profile;
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_new(&profile, "o", &err) == CK_OK &&
               ck_profile_append_policy(profile, "tool_round", NULL, &err) == CK_OK,
           "a slip");
  tap_is_status(ck_policy_engine_open(&engine, profile, &err), CK_E_NOT_FOUND, &err,
                "an unknown policy");
  tap_ok(strstr(err.text, "searched policies/tool_round.lua (did you mean 'tool_rounds'?)") != NULL,
         "is named with its nearest: %s", err.text);
  ck_profile_free(profile);
}

static void test_inspection(void) {
  static const char text[] = "return { name = 'i', version = 2, options = { a = 1, b = {} "
                             "},\n\ncheckpoint = function() end, tail = function() end }";
  const char *path = vm_script_file("i.lua", text);
  ck_value *shown = NULL, *options;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&options, ck_bytes_text("{\"a\":5}"), &err) == CK_OK, "options");
  tap_is_status(ck_policy_inspect(&shown, path, options, NULL, &err), CK_OK, &err,
                "a policy is inspected");
  ck_bytes json = ck_value_bytes(shown);
  tap_is_bytes(
      ck_json_get(json, "hooks"),
      ck_bytes_text("[{\"name\":\"checkpoint\",\"line\":3},{\"name\":\"tail\",\"line\":3}]"),
      "its hooks are shown");
  tap_is_bytes(ck_json_get(json, "options"), ck_bytes_text("{\"a\":5,\"b\":{}}"),
               "and its options");
  tap_ok(ck_json_is_text(ck_json_get(json, "name"), "i") &&
             ck_json_is_text(ck_json_get(json, "file"), path),
         "and who it is");
  ck_value_free(shown);
  ck_value_free(options);
  tap_is_status(ck_policy_inspect(&shown, "smat", NULL, NULL, &err), CK_E_NOT_FOUND, &err,
                "one that there is not");
  tap_ok(!shown && strstr(err.text, "did you mean 'smart'?"), "is not: %s", err.text);
}

static void test_mixed_runs(void) {
  ck_policy_engine engine = vm_script_engine(
      "return { name = 'm', version = 1, checkpoint = function(at)\n"
      "local k = at.seq % 8\n"
      "if k == 0 then error({}) elseif k == 1 then return at.nope elseif k == 2 then return "
      "('x'):rep(300)\n"
      "elseif k == 3 then local t = {} for i = 1, 50 do t[i] = {i} end return #t == 50 elseif k == "
      "4 then return 'reason ' .. at.seq\n"
      "elseif k == 5 then return pcall(error, {}) elseif k == 6 then calls = 1 end end }");
  ck_decision decision;
  int wrong = 0;
  for (int i = 0; i < MIXED; i++) {
    ck_boundary at = bare;
    at.seq = i;
    bool fails = i % 8 <= 2 || i % 8 == 6, takes = fails || i % 8 == 3 || i % 8 == 4;
    ck_status status = decide(&decision, &engine, &at, NULL);
    wrong += (status == CK_E_POLICY) != fails || decision.take != takes || decision.sync != fails;
    ck_decision_clear(&decision);
  }
  tap_is_int(wrong, 0, "%d mixed runs do not touch each other", MIXED);
  engine.free(engine.self);
}

int main(void) {
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    check_failure(&failures[i], true);
    check_failure(&failures[i], false);
  }
  still_vm_set(true);
  test_default();
  test_view();
  test_composition();
  test_refused_files();
  test_options();
  test_inspection();
  test_mixed_runs();
  return tap_done();
}
