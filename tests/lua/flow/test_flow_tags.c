/* test_flow_tags.c - scopes that failed: what they did is found again under their tag, and none is
 * left behind. */
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/lua/flow/flow_run.h"
#include "tests/tap.h"

/* A child writes, and calls two tools, of which the second fails once. With ctx.memory.other the
 * flow takes another way: past a boundary, and only then, or never, to the fork. */
#define WAY(fork, behind)                                                                       \
  "local flow = require \"ck.flow\"\n"                                                          \
  "local function call(ctx, name)\n"                                                            \
  "  local got = ctx.effect { kind = \"tool\", class = \"once\", request = { name = name } }\n" \
  "  if got.status ~= \"ok\" then error(got.error, 0) end\nend\n"                               \
  "local function work(ctx)\n"                                                                  \
  "  if not ctx.position then ctx.memory.mine = 1 ctx.boundary(\"safe_point\", { position = { " \
  "path = \"c#1\" } }) end\n"                                                                   \
  "  call(ctx, \"one\") call(ctx, \"two\") ctx.outputs.mine = ctx.memory.mine\nend\n"           \
  "local function child(ctx)\n"                                                                 \
  "  ctx.fork { " fork " }\n"                                                                   \
  "  local x = ctx.join { \"x\" }.x\n"                                                          \
  "  if x.error then error(x.error, 0) end\n"                                                   \
  "  for key, text in pairs(x.writes) do ctx.put(key, text) end\nend\n"                         \
  "return flow.custom { run = function(ctx)\n"                                                  \
  "  if ctx.task then return work(ctx) end\n"                                                   \
  "  if not ctx.position then ctx.boundary(\"node_start\", { position = { path = \"m#1\" } }) " \
  "end\n"                                                                                       \
  "  if not ctx.memory.other then child(ctx) end\n"                                             \
  "  ctx.boundary(\"node_complete\", { position = { path = \"m#2\" } })\n"                      \
  "  " behind "\n"                                                                              \
  "  ctx.boundary(\"node_complete\", { position = { path = \"m#3\" } })\n"                      \
  "  call(ctx, \"end\")\nend }\n"

static int failures;

static const char *answer(void *to, const ck_effect *effect) {
  (void)to;
  return ck_json_is_text(ck_json_get(effect->request, "name"), "two") && failures-- > 0 ? "!no luck"
                                                                                        : "true";
}

static flow_run fail_once(const char *text) {
  flow_run run = {.answer = answer};
  failures = 1;
  flow_run_open(&run, flow_file(text));
  tap_is_int(flow_run_finish(&run), CK_SESSION_FAILED, "a child fails");
  tap_ok(strstr(flow_run_get(&run, "position.main.x"), "no luck") != NULL, "its place is kept");
  return run;
}

static void is_gone(const flow_run *run) {
  tap_is_text(flow_run_get(run, "position.main.x"), "nothing",
              "nothing is left of the place of the child");
  tap_is_text(flow_run_get(run, "branch.main.x/memory.mine"), "nothing",
              "nor of what it wrote for itself");
}

static void test_same_place(void) {
  flow_run run = fail_once(WAY("{ scope = \"x\", task = 1 }", ""));
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "at the same place it goes on: %s",
             run.result.text);
  tap_is_text(flow_run_log(&run),
              "main.x@m#1/c#1/tool/1 {\"name\":\"one\"}\nmain.x@m#1/c#1/tool/2 {\"name\":\"two\"}\n"
              "main.x@m#1/c#1/tool/2 {\"name\":\"two\"}\nmain/m#3/tool/1 {\"name\":\"end\"}\n",
              "behind what went well");
  tap_is_text(flow_run_get(&run, "outputs.mine"), "1", "with what it had written");
  is_gone(&run);
  flow_run_close(&run);
}

static void test_stray(void) {
  flow_run run = fail_once(WAY("{ scope = \"x\", task = 1 }", ""));
  flow_run_put(&run, "memory.other", "true");
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED,
             "a flow that goes another way ends without it: %s", run.result.text);
  is_gone(&run);
  flow_run_close(&run);
}

static void test_tag(void) {
  flow_run run = fail_once(
      WAY("{ scope = \"x\", task = 1, tag = \"t\" }", "if ctx.memory.other then child(ctx) end"));
  flow_run_put(&run, "memory.other", "true");
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED,
             "forked at another place under its tag it goes on: %s", run.result.text);
  tap_is_text(flow_run_log(&run),
              "main.x@t/c#1/tool/1 {\"name\":\"one\"}\nmain.x@t/c#1/tool/2 {\"name\":\"two\"}\n"
              "main.x@t/c#1/tool/2 {\"name\":\"two\"}\nmain/m#3/tool/1 {\"name\":\"end\"}\n",
              "behind what went well");
  is_gone(&run);
  flow_run_close(&run);
}

static void test_other_place(void) {
  flow_run run =
      fail_once(WAY("{ scope = \"x\", task = 1 }", "if ctx.memory.other then child(ctx) end"));
  flow_run_put(&run, "memory.other", "true");
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "without a tag it is other work: %s",
             run.result.text);
  tap_ok(strstr(flow_run_log(&run), "main.x@m#2/c#1/tool/1 {\"name\":\"one\"}\n") != NULL,
         "done from the beginning, under keys of its own");
  is_gone(&run);
  flow_run_close(&run);
}

int main(void) {
  test_same_place();
  test_stray();
  test_tag();
  test_other_place();
  return tap_done();
}
