/* test_flow_graph_load.c - what is wrong with a graph is said when it is loaded, with names. */
#include <string.h>

#include "tests/clock.h"
#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

#define FLOW "local flow = require \"ck.flow\"\nlocal function f() end\n"

static ck_flow_engine *engine;

/* The text is of the form "PATH: flow.graph: SAY", or holds SAY. */
static void is_refused(const char *body, const char *say) {
  ck_error err = CK_ERROR_INIT;
  ck_flow *flow = NULL;
  ck_buffer text = {0};
  ck_buffer_append_format(&text, FLOW "return flow.graph %s\n", body);
  const char *path = flow_file(text.data);
  ck_status status = engine->load(&flow, engine->self, path, &err);
  bool good =
      status == CK_E_PARSE && strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text, say);
  if (!tap_ok(good, "%s", say)) tap_diag("it is: %s", status == CK_OK ? "loaded" : err.text);
  if (flow) engine->unload(flow);
  ck_buffer_clear(&text);
}

static void is_loaded(const char *body, const char *promise) {
  ck_error err = CK_ERROR_INIT;
  ck_flow *flow = NULL;
  ck_buffer text = {0};
  ck_buffer_append_format(&text, FLOW "return flow.graph %s\n", body);
  tap_is_status(engine->load(&flow, engine->self, flow_file(text.data), &err), CK_OK, &err, "%s",
                promise);
  if (flow) engine->unload(flow);
  ck_buffer_clear(&text);
}

static void test_fields(void) {
  is_refused("{ start = \"a\", edges = {} }", "flow.graph needs 'nodes'");
  is_refused("{ start = \"a\", nodes = { a = f } }", "flow.graph needs 'edges'");
  is_refused("{ strat = \"a\", nodes = {}, edges = {} }",
             "flow.graph has no field 'strat'; did you mean 'start'?");
  is_refused("{ start = \"a\", nodes = {}, edges = {} }", "a graph needs at least one node");
  is_refused("{ start = \"a\", nodes = { a = f }, edges = { a = flow.done }, max_visits = 0 }",
             "'max_visits' must be a whole number from 1");
  is_refused("{ nodes = { a = f }, edges = { a = flow.done } }",
             "start is missing: which node the flow begins with");
  is_refused("{ start = \"aa\", nodes = { a = f }, edges = { a = flow.done } }",
             "start = 'aa' is no node; did you mean 'a'?");
  is_refused("{ start = \"a\", nodes = { a = 5 }, edges = { a = flow.done } }",
             "node 'a' must be a node, such as flow.exec{…}, or a function, not a number");
  is_refused("{ start = \"a\", nodes = { f }, edges = {} }",
             "a node must have a text as its name, not 1");
  is_refused("{ start = \"a\", nodes = { [\"a b\"] = f }, edges = {} }",
             "'a b' cannot name a node: it takes up to 40 letters");
  is_refused("{ start = \"a\", nodes = { [flow.done] = f }, edges = {} }",
             "a node cannot be called flow.done: that is where a flow ends");
  is_refused("{ start = \"a\", nodes = { a = flow.graph { start = \"b\", nodes = { b = f }, edges "
             "= { b = flow.done } } }, edges = { a = flow.done } }",
             "node 'a' is a flow of kind 'graph', which cannot be a node: only flow.agent can");
}

#define TWO(edge)                                                                               \
  "{ start = \"first\", nodes = { first = f, second = f }, edges = { second = flow.done, " edge \
  " } }"

static void test_edges(void) {
  is_refused(
      TWO("first = \"secnod\""),
      "the edge of node 'first' leads to 'secnod', which is no node; did you mean 'second'?");
  is_refused(TWO("third = \"second\""),
             "there is an edge from 'third', which is no node; did you mean 'first'?");
  is_refused(TWO(""), "node 'first' has no edge: if the flow ends there, say first = flow.done");
  is_refused(TWO("first = 5"), "the edge of node 'first': it must be a node's name, flow.done, a "
                               "list or a function, not a number");
  is_refused(TWO("first = {}"), "the edge of node 'first': as a list it must name nodes");
  is_refused(TWO("first = { \"second\", f }"),
             "the edge of node 'first': as a list it must name nodes");
  is_refused(TWO("first = { \"second\", \"second\" }"),
             "the edge of node 'first': it names the branch 'second' twice");
  is_refused(TWO("first = { parallel = { \"second\" }, jion = \"x\" }"),
             "has no field 'jion'; did you mean 'join'?");
  is_refused(TWO("first = { parallel = { \"second\" }, join = \"x\" }"),
             "the join of node 'first' leads to 'x', which is no node");
  is_refused(TWO("first = { parallel = { \"second\" }, merge = { k = 5 } }"),
             "'merge' must be a table of KEY = function(base, values)");
  is_refused(TWO("first = flow.choose { f }"),
             "flow.choose needs 'to', the nodes that it chooses among");
  is_refused(TWO("first = flow.choose { to = { \"second\" } }"),
             "flow.choose takes { to = {…}, function(ctx) … end }");
  is_refused(TWO("first = flow.choose { to = { \"x\" }, f }"),
             "the edge of node 'first' leads to 'x', which is no node");
  is_refused("{ start = \"a\", nodes = { a = flow.lua { run = f, on_error = \"x\" } }, edges = { a "
             "= flow.done } }",
             "on_error of node 'a' leads to 'x', which is no node");
}

static void test_shapes(void) {
  is_refused("{ start = \"a\", nodes = { a = f, b = f, c = f }, edges = { a = flow.done, b = "
             "\"c\", c = \"b\" } }",
             "nothing leads to 'b', 'c' from the start, 'a'");
  is_refused("{ start = \"a\", nodes = { a = f, b = f, c = f }, edges = { a = \"b\", b = \"c\", c "
             "= \"b\" } }",
             "a cycle without exit: no edge leads from 'a', 'b', 'c' to flow.done");
  is_refused("{ start = \"a\", nodes = { a = f, b = f, c = f }, edges = { a = flow.choose { to = { "
             "\"b\", flow.done }, f }, b = \"c\", c = \"b\" } }",
             "a cycle without exit: no edge leads from 'b', 'c' to flow.done");
  is_refused("{ start = \"a\", nodes = { a = f, b = f, c = f }, edges = { a = { \"b\", \"c\" }, b "
             "= \"c\", c = flow.done } }",
             "the branch 'c' of node 'a' is the node where its branches meet");
  is_refused("{ start = \"a\", nodes = { a = f, b = f }, edges = { a = { \"b\", flow.done }, b = "
             "flow.done } }",
             "is flow.done");
  is_refused("{ start = \"a\", nodes = { a = f, b = f, c = f }, edges = { a = { \"b\", \"c\" }, b "
             "= f, c = flow.done } }",
             "the branches of node 'a' meet nowhere that can be seen: give { parallel = {…}, join "
             "= NODE }");
  is_loaded("{ start = \"a\", nodes = { a = f, b = f, c = f }, edges = { a = { parallel = { \"b\", "
            "\"c\" }, join = flow.done }, b = f, c = flow.done } }",
            "a join that is given need not be seen");
  is_loaded("{ start = \"a\", nodes = { a = f, b = f, c = f }, edges = { a = f, b = flow.done, c = "
            "\"b\" } }",
            "a function may lead to any node");
  is_loaded("{ start = \"a\", nodes = { a = flow.lua { run = f, on_error = \"b\" }, b = f }, edges "
            "= { a = flow.done, b = \"a\" } }",
            "on_error leads to a node as an edge does");
}

static void test_nodes(void) {
  is_refused("{ start = \"a\", nodes = { a = flow.lua { rnu = f } }, edges = {} }",
             "flow.lua has no field 'rnu'; did you mean 'run'?");
  is_refused("{ start = \"a\", nodes = { a = flow.lua {} }, edges = {} }",
             "flow.lua needs a function");
  is_refused("{ start = \"a\", nodes = { a = flow.lua { run = f, retry = {} } }, edges = {} }",
             "'retry' needs 'times', how often it is tried in all");
  is_refused(
      "{ start = \"a\", nodes = { a = flow.lua { run = f, retry = { times = 0 } } }, edges = {} }",
      "retry: 'times' must be a whole number from 1");
  is_refused("{ start = \"a\", nodes = { a = flow.lua { run = f, retry = { times = 1, backof_ms = "
             "1 } } }, edges = {} }",
             "did you mean 'backoff_ms'?");
  is_refused("{ start = \"a\", nodes = { a = flow.lua { run = f, retry = { times = 1, factor = 0.5 "
             "} } }, edges = {} }",
             "'factor' must be a number from 1 to 1000");
  is_refused("{ start = \"a\", nodes = { a = flow.node { 5 } }, edges = {} }",
             "flow.node takes a table with a node as [1]");
  is_refused("{ start = \"a\", nodes = { a = flow.node { flow.sleep(1), raeds = { \"x\" } } }, "
             "edges = {} }",
             "flow.node has no field 'raeds'; did you mean 'reads'?");
  is_refused("{ start = \"a\", nodes = { a = flow.prompt { prompt = \"x\" } }, edges = {} }",
             "flow.prompt needs 'process'");
  is_refused("{ start = \"a\", nodes = { a = flow.prompt { process = \"x\" } }, edges = {} }",
             "flow.prompt needs 'prompt'");
  is_refused("{ start = \"a\", nodes = { a = flow.prompt { process = \"x\", prompt = \"y\" } }, "
             "edges = { a = flow.done } }",
             "'a' prompts 'x', which must be flow.acp{…} in 'processes'");
  is_loaded("{ start = \"a\", nodes = { a = flow.prompt { process = \"x\", prompt = \"y\" } }, "
            "edges = { a = flow.done },"
            " processes = { x = flow.acp { argv = { \"x\" } } } }",
            "an agent process is prompted");
  is_refused("{ start = \"a\", nodes = { a = flow.agent { name = \"x\", tools = { t = \"pure\" } "
             "}, b = flow.agent { name = \"y\", tools = { t = \"once\" } } },"
             " edges = { a = \"b\", b = flow.done } }",
             "two tools called 't' are not the same");
  is_loaded("{ start = \"a\", nodes = { a = flow.agent { name = \"x\", tools = { t = \"pure\" } }, "
            "b = flow.agent { tools = { t = \"pure\" } } },"
            " edges = { a = \"b\", b = flow.done } }",
            "two agents may share a tool");
}

/* A graph of many nodes is judged in time: in few looks at the clock. */
static void test_many(void) {
  ck_buffer body = {0};
  int count = 200;
  ck_buffer_append_text(&body, "{ start = \"n1\", nodes = {");
  for (int i = 1; i <= count; i++) ck_buffer_append_format(&body, " n%d = f,", i);
  ck_buffer_append_text(&body, "}, edges = {");
  for (int i = 1; i < count; i++) {
    if (i % 4 == 1)
      ck_buffer_append_format(&body, " n%d = { \"n%d\", \"n%d\" },", i, i + 1, i + 2);
    else
      ck_buffer_append_format(&body, " n%d = \"n%d\",", i, i % 4 == 2 ? i + 2 : i + 1);
  }
  ck_buffer_append_format(&body, " n%d = flow.done } }", count);
  is_loaded(body.data, "a graph of 200 nodes and 50 forks");
  ck_buffer_clear(&body);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  clock_steps steps = {.step_us = 20};
  const ck_clock clock = clock_of_steps(&steps);
  tap_must(ck_flow_engine_new(&engine, &clock, &err) == CK_OK, "%s", err.text);
  test_fields();
  test_edges();
  test_shapes();
  test_nodes();
  test_many();
  engine->free(engine->self);
  return tap_done();
}
