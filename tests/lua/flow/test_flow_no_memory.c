/* test_flow_no_memory.c - whichever allocation fails, a flow that is loaded and run says so, and
 * leaks nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup */
#include <stdlib.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { ALLOCATIONS_MAX = 50000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))

/* Uses everything that ctx has. */
static const char text[] =
    "local flow = { command = (require \"ck.flow.tools\").command, custom = (require "
    "\"ck.flow.custom\").define }\n"
    "return flow.custom { reads = { \"memory.a\" }, tools = { look = \"pure\", buy = flow.command "
    "{ argv = { \"a\", \"b\" } } },\n"
    "  run = function(ctx)\n"
    "    ctx.message(\"system\", ctx.recorded_prompt)\n"
    "    ctx.message { role = \"tool\", call_id = \"c\", name = \"n\", content = \"x\" }\n"
    "    ctx.message(\"assistant\", ctx.last_message().content)\n"
    "    ctx.memory.a = { 1, { b = ctx.input.x } }\n"
    "    ctx.memory:append(\"l\", \"y\")\n"
    "    local reply = ctx.effect { kind = \"model\", class = \"pure\", agent = \"me\", request = "
    "{ model = \"m\" } }\n"
    "    ctx.memory:append(\"l\", reply.status)\n"
    "    ctx.outputs.calls = ctx.tool_calls(reply.raw)\n"
    "    ctx.boundary(\"tool_round\", { node = \"n\", agent = \"a\", error = \"e\", next = { node "
    "= \"o\", tool = \"t\", class = \"once\" },\n"
    "                 position = { path = \"p#2\" } })\n"
    "    ctx.fork { { scope = \"x\", agent = \"a\", tag = \"t\", task = { ctx.task } } }\n"
    "    ctx.memory.j = ctx.join { \"x\" }\n"
    "    ctx.event(\"note\", { a = \"b\" }, \"me\")\n"
    "    ctx.rewind { to = 0, report = \"r\" }\n"
    "    ctx.effects { { kind = \"tool\", class = \"pure\", agent = \"me\", request = { server = "
    "ctx.options.s } } }\n"
    "    ctx.put(\"memory.p\", \"[1]\")\n"
    "    local less = ctx.limit { who = \"it\", without = { \"fork\" }, memory = \"read\", outputs "
    "= \"no\" }\n"
    "    ctx.memory.n = { less.memory.p, ctx.limit { who = \"it\", effects = false }.scope, "
    "ctx.written() }\n"
    "    ctx.discard()\n"
    "    ctx.memory.a = nil\n"
    "    ctx.pause(\"why\")\n"
    "    return { ctx.memory.l }\n"
    "  end }\n";

static ck_outcome *reply;
static ck_value *input;
static const char *path;
static int broken; /* promises that did not hold after a failure */

static ck_status run(const ck_flow_engine *engine, ck_coroutine *coroutine, int *steps,
                     ck_error *err) {
  ck_flow_yield yield = {.step = CK_FLOW_BOUNDARY};
  ck_status status = CK_OK;
  while (status == CK_OK && yield.step != CK_FLOW_DONE) {
    status = engine->resume(
        &yield, coroutine,
        yield.step == CK_FLOW_EFFECT || yield.step == CK_FLOW_EFFECTS || yield.step == CK_FLOW_JOIN
            ? reply
            : NULL,
        err);
    *steps += status == CK_OK;
  }
  return status;
}

static ck_status use(int *steps, ck_error *err) {
  ck_flow_engine *engine = NULL;
  ck_flow *flow = NULL;
  ck_coroutine *coroutine = NULL;
  static const char *const overlays[] = {"branch.main/", NULL};
  const ck_coroutine_options options = {.scope = "main",
                                        .task = input,
                                        .overlays = overlays,
                                        .input = input,
                                        .position = input,
                                        .recorded_prompt = "p"};
  ck_status status = ck_flow_engine_new(&engine, NULL, err);
  broken += (engine == NULL) != (status != CK_OK);
  if (status != CK_OK) return status;
  status = engine->load(&flow, engine->self, path, err);
  broken += (flow == NULL) != (status != CK_OK);
  if (status == CK_OK) {
    status = engine->open(&coroutine, flow, &options, err);
    broken += (coroutine == NULL) != (status != CK_OK);
  }
  if (status == CK_OK) status = run(engine, coroutine, steps, err);
  engine->close(coroutine);
  engine->unload(flow);
  engine->free(engine->self);
  return status;
}

static void make_answers(void) {
  static const char message[] =
      "{\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}},{"
      "\"id\":\"2\"}],"
      "\"main.x\":{\"result\":[1],\"error\":\"e\",\"writes\":{\"memory.k\":null}}}";
  ck_error err = CK_ERROR_INIT;
  ck_value *value = NULL;
  bool made =
      ck_value_new(&value, ck_bytes_text(message), &err) == CK_OK &&
      ck_outcome_new(&reply, CK_OUTCOME_OK, value, "said", &err) == CK_OK &&
      ck_value_new(&input, ck_bytes_text("{\"x\":[null,\"z\"],\"path\":\"p#1\"}"), &err) == CK_OK;
  tap_must(made, "the answers are there");
  ck_value_free(value);
  path = flow_file(text);
}

int main(void) {
  make_answers();
  ck_error err = CK_ERROR_INIT;
  ck_status status = CK_E_NO_MEMORY;
  long failed = 0;
  int other = 0, steps = 0;
  for (; failed < ALLOCATIONS_MAX && status != CK_OK; failed++) {
    budget = failed;
    steps = 0;
    status = use(&steps, &err);
    budget = -1;
    if (status != CK_OK && status != CK_E_NO_MEMORY && other++ < 5)
      tap_diag("%ld: %s", failed, err.text);
  }
  tap_is_status(status, CK_OK, &err, "it works as soon as there is memory for all of it");
  tap_is_int(steps, 7, "to its end");
  tap_is_int(other, 0, "each of %ld failing allocations is reported as what it is", failed - 1);
  tap_is_int(broken, 0, "and gives nothing out");
  tap_ok(failed > 500, "%ld allocations were failed", failed - 1);
  ck_outcome_free(reply);
  ck_value_free(input);
  return tap_done();
}
