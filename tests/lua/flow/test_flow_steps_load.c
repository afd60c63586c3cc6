/* test_flow_steps_load.c - what is wrong with steps is said when they are loaded, with names. */
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

static ck_flow_engine *engine;

static const char *write_flow(const char *body) {
  ck_buffer text = {0};
  ck_buffer_append_format(
      &text, "local flow = require \"ck.flow\"\nlocal function f() end\nreturn flow.steps %s\n",
      body);
  const char *path = flow_file(text.data);
  ck_buffer_clear(&text);
  return path;
}

static void is_refused(const char *body, const char *say) {
  ck_error err = CK_ERROR_INIT;
  ck_flow *flow = NULL;
  const char *path = write_flow(body);
  ck_status status = engine->load(&flow, engine->self, path, &err);
  bool good =
      status == CK_E_PARSE && strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text, say);
  if (!tap_ok(good, "%s", say)) tap_diag("it is: %s", status == CK_OK ? "loaded" : err.text);
  if (flow) engine->unload(flow);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_flow_engine_new(&engine, NULL, &err) == CK_OK, "%s", err.text);
  is_refused("{}", "flow.steps needs 'steps', a list of { name =, run =, needs = }");
  is_refused("{ step = {} }", "flow.steps has no field 'step'; did you mean 'steps'?");
  is_refused("{ steps = {}, parallel = 0 }",
             "flow.steps: 'parallel' must be a whole number from 1");
  is_refused("{ steps = {} }", "flow.steps: there must be at least one step");
  is_refused("{ steps = { a = f } }", "flow.steps: steps must be a list: [a] is no place in it");
  is_refused("{ steps = { { name = \"a\", run = f }, [3] = { name = \"b\", run = f } } }",
             "steps must be a list: [3] is no place in it");
  is_refused("{ steps = { f } }", "flow.steps: step 1 takes a table, not a function");
  is_refused("{ steps = { { run = f } } }", "flow.steps: step 1 needs a name");
  is_refused("{ steps = { { name = \"a\" } } }",
             "flow.steps: step 'a' needs 'run', a node or a function");
  is_refused("{ steps = { { name = \"a\", run = f, neds = { \"b\" } } } }",
             "step 1 has no field 'neds'; did you mean 'needs'?");
  is_refused("{ steps = { { name = \"a\", run = 7 } } }",
             "step 1: 'run' must be a node, such as flow.exec{…}, or a function, not a number");
  is_refused("{ steps = { { name = \"a b\", run = f } } }", "'a b' cannot name a step");
  is_refused("{ steps = { { name = flow.done, run = f } } }", "a step cannot be called flow.done");
  is_refused("{ steps = { { name = \"a\", run = f }, { name = \"a\", run = f } } }",
             "flow.steps: there are two steps called 'a'");
  is_refused("{ steps = { { name = \"fetch\", run = f }, { name = \"b\", run = f, needs = { "
             "\"fecth\" } } } }",
             "step 'b' needs 'fecth', which is no step; did you mean 'fetch'?");
  is_refused("{ steps = { { name = \"a\", run = f, needs = { \"a\" } } } }",
             "steps need each other in a circle: 'a' needs 'a'");
  is_refused("{ steps = { { name = \"z\", run = f, needs = { \"a\" } }, { name = \"a\", run = f, "
             "needs = { \"b\" } }, { name = \"b\", run = f, needs = { \"c\" } },"
             " { name = \"c\", run = f, needs = { \"a\" } } } }",
             "steps need each other in a circle: 'a' needs 'b' needs 'c' needs 'a'");
  is_refused("{ steps = { { name = \"a\", run = flow.lua { run = f, writes = { \"x\" } } } } }",
             "step 'a' has 'writes': steps keep what they give, and nothing else");
  is_refused("{ steps = { { name = \"a\", run = flow.lua { run = f, on_error = \"x\" } } } }",
             "step 'a' has 'on_error', which graphs have; say optional = true");
  is_refused("{ steps = { { name = \"a\", run = flow.steps { steps = { { name = \"a\", run = f } } "
             "} } } }",
             "step 'a' is a flow of kind 'steps', which cannot be a node: only flow.agent can");
  is_refused("{ steps = { { name = \"a\", run = f, retry = { times = 2.5 } } } }",
             "retry: 'times' must be a whole number from 1");
  engine->free(engine->self);
  return tap_done();
}
