/* test_flow_fork.c - ctx.fork and ctx.join: what a coroutine asks for, what it is given, and what a
 * child scope reads. */
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

typedef struct fixture {
  flow_driver driver;
  ck_coroutine *coroutine;
  ck_flow_yield yield;
} fixture;

static void begin(fixture *self, const char *body, const ck_coroutine_options *given) {
  ck_error err = CK_ERROR_INIT;
  *self = (fixture){0};
  flow_driver_load_body(&self->driver, body, NULL);
  ck_coroutine_options options = given ? *given : (ck_coroutine_options){.scope = "main"};
  if (!options.state) options.state = self->driver.state;
  options.conversation = self->driver.conversation;
  ck_flow_engine *engine = self->driver.engine;
  if (engine->open(&self->coroutine, self->driver.flow, &options, &err) != CK_OK)
    tap_must(false, "%s", err.text);
}

static ck_status step(fixture *self, const char *outcome, ck_error *err) {
  ck_outcome *given = NULL;
  ck_value *result = NULL;
  if (outcome) {
    tap_must(ck_value_new(&result, ck_bytes_text(outcome), err) == CK_OK, "%s", outcome);
    tap_must(ck_outcome_new(&given, CK_OUTCOME_OK, result, NULL, err) == CK_OK, "an outcome");
  }
  ck_status status = self->driver.engine->resume(&self->yield, self->coroutine, given, err);
  ck_outcome_free(given);
  ck_value_free(result);
  return status;
}

static void end(fixture *self) {
  self->driver.engine->close(self->coroutine);
  flow_driver_clear(&self->driver);
}

static void put(ck_state *state, const char *key, const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  bool done = ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK &&
              ck_state_put(state, key, value, &err) == CK_OK;
  tap_must(done, "%s", err.text);
  ck_value_free(value);
}

static void is_done(fixture *self, const char *want, const char *promise) {
  tap_is_int(self->yield.step, CK_FLOW_DONE, "%s: it ends", promise);
  tap_is_text(self->yield.value ? ck_value_bytes(self->yield.value).data : "nothing", want, "%s",
              promise);
}

static void test_fork(void) {
  fixture w;
  ck_error err = CK_ERROR_INIT;
  begin(&w,
        "ctx.fork { { scope = \"web\", task = { find = \"x\", n = 2 } }, { scope = \"a b#2.c\", "
        "agent = \"me\", task = 7 }, { scope = \"z\", tag = \"t\" } }\n"
        "local got = ctx.join { \"z\", \"web\" }\n"
        "local any = ctx.join_any { \"a b#2.c\", \"z\" }\n"
        "return { got, any }",
        NULL);
  tap_is_status(step(&w, NULL, &err), CK_OK, &err, "a coroutine opens child scopes");
  tap_is_int(w.yield.step, CK_FLOW_FORK, "by a fork");
  tap_is_int((int64_t)w.yield.child_count, 3, "of all of them");
  const ck_flow_child *child = w.yield.children;
  tap_is_text(child[0].scope, "main.web", "their names lie below the name of the scope");
  tap_is_text(child[0].task, "{\"find\":\"x\",\"n\":2}", "each has its task");
  tap_ok(!child[0].agent, "and an agent only when it is given one");
  tap_is_text(child[1].scope, "main.a b#2.c", "a name may have points");
  tap_is_text(child[1].agent, "me", "the agent");
  tap_is_text(child[1].task, "7", "a task may be any value");
  tap_ok(!child[2].task && !child[2].agent, "or none");
  tap_ok(!child[1].tag && strcmp(child[2].tag, "t") == 0, "and a tag when it is given one");
  tap_is_status(step(&w, NULL, &err), CK_OK, &err, "a fork is resumed with nothing");
  tap_ok(w.yield.step == CK_FLOW_JOIN && !w.yield.join_any && w.yield.child_count == 2,
         "it waits for two of them");
  tap_is_text(w.yield.children[0].scope, "main.z", "by name");
  tap_is_status(step(&w, NULL, &err), CK_E_USAGE, NULL, "a join is resumed with what came of them");
  err = (ck_error)CK_ERROR_INIT;
  tap_is_status(step(&w,
                     "{\"main.web\":{\"result\":{\"x\":1.50},\"writes\":{\"memory.a\":[1],"
                     "\"outputs.b\":null}},\"main.z\":{\"error\":\"bad\",\"writes\":{}}}",
                     &err),
                CK_OK, &err, "as an object by scope");
  tap_ok(w.yield.step == CK_FLOW_JOIN && w.yield.join_any, "it can wait for any");
  tap_is_status(step(&w, "{\"main.a b#2.c\":{}}", &err), CK_OK, &err,
                "and gets those that have ended");
  is_done(&w,
          "[{\"web\":{\"raw\":\"{\\\"x\\\":1.50}\",\"result\":{\"x\":1.5},\"writes\":{\"memory.a\":"
          "\"[1]\",\"outputs.b\":false}},"
          "\"z\":{\"error\":\"bad\",\"writes\":{}}},{\"a b#2.c\":{\"writes\":{}}}]",
          "what came of them is given by the names that the parent gave");
  end(&w);
}

static void is_raised(const char *body, const char *say, const char *promise) {
  fixture w;
  ck_error err = CK_ERROR_INIT;
  begin(&w, body, NULL);
  tap_is_status(step(&w, NULL, &err), CK_E_FLOW, &err, "%s is refused", promise);
  if (!tap_ok(strstr(err.text, say) != NULL, "it says '%s'", say))
    tap_diag("it says '%s'", err.text);
  end(&w);
}

static void test_refusals(void) {
  is_raised("ctx.fork {}", ":1: ctx.fork needs a list with at least one scope", "no child");
  is_raised("ctx.fork()", "table expected", "no list");
  is_raised("ctx.fork { \"a\" }", "ctx.fork takes a list of { scope =, task =, agent = }",
            "a name alone");
  is_raised("ctx.fork { { scop = \"a\" } }", "ctx.fork has no field 'scop'", "a typo");
  is_raised("ctx.fork { { task = 1 } }", "ctx.fork: a scope must be a string, not a nil",
            "a child without a name");
  is_raised("ctx.fork { { scope = \"a\", agent = 1 } }", "'agent' must be a string, not a number",
            "an agent that is no text");
  is_raised("ctx.fork { { scope = \"a\", task = mistyped } }", "global",
            "a task that is not there");
  is_raised("ctx.fork { { scope = \"a\", task = ctx.fork } }", "cannot be stored",
            "a task that is no JSON");
  is_raised("ctx.fork { { scope = \"a\" }, { scope = \"a\" } }", "the scope 'a' is named twice",
            "a name given twice");
  is_raised("ctx.fork { { scope = \"\" } }", "one to 128 bytes", "an empty name");
  is_raised("ctx.fork { { scope = \"a/b\" } }", "without '/'", "a name with a slash");
  is_raised("ctx.fork { { scope = \"a@b\" } }", "'@'", "a name with an at sign");
  is_raised("ctx.fork { { scope = \"a\\nb\" } }", "control characters",
            "a name with a control character");
  is_raised("ctx.fork { { scope = (\"a\"):rep(124) } }",
            "has a name of 129 bytes; at most 128 are allowed", "a name that is too long");
  is_raised("ctx.join {}", "ctx.join needs a list with at least one scope", "to wait for nothing");
  is_raised("ctx.join_any { 5 }", "ctx.join_any: a scope must be a string, not a number",
            "to wait for what is no name");
  is_raised("ctx.join { \"a\", \"a\" }", "named twice", "to wait for one twice");
  is_raised("table.sort({ 2, 1, 3 }, function() ctx.fork { { scope = \"a\" } } end)",
            "ctx.fork cannot be used inside", "a fork inside of a sort");
}

/* ctx.limit, ctx.put, ctx.written, ctx.discard */
static void test_limits(void) {
  fixture w;
  ck_error err = CK_ERROR_INIT;
  begin(&w,
        "local less = ctx.limit { who = \"it\", without = { \"effect\" }, memory = \"read\", "
        "outputs = \"no outputs here\" }\n"
        "ctx.memory.a = 1\n"
        "local function why(f) local _, text = pcall(f) return text:sub(text:find(\": \", 1, true) "
        "+ 2) end\n"
        "return { why(function() less.effect {} end), why(function() less.memory.a = 2 end), "
        "why(function() less.memory:append(\"a\", 1) end),\n"
        "  why(function() return less.outputs.x end), why(function() less.outputs.x = 1 end), "
        "less.memory.a, less.scope, less.limit == nil,\n"
        "  why(function() less.x = 1 end) }",
        NULL);
  tap_is_status(step(&w, NULL, &err), CK_OK, &err, "a ctx can be made less");
  is_done(&w,
          "[\"it cannot use ctx.effect\",\"it cannot write ctx.memory: it may only read\",\"it "
          "cannot write ctx.memory: it may only read\","
          "\"no outputs here\",\"no outputs here\",1,\"main\",true,\"ctx.x cannot be set; what "
          "must be kept is set as ctx.memory.x\"]",
          "it says so");
  end(&w);
  is_raised("ctx.limit {}", "string expected", "a limit of nobody");
  is_raised("ctx.limit { who = \"x\", effect = false }", "ctx.limit has no field 'effect'",
            "a typo in a limit");
  is_raised("ctx.put(\"scratch\", \"1\")", "ctx.put: 'scratch' must be", "a key of no area");
  is_raised("ctx.put(\"memory.\", \"1\")", "ctx.put: 'memory.' must be", "a key without a name");
  is_raised("ctx.put(\"memory.x\", \"{\")", "ctx.put: ", "a text that is no JSON");
  begin(&w,
        "ctx.put(\"memory.kept\", \"[1.50, 12345678901234567890]\") ctx.memory.gone = 1 "
        "ctx.outputs.gone = 1\n"
        "ctx.pause(\"x\")\n"
        "local before = ctx.written() ctx.memory.late = 1 ctx.discard() ctx.outputs.again = 2\n"
        "return { before, ctx.written(), ctx.memory.kept == nil }",
        NULL);
  put(w.driver.state, "outputs.gone", "{\"was\":1.0}");
  tap_is_status(step(&w, NULL, &err), CK_OK, &err, "a coroutine writes");
  tap_is_text(ck_value_bytes(w.yield.changes[0].value).data, "[1.50, 12345678901234567890]",
              "ctx.put keeps every byte");
  tap_is_status(step(&w, NULL, &err), CK_OK, &err, "and takes it back");
  is_done(&w,
          "[{\"memory.gone\":true,\"memory.kept\":true,\"outputs.gone\":true},{\"outputs.again\":"
          "true},true]",
          "what it wrote is told");
  const char *values[5] = {0};
  tap_must(w.yield.change_count == 5, "all that was written is told again");
  for (size_t i = 0; i < 5; i++) {
    const ck_change *change = &w.yield.changes[i];
    int which = strcmp(change->key, "outputs.gone") == 0    ? 0
                : strcmp(change->key, "outputs.again") == 0 ? 1
                                                            : 2;
    if (which < 2)
      values[which] = ck_value_bytes(change->value).data;
    else
      tap_ok(!change->value, "%s is removed again", change->key);
  }
  tap_is_text(values[0], "{\"was\":1.0}", "what was there is given back, byte for byte");
  tap_is_text(values[1], "2", "and what is written afterwards holds");
  end(&w);
}

static void test_child(void) {
  fixture w;
  ck_error err = CK_ERROR_INIT;
  ck_state *state;
  tap_must(ck_state_new(&state, &err) == CK_OK, "%s", err.text);
  put(state, "memory.a", "1");
  put(state, "memory.b", "1");
  put(state, "memory.c", "1");
  put(state, "memory.d", "1");
  put(state, "branch.main.x/memory.b", "2");
  put(state, "branch.main.x/memory.c", "2");
  put(state, "branch.main.x/memory.d", "null");
  put(state, "branch.main.x.y/memory.c", "3");
  put(state, "branch.main.x.y/memory.d", "[4]");
  put(state, "branch.main.x.y/memory.a", "null");
  ck_value *task;
  tap_must(ck_value_new(&task, ck_bytes_text("{\"do\":[1]}"), &err) == CK_OK, "%s", err.text);
  const char *overlays[] = {"branch.main.x.y/", "branch.main.x/", NULL};
  ck_coroutine_options options = {
      .scope = "main.x.y", .state = state, .task = task, .overlays = overlays};
  begin(&w,
        "local m = ctx.memory\n"
        "local seen = { ctx.scope, ctx.task[\"do\"][1], m.b, m.c, m.d[1], m.a == nil }\n"
        "m:append(\"d\", 5) m.b = nil m.c = 9\n"
        "local after = { #m.d, m.b == nil, m.c }\n"
        "local long = pcall(function() m[(\"k\"):rep(490)] = 1 end)\n"
        "return { seen, after, long }",
        &options);
  tap_is_status(step(&w, NULL, &err), CK_OK, &err, "a child scope runs");
  is_done(&w, "[[\"main.x.y\",1,2,3,4,true],[2,true,9],false]",
          "it reads what it wrote, what its parent wrote, then the rest");
  tap_is_int((int64_t)w.yield.change_count, 3, "what it writes");
  tap_is_text(w.yield.changes[0].key, "memory.d", "has the key without a prefix");
  tap_is_text(ck_value_bytes(w.yield.changes[0].value).data, "[4,5]",
              "and goes on from what it read");
  end(&w);
  begin(&w, "return ctx.task == nil", NULL);
  tap_is_status(step(&w, NULL, &err), CK_OK, &err, "the main scope runs");
  is_done(&w, "true", "and has no task");
  end(&w);
  ck_value_free(task);
  ck_state_free(state);
}

int main(void) {
  test_fork();
  test_refusals();
  test_limits();
  test_child();
  return tap_done();
}
