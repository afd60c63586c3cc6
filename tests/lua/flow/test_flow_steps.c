/* test_flow_steps.c - flow.steps: what needs what, side by side, failures, kills; completed steps
 * never run twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/lua/flow/flow_run.h"
#include "tests/tap.h"

#define FLOW                                                                                    \
  "local flow = require \"ck.flow\"\n"                                                          \
  "local function call(ctx, name)\n"                                                            \
  "  local got = ctx.effect { kind = \"tool\", class = \"once\", request = { name = name } }\n" \
  "  if got.status ~= \"ok\" then error(got.error, 0) end\n"                                    \
  "  return got.result\nend\n"                                                                  \
  "local function work(name) return function(ctx) return call(ctx, name) end end\n"

static const char *name_of(const ck_effect *effect) {
  static char name[64];
  char *text = ck_json_dup_string(ck_json_get(effect->request, "name"));
  snprintf(name, sizeof name, "%s", text ? text : "");
  free(text);
  return name;
}

/* Effects called `name` fail the first `times` times; the others give their names. */
typedef struct failing {
  const char *name;
  int times;
} failing;

static const char *answer(void *to, const ck_effect *effect) {
  static char json[80];
  failing *self = to;
  if (effect->kind != CK_EFFECT_TOOL) return "true";
  if (self && strcmp(name_of(effect), self->name) == 0 && self->times-- > 0) return "!no luck";
  snprintf(json, sizeof json, "\"%s\"", name_of(effect));
  return json;
}

static flow_run open_run(const char *text, failing *to) {
  flow_run run = {.answer = answer, .to = to};
  flow_run_open(&run, flow_file(text));
  return run;
}

static int count(const char *text, const char *what) {
  int found = 0;
  for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) found++;
  return found;
}

static const char diamond[] =
    FLOW "return flow.steps { parallel = 2, steps = {\n"
         "  { name = \"fetch\", run = work(\"fetch\") },\n"
         "  { name = \"left\", run = function(ctx, needs) return { call(ctx, \"left of \" .. "
         "needs.fetch) } end, needs = { \"fetch\" } },\n"
         "  { name = \"right\", run = function(ctx, needs) return call(ctx, \"right of \" .. "
         "needs.fetch) end, needs = { \"fetch\" } },\n"
         "  { name = \"both\", run = function(_, needs) return { needs.left[1], needs.right, "
         "needs.fetch == nil } end, needs = { \"left\", \"right\" } },\n"
         "  { name = \"alone\", run = function(ctx) return ctx.memory.given end },\n"
         "} }\n";

static const char diamond_outputs[] = "[\"left of fetch\",\"right of fetch\",true]";

static void test_way(void) {
  flow_run run = open_run(diamond, NULL);
  flow_run_put(&run, "memory.given", "{\"x\":1.50}");
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "steps run to their end: %s",
             run.result.text);
  tap_is_text(flow_run_get(&run, "outputs.both"), diamond_outputs,
              "each sees what it needs, and nothing else");
  tap_is_text(flow_run_get(&run, "outputs.alone"), "{\"x\":1.5}", "and memory");
  tap_is_text(flow_run_get(&run, "outputs.right"), "\"right of fetch\"",
              "what a step gives is its output");
  tap_ok(flow_run_is_before(&run, "main.fetch@", "main.left@") &&
             flow_run_is_before(&run, "main.fetch@", "main.right@"),
         "none before what it needs");
  tap_is_text(flow_run_sort_log(&run),
              "main.fetch@step/fetch#1/tool/1 {\"name\":\"fetch\"}\n"
              "main.left@step/left#1/tool/1 {\"name\":\"left of "
              "fetch\"}\nmain.right@step/right#1/tool/1 {\"name\":\"right of fetch\"}\n",
              "each once, in a scope of its own");
  tap_is_int(count(flow_run_marks(&run), "step_complete main "), 5,
             "each completion is a boundary");
  tap_is_int(run.most_under_way, 2, "side by side");
  flow_run_close(&run);
}

static void test_parallel(void) {
  for (int parallel = 1; parallel <= 5; parallel++) {
    char text[2048];
    snprintf(text, sizeof text,
             FLOW "local steps = {}\nfor i = 1, 9 do steps[i] = { name = \"s\" .. i, run = "
                  "work(\"s\" .. i) } end\n"
                  "return flow.steps { steps = steps%s }\n",
             "");
    char *end = strstr(text, "steps = steps");
    if (parallel != 4) snprintf(end, 64, "steps = steps, parallel = %d }\n", parallel);
    flow_run run = open_run(text, NULL);
    tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "nine steps, %d at once%s", parallel,
               parallel == 4 ? " unless said" : "");
    tap_is_int(run.most_under_way, parallel, "and no more");
    flow_run_close(&run);
  }
}

/* ---- failures ---- */

static const char chain[] =
    FLOW "return flow.steps { steps = {\n"
         "  { name = \"a\", run = work(\"a\") },\n"
         "  { name = \"b\", run = function(ctx) call(ctx, \"b1\") return call(ctx, \"b2\") end, "
         "needs = { \"a\" } },\n"
         "  { name = \"c\", run = work(\"c\"), needs = { \"b\" } },\n"
         "  { name = \"x\", run = work(\"x\") }, { name = \"y\", run = work(\"y\"), needs = { "
         "\"x\" } }, { name = \"z\", run = work(\"z\"), needs = { \"y\" } },\n"
         "} }\n";

static void test_failure(void) {
  failing f = {"b2", 1};
  flow_run run = open_run(chain, &f);
  tap_is_int(flow_run_finish(&run), CK_SESSION_FAILED, "a step fails");
  tap_is_text(run.result.text, "step 'b': no luck; not started: 'c'",
              "it is named, and what waits for it");
  tap_ok(strstr(flow_run_log(&run), "main.z@") != NULL, "what does not need it ends");
  tap_ok(!strstr(flow_run_log(&run), "main.c@"), "what needs it is not started");
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "a resume completes it: %s",
             run.result.text);
  tap_is_int(flow_run_twice(&run), 0,
             "nothing that went well runs again, not even in the step that failed");
  tap_is_int(count(flow_run_log(&run), "b1"), 1, "whose first effect ran once");
  tap_is_int(count(flow_run_log(&run), "b2"), 2, "and whose second was tried again");
  tap_is_text(flow_run_get(&run, "outputs.c"), "\"c\"", "the rest has run");
  flow_run_close(&run);
}

static void test_optional(void) {
  failing f = {"x", 100};
  flow_run run = open_run(
      FLOW "return flow.steps { steps = { { name = \"x\", run = work(\"x\"), optional = true },\n"
           "  { name = \"y\", run = function(ctx, needs) return { call(ctx, \"y\"), needs.x == nil "
           "} end, needs = { \"x\" } } } }\n",
      &f);
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "an optional step may fail: %s",
             run.result.text);
  tap_is_text(flow_run_get(&run, "outputs.y"), "[\"y\",true]", "what needs it runs without");
  tap_is_text(flow_run_get(&run, "outputs.x"), "nothing", "it has no output");
  tap_ok(strstr(flow_run_result(&run), "{\"error\":\"no luck\",\"step\":\"x\"}") != NULL,
         "the flow's result says why: %s", flow_run_result(&run));
  tap_is_text(flow_run_get(&run, "position.main.x"), "nothing", "and nothing is left of it");
  flow_run_close(&run);
}

static void test_retry(void) {
  failing f = {"x", 2};
  flow_run run = open_run(FLOW "return flow.steps { steps = { { name = \"x\", run = work(\"x\"), "
                               "retry = { times = 3, backoff_ms = 5 } } } }\n",
                          &f);
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "a step is tried again: %s",
             run.result.text);
  tap_is_text(flow_run_log(&run),
              "main.x@step/x#1/tool/1 {\"name\":\"x\"}\nmain.x@step/x#1/sleep/1 {\"ms\":5}\n"
              "main.x@step/x#2/tool/1 {\"name\":\"x\"}\nmain.x@step/x#2/sleep/1 "
              "{\"ms\":10}\nmain.x@step/x#3/tool/1 {\"name\":\"x\"}\n",
              "after waits");
  flow_run_close(&run);
}

static void fails(const char *body, const char *say, const char *promise) {
  char text[1024];
  snprintf(text, sizeof text,
           FLOW "return flow.steps { steps = { { name = \"a\", run = function(ctx) %s end } } }\n",
           body);
  flow_run run = open_run(text, NULL);
  tap_is_int(flow_run_finish(&run), CK_SESSION_FAILED, "%s: the session fails", promise);
  if (!tap_ok(strstr(run.result.text, say) != NULL, "it says '%s'", say))
    tap_diag("it says '%s'", run.result.text);
  flow_run_close(&run);
}

/* What an agent's tools write on its pad outlives the step. */
static void test_pads(void) {
  flow_run run = open_run(FLOW "return flow.steps { steps = {\n"
                               "  { name = \"note\", run = function(ctx) ctx.scratch.me = { n = 1 "
                               "} return call(ctx, \"noted\") end },\n"
                               "  { name = \"read\", run = function(ctx) return ctx.scratch.me.n + "
                               "1 end, needs = { \"note\" } } } }\n",
                          NULL);
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "steps have pads: %s", run.result.text);
  tap_is_text(flow_run_get(&run, "scratch.me"), "{\"n\":1}", "which are kept");
  tap_is_text(flow_run_get(&run, "outputs.read"), "2", "and read by those behind");
  flow_run_close(&run);
}

static void test_limits(void) {
  fails("return ctx.outputs.b",
        "step 'a' cannot use ctx.outputs: what it needs is its second argument",
        "a step that looks at outputs");
  fails("ctx.outputs.a = 1", "step 'a' cannot use ctx.outputs", "a step that writes one");
  fails("ctx.memory.x = 1", "step 'a' cannot write ctx.memory: it may only read",
        "a step that writes memory");
  fails("ctx.put(\"memory.x\", \"1\")", "step 'a' cannot use ctx.put", "by whatever way");
  fails("ctx.boundary(\"step_complete\", { position = { path = \"x\" } })",
        "step 'a' cannot use ctx.boundary", "a step that takes a boundary");
}

/* ---- agents ---- */

static const char *talk(void *to, const ck_effect *effect) {
  static char json[96];
  (void)to;
  snprintf(json, sizeof json, "{\"role\":\"assistant\",\"content\":\"%s\"}",
           effect->agent ? effect->agent : "nobody");
  return json;
}

static void test_agents(void) {
  flow_run run = {.answer = talk};
  flow_run_open(
      &run, flow_file(FLOW "return flow.steps { steps = { { name = \"think\", run = flow.agent { "
                           "name = \"thinker\", prompt = \"Think.\" } },\n"
                           "  { name = \"tell\", run = flow.node { flow.agent { prompt = \"Tell.\" "
                           "}, input = function(_, needs) return needs.think.text end },\n"
                           "    needs = { \"think\" } } } }\n"));
  const ck_flow_manifest *manifest = run.engine->manifest(run.flow);
  tap_ok(manifest->agents[0] && manifest->agents[1] && !manifest->agents[2] &&
             strcmp(manifest->agents[1], "thinker") == 0,
         "its agents are known");
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "agents are steps: %s", run.result.text);
  tap_ok(strstr(flow_run_log(&run), "main.think.thinker@think#1@step/") != NULL,
         "each speaks in a scope of its own");
  tap_ok(strstr(flow_run_get(&run, "outputs.tell"), "\"text\"") != NULL, "and gives what it said");
  flow_run_close(&run);
}

/* ---- kills, and graphs of all shapes ---- */

/* Steps that need nothing end together: each completion is a boundary all the same, also where a
 * run dies between two of them. */
static void test_together(void) {
  enum { MOVES = 12 };
  static const char *const marks[] = {"step_complete main a", "step_complete main b",
                                      "step_complete main c"};
  const char *path = flow_file(
      "local flow = require \"ck.flow\"\n"
      "return flow.steps { steps = { { name = \"a\", run = function() return 1 end },\n"
      "  { name = \"b\", run = function() return 2 end }, { name = \"c\", run = function() return "
      "3 end } } }\n");
  int missing = 0;
  for (int moves = 0; moves <= MOVES; moves++) {
    flow_run run = {.answer = answer};
    flow_run_open(&run, path);
    if (!flow_run_once(&run, moves)) flow_run_finish(&run);
    tap_must(run.result.status == CK_SESSION_COMPLETED, "it ends: %s", run.result.text);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
      if (count(flow_run_marks(&run), marks[i])) continue;
      tap_diag("killed after %d moves, no %s in\n%s", moves, marks[i], flow_run_marks(&run));
      missing++;
    }
    flow_run_close(&run);
  }
  tap_is_int(missing, 0, "steps that end together are each marked, wherever the run dies");
}

static void survives(const char *text, const char *key, const char *want, const char *promise) {
  enum { MOVES = 25, SEEDS = 4 };
  const char *path = flow_file(text);
  int wrong = 0, runs = 0;
  for (int step = 0; step <= MOVES; step++) {
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
      flow_run run = {.answer = answer, .random = seed};
      flow_run_open(&run, path);
      for (int more = 0; !flow_run_once(&run, step + more) && more < 200; more++) continue;
      bool good = run.result.status == CK_SESSION_COMPLETED && flow_run_twice(&run) == 0 &&
                  strcmp(flow_run_get(&run, key), want) == 0;
      if (!good)
        tap_diag("after %d moves, seed %d: %s; %d twice\n%s", step, (int)seed, run.result.text,
                 flow_run_twice(&run), flow_run_log(&run));
      wrong += !good;
      runs += run.runs;
      flow_run_close(&run);
    }
  }
  tap_is_int(wrong, 0,
             "%s: it is killed after each of %d moves, runs %d times, and does nothing twice",
             promise, MOVES, runs);
}

typedef struct chance {
  uint64_t state;
  int failures; /* in percent */
} chance;

static uint32_t draw(chance *self, uint32_t below) {
  self->state = self->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(self->state >> 33) % below;
}

static const char *at_random(void *to, const ck_effect *effect) {
  chance *self = to;
  return (int)draw(self, 100) < self->failures ? "!chance" : answer(NULL, effect);
}

/* Steps s1 … sN, each needing some of those before it. */
static void write_graph(ck_buffer *out, chance *dice, int steps) {
  ck_buffer_append_text(out, FLOW "return flow.steps { parallel = 3, steps = {\n");
  for (int i = 1; i <= steps; i++) {
    ck_buffer_append_format(
        out,
        "{ name = \"s%d\", run = function(ctx, needs) call(ctx, \"s%d first\") local names = {}\n"
        "for name in pairs(needs) do names[#names + 1] = name end return { call(ctx, \"s%d\"), "
        "names } end",
        i, i, i);
    int needs = 0;
    for (int j = 1; j < i; j++) {
      if (draw(dice, 4) != 0) continue;
      ck_buffer_append_format(out, "%s\"s%d\"", needs++ ? ", " : ", needs = { ", j);
    }
    ck_buffer_append_text(out, needs ? " } },\n" : " },\n");
  }
  ck_buffer_append_text(out, "} }\n");
}

/* Every step ended well exactly once. */
static bool is_complete(const flow_run *run, int steps) {
  for (int i = 1; i <= steps; i++) {
    char key[32], want[32];
    snprintf(key, sizeof key, "outputs.s%d", i);
    snprintf(want, sizeof want, "[\"s%d\",", i);
    if (strncmp(flow_run_get(run, key), want, strlen(want)) != 0) return false;
  }
  return flow_run_twice(run) == 0;
}

/* How often the effect of this name went well, whatever its key. */
static int times_done(const flow_run *run, const char *name) {
  ck_error err = CK_ERROR_INIT;
  ck_state_entry *entries;
  size_t entry_count;
  int done = 0;
  tap_must(ck_state_list(&entries, &entry_count, run->ran, &err) == CK_OK, "%s", err.text);
  for (size_t i = 0; i < entry_count; i++) {
    char *text = ck_json_dup_string(ck_json_get(ck_value_bytes(entries[i].value), "answer"));
    done += text && text[0] == '"' && strncmp(text + 1, name, strlen(name)) == 0 &&
            text[1 + strlen(name)] == '"';
    free(text);
  }
  free(entries);
  return done;
}

static bool each_once(const flow_run *run, int steps) {
  for (int i = 1; i <= steps; i++) {
    char name[32];
    snprintf(name, sizeof name, "s%d", i);
    if (times_done(run, name) != 1) return false;
    snprintf(name, sizeof name, "s%d first", i);
    if (times_done(run, name) != 1) return false;
  }
  return true;
}

static void test_shapes(void) {
  enum { GRAPHS = 30, RUNS = 10 };
  int wrong = 0, runs = 0, steps_run = 0;
  chance shapes = {.state = 7};
  for (int graph = 0; graph < GRAPHS; graph++) {
    int steps = 3 + (int)draw(&shapes, 8);
    ck_buffer text = {0};
    write_graph(&text, &shapes, steps);
    const char *path = flow_file(text.data);
    for (int n = 0; n < RUNS; n++) {
      chance dice = {.state = (uint64_t)(graph * 1000 + n + 1), .failures = 4 * n};
      flow_run run = {.answer = at_random,
                      .to = &dice,
                      .random = (uint64_t)n + 1,
                      .seldom = 30 * (n % 3),
                      .no_checkpoints = n == 9};
      flow_run_open(&run, path);
      for (int run_index = 0; run.result.status != CK_SESSION_COMPLETED && run_index < 300;
           run_index++)
        flow_run_once(&run, (int)draw(&dice, 12));
      bool good = run.result.status == CK_SESSION_COMPLETED && is_complete(&run, steps) &&
                  each_once(&run, steps);
      if (!good)
        tap_diag("graph %d run %d: %s\n%s%s", graph, n, run.result.text, text.data,
                 flow_run_log(&run));
      wrong += !good;
      runs += run.runs;
      steps_run += steps;
      flow_run_close(&run);
    }
    ck_buffer_clear(&text);
  }
  tap_is_int(wrong, 0,
             "%d random graphs with failures and kills, %d runs, %d steps: each runs once", GRAPHS,
             runs, steps_run);
}

int main(void) {
  test_way();
  test_parallel();
  test_failure();
  test_optional();
  test_retry();
  test_pads();
  test_limits();
  test_agents();
  test_together();
  survives(diamond, "outputs.both", diamond_outputs, "a diamond");
  survives(chain, "outputs.c", "\"c\"", "two chains");
  test_shapes();
  return tap_done();
}
