/* test_flow_graph.c - flow.graph: kinds of nodes, loops, failures and retries, wherever it is
 * killed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/graph_run.h"
#include "tests/tap.h"

/* ---- one node after the other ---- */

static const char three[] = GRAPH_FLOW GRAPH_CALL
    "return flow.graph { start = \"a\",\n"
    "  nodes = {\n"
    "    a = function(ctx) ctx.memory.n = 1 return call(ctx, \"one\") end,\n"
    "    b = flow.lua { run = function(ctx) ctx.memory.m = ctx.memory.n + 1 return "
    "call(ctx, ctx.outputs.a .. \"+\") end,\n"
    "                   reads = { \"n\" }, writes = { \"m\" } },\n"
    "    c = function(ctx) return { ctx.memory.m, ctx.outputs.b } end,\n"
    "  },\n"
    "  edges = { a = \"b\", b = function(ctx) return ctx.memory.m == 2 and \"c\" or "
    "\"a\" end, c = flow.done },\n"
    "}\n";

static void test_way(void) {
  flow_run run = graph_open(three);
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "a graph runs to its end");
  tap_is_text(flow_run_log(&run),
              "main/a#1/tool/1 {\"name\":\"one\"}\nmain/b#1/tool/1 {\"name\":\"one+\"}\n",
              "node after node");
  tap_is_text(flow_run_marks(&run),
              "node_start main a\nnode_complete main a\nedge_transition main a\n"
              "node_start main b\nnode_complete main b\nedge_transition main b\n"
              "node_start main c\nnode_complete main c\nedge_transition main c\n",
              "with boundaries around each");
  tap_is_text(flow_run_get(&run, "outputs.c"), "[2,\"one+\"]", "what a node gives is its output");
  tap_is_text(flow_run_get(&run, "memory.m"), "2", "what it wrote is kept");
  flow_run_close(&run);
}

/* ---- loops ---- */

static const char loop[] = GRAPH_FLOW GRAPH_CALL
    "return flow.graph { start = \"again\", max_visits = 5,\n"
    "  nodes = { again = function(ctx) ctx.memory.n = (ctx.memory.n or 0) + 1 call(ctx, "
    "\"n\" .. ctx.memory.n) end,\n"
    "            last = function(ctx) return ctx.memory.n end },\n"
    "  edges = { again = flow.choose { to = { \"again\", \"last\" }, function(ctx) "
    "return ctx.memory.n < 4 and \"again\" or \"last\" end },\n"
    "            last = flow.done } }\n";

static void test_loop(void) {
  flow_run run = graph_open(loop);
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "a loop ends: %s", run.result.text);
  tap_is_text(flow_run_log(&run),
              "main/again#1/tool/1 {\"name\":\"n1\"}\nmain/again#2/tool/1 {\"name\":\"n2\"}\n"
              "main/again#3/tool/1 {\"name\":\"n3\"}\nmain/again#4/tool/1 {\"name\":\"n4\"}\n",
              "each visit is a place of its own");
  tap_ok(strstr(flow_run_marks(&run),
                "edge_transition main again\nloop_iteration main again\nnode_start main again\n") !=
             NULL,
         "coming back is a boundary");
  tap_is_text(flow_run_get(&run, "outputs.last"), "4", "with what was written");
  flow_run_close(&run);
}

/* ---- what goes wrong ---- */

#define ONE(node)                                                                \
  GRAPH_FLOW GRAPH_CALL "return flow.graph { start = \"a\", nodes = { a = " node \
                        " }, edges = { a = flow.done } }\n"
#define EDGE(edge)                                                                       \
  GRAPH_FLOW GRAPH_CALL                                                                  \
      "return flow.graph { start = \"a\", nodes = { a = function() end, b = function() " \
      "end, c = function() end }, "                                                      \
      "edges = { a = " edge ", b = flow.done, c = flow.done } }\n"

static void test_failures(void) {
  graph_fails(ONE("function() error(\"bad\", 0) end"), "node 'a': bad", "a node that raises");
  graph_fails(
      ONE("flow.lua { run = function() end, reads = { \"key\" } }"),
      "node 'a': it reads memory.key, which is not there: give it with --set key=…, --set-env or "
      "--set-file",
      "a key that is missing");
  graph_fails(
      ONE("flow.lua { run = function(ctx) ctx.memory.y = 1 ctx.memory.x = 1 end, writes = { "
          "\"x\" } }"),
      "node 'a': it wrote memory.y, which its 'writes' does not name",
      "a write that was not declared");
  graph_fails(
      ONE("flow.lua { run = function(ctx) call(ctx, \"x\") ctx.memory.x = 1 ctx.outputs.b = 1 "
          "end, writes = { \"x\" } }"),
      "node 'a': it wrote outputs.b", "an output of another node");
  graph_fails(ONE("flow.lua { run = function() end, writes = { \"x\" } }"),
              "node 'a': it writes memory.x, as it declares, but has left it without a value",
              "a write that is missing");
  graph_fails(
      ONE("function(ctx) ctx.boundary(\"safe_point\", { position = { path = \"x\" } }) end"),
      "node 'a' cannot use ctx.boundary", "a node that takes a boundary");
  graph_fails(ONE("function(ctx) ctx.fork { { scope = \"x\" } } end"),
              "node 'a' cannot use ctx.fork", "a node that opens a scope");
  graph_fails(EDGE("function() return \"x\" end"),
              "the edge of node 'a' leads to 'x', which is no node", "an edge to nowhere");
  graph_fails(EDGE("function() end"), "the edge of node 'a' leads to 'nil'",
              "an edge that leads to nothing");
  graph_fails(EDGE("function(ctx) call(ctx, \"x\") end"),
              "the edge of node 'a' cannot use ctx.effect: it may only read",
              "an edge with an effect");
  graph_fails(EDGE("function(ctx) ctx.memory.x = 1 end"),
              "the edge of node 'a' cannot write ctx.memory: it may only read",
              "an edge that writes");
  graph_fails(EDGE("function(ctx) ctx.scratch.a = 1 end"),
              "the edge of node 'a' cannot write ctx.scratch", "an edge that writes a pad");
  graph_fails(EDGE("function(ctx) ctx.outputs:append(\"x\", 1) end"),
              "the edge of node 'a' cannot write ctx.outputs", "an edge that appends");
  graph_fails(EDGE("function(ctx) return ctx.facts.get(\"x\") end"),
              "the edge of node 'a' cannot use ctx.facts: it may only read",
              "an edge that asks for what other sessions left");
  graph_fails(EDGE("function(ctx) ctx.limit { who = \"x\" } end"),
              "attempt to call a nil value (field 'limit')", "an edge that asks for more");
  graph_fails(GRAPH_FLOW
              "return flow.graph { start = \"a\", nodes = { a = function() end, b = function() end "
              "}, edges = { a = flow.choose { to = "
              "{ \"b\", flow.done }, function() return \"a\" end }, b = flow.done } }\n",
              "the edge of node 'a' leads to 'a', which its 'to' does not name",
              "an edge to a node that it does not declare");
  graph_fails(GRAPH_FLOW
              "return flow.graph { start = \"a\", max_visits = 3, nodes = { a = function() end }, "
              "edges = { a = function() return \"a\" end } }\n",
              "node 'a' was visited 3 times, the most that max_visits allows",
              "a loop without end");
}

/* A key that was missing is given, and the flow goes on where it stood. */
static void test_missing_key(void) {
  flow_run run =
      graph_open(GRAPH_FLOW GRAPH_CALL "return flow.graph { start = \"a\", nodes = { a = "
                                       "function(ctx) return call(ctx, \"a\") end,\n"
                                       "  b = flow.lua { run = function(ctx) return call(ctx, "
                                       "ctx.memory.key) end, reads = { \"key\" } } },\n"
                                       "  edges = { a = \"b\", b = flow.done } }\n");
  tap_is_int(flow_run_finish(&run), CK_SESSION_FAILED, "a graph fails in its second node");
  flow_run_put(&run, "memory.key", "\"k\"");
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "it goes on once the key is there: %s",
             run.result.text);
  tap_is_text(flow_run_log(&run),
              "main/a#1/tool/1 {\"name\":\"a\"}\nmain/b#1/tool/1 {\"name\":\"k\"}\n",
              "and the first one is not run again");
  flow_run_close(&run);
}

/* ---- retries ---- */

static const char retried[] = GRAPH_FLOW GRAPH_CALL
    "return flow.graph { start = \"a\",\n"
    "  nodes = { a = flow.lua { run = function(ctx) call(ctx, \"first\") ctx.memory.left "
    "= 1 call(ctx, \"flaky\") ctx.memory.kept = 1 end,\n"
    "                           retry = { times = 3, backoff_ms = 100, factor = 3 }, "
    "writes = { \"left\", \"kept\" } } },\n"
    "  edges = { a = flow.done } }\n";

static void test_retry(void) {
  graph_failing f = {"flaky", 2};
  flow_run run = {.answer = graph_fail_first, .to = &f};
  flow_run_open(&run, flow_file(retried));
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "a node that fails is tried again: %s",
             run.result.text);
  tap_is_text(flow_run_log(&run),
              "main/a#1/tool/1 {\"name\":\"first\"}\nmain/a#1/tool/2 "
              "{\"name\":\"flaky\"}\nmain/a#1/sleep/1 {\"ms\":100}\n"
              "main/a#1.2/tool/1 {\"name\":\"first\"}\nmain/a#1.2/tool/2 "
              "{\"name\":\"flaky\"}\nmain/a#1.2/sleep/1 {\"ms\":300}\n"
              "main/a#1.3/tool/1 {\"name\":\"first\"}\nmain/a#1.3/tool/2 {\"name\":\"flaky\"}\n",
              "each try at a place of its own, after longer waits");
  flow_run_close(&run);
  f = (graph_failing){"flaky", 3};
  run = (flow_run){.answer = graph_fail_first, .to = &f};
  flow_run_open(&run, flow_file(retried));
  tap_is_int(flow_run_finish(&run), CK_SESSION_FAILED, "it fails when no try is left");
  tap_is_text(run.result.text, "node 'a': not yet", "with the last reason");
  tap_is_text(flow_run_get(&run, "memory.left"), "nothing", "and nothing of what it wrote is left");
  flow_run_close(&run);
}

static const char caught[] = GRAPH_FLOW GRAPH_CALL
    "return flow.graph { start = \"a\",\n"
    "  nodes = { a = flow.lua { run = function(ctx) ctx.memory.x = 2 call(ctx, "
    "\"flaky\") end, on_error = \"sorry\" },\n"
    "            b = function() return \"well\" end,\n"
    "            sorry = function(ctx) return { ctx.outputs.a.error, ctx.memory.x or "
    "\"none\" } end },\n"
    "  edges = { a = \"b\", b = flow.done, sorry = flow.done } }\n";

static void test_on_error(void) {
  graph_failing f = {"flaky", 1};
  flow_run run = {.answer = graph_fail_first, .to = &f};
  flow_run_open(&run, flow_file(caught));
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "on_error leads to another node: %s",
             run.result.text);
  tap_is_text(flow_run_get(&run, "outputs.sorry"), "[\"not yet\",\"none\"]",
              "which knows why, and sees no half-made writes");
  tap_is_text(flow_run_get(&run, "outputs.b"), "nothing", "the edge is not taken");
  flow_run_close(&run);
  run = graph_open(caught);
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "without a failure the edge is");
  tap_is_text(flow_run_get(&run, "outputs.sorry"), "nothing", "and the other node is not run");
  flow_run_close(&run);
}

/* ---- agents ---- */

#define SAYS(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}"

static const char *talk(void *to, const ck_effect *effect) {
  static char json[96];
  (void)to;
  if (effect->kind != CK_EFFECT_MODEL) return graph_echo(NULL, effect);
  snprintf(json, sizeof json, SAYS("%s after %d"), effect->agent ? effect->agent : "nobody",
           (int)ck_conversation_count(effect->conversation));
  return json;
}

static const char agents[] = GRAPH_FLOW GRAPH_CALL
    "return flow.graph { start = \"write\", tools = { own = \"pure\" },\n"
    "  nodes = { write = flow.agent { name = \"writer\", prompt = \"Write.\", tools = { "
    "look = \"pure\" } },\n"
    "            read = flow.agent { prompt = \"Read.\" },\n"
    "            count = function(ctx) ctx.memory.n = (ctx.memory.n or 0) + 1 end },\n"
    "  edges = { write = \"read\", read = \"count\",\n"
    "            count = flow.choose { to = { \"write\", flow.done }, function(ctx) "
    "return ctx.memory.n < 2 and \"write\" or flow.done end } } }\n";

static void test_agents(void) {
  flow_run run = {.answer = talk};
  flow_run_open(&run, flow_file(agents));
  const ck_flow_manifest *manifest = run.engine->manifest(run.flow);
  tap_ok(manifest->agents[0] && strcmp(manifest->agents[0], "read") == 0 &&
             strcmp(manifest->agents[1], "writer") == 0 && !manifest->agents[2],
         "the agents are known before it runs");
  tap_ok(manifest->tool_count == 2 && strcmp(manifest->tools[0].name, "look") == 0 &&
             strcmp(manifest->tools[1].name, "own") == 0,
         "and the tools");
  tap_ok(manifest->node_count == 3 && strcmp(manifest->nodes[0].name, "count") == 0 &&
             !manifest->nodes[0].reads[0],
         "and the nodes");
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "agents are nodes: %s", run.result.text);
  tap_ok(strstr(flow_run_log(&run), "main.writer@write#1/") &&
             strstr(flow_run_log(&run), "main.read@read#1/") &&
             strstr(flow_run_log(&run), "main.writer@write#2/"),
         "each in a scope of its own, every time it is visited");
  tap_is_text(flow_run_get(&run, "outputs.write"), "{\"text\":\"writer after 2\",\"turns\":1}",
              "its conversation goes on, and what it says is the output");
  flow_run_close(&run);
}

/* ---- the other kinds of nodes ---- */

static const char *say_yes(void *to, const ck_effect *effect) {
  (void)to;
  switch (effect->kind) {
    case CK_EFFECT_ASK:
      return "\"yes\"";
    case CK_EFFECT_EXEC:
      return "{\"exit\":0,\"stdout\":\"{\\\"x\\\":[1.50]}\",\"stderr\":\"\",\"stdout_bytes\":12,"
             "\"stderr_bytes\":0}";
    case CK_EFFECT_AGENT:
      return "\"done as told\"";
    default:
      return "null";
  }
}

static const char kinds[] = GRAPH_FLOW
    "return flow.graph { start = \"ask\", processes = { coder = flow.acp { argv = { \"coder\" } } "
    "},\n"
    "  nodes = { ask = flow.ask { question = \"Go?\", writes = \"go\" }, wait = flow.sleep(5), "
    "here = flow.safe_point(),\n"
    "            run = flow.exec { argv = { \"make\" }, reads = { \"go\" }, writes = { \"x\" } },\n"
    "            tell = flow.prompt { process = \"coder\", prompt = function(ctx) return \"make \" "
    ".. ctx.memory.x[1] end } },\n"
    "  edges = { ask = \"wait\", wait = \"here\", here = \"run\", run = \"tell\", tell = flow.done "
    "} }\n";

static void test_kinds(void) {
  flow_run run = {.answer = say_yes};
  flow_run_open(&run, flow_file(kinds));
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "all kinds of nodes run: %s",
             run.result.text);
  tap_is_text(flow_run_log(&run),
              "main/ask#1/ask/1 {\"question\":\"Go?\"}\nmain/wait#1/sleep/1 {\"ms\":5}\n"
              "main/run#1/exec/1 {\"argv\":[\"make\"],\"input\":{\"memory\":{\"go\":\"yes\"}}}\n"
              "main/tell#1/agent/1 {\"process\":\"coder\",\"prompt\":\"make 1.5\"}\n",
              "as effects of their kinds");
  tap_ok(strstr(flow_run_marks(&run),
                "node_start main here\nsafe_point main here\nedge_transition main here\n") != NULL,
         "a safe point is a boundary");
  tap_is_text(flow_run_get(&run, "memory.go"), "\"yes\"", "an answer is kept where the node says");
  tap_is_text(flow_run_get(&run, "outputs.tell"), "\"done as told\"",
              "what an agent process gave is the output");
  flow_run_close(&run);
}

int main(void) {
  test_way();
  test_kinds();
  test_loop();
  test_failures();
  test_missing_key();
  test_retry();
  test_on_error();
  test_agents();
  graph_survives(three, (const char *const[]){"outputs.c", "memory.m", NULL}, "three nodes");
  graph_survives(loop, (const char *const[]){"outputs.last", NULL}, "a loop");
  return tap_done();
}
