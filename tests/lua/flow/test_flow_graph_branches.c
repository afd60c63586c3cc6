/* test_flow_graph_branches.c - flow.graph: branches run side by side and meet, wherever it is
 * killed. */
#include <string.h>

#include "tests/lua/flow/graph_run.h"
#include "tests/tap.h"

static const char branches[] = GRAPH_FLOW GRAPH_CALL
    "local function work(name) return function(ctx) ctx.memory[name] = call(ctx, name) "
    "ctx.memory:append(\"all\", name) end end\n"
    "return flow.graph { start = \"split\",\n"
    "  nodes = { split = function(ctx) ctx.memory.all = { \"s\" } end, web = "
    "work(\"web\"), deep = work(\"deep\"), news = work(\"news\"),\n"
    "            sum = function(ctx) return { ctx.memory.all, ctx.memory.web, "
    "ctx.memory.deep, ctx.memory.news } end },\n"
    "  edges = { split = { parallel = { \"web\", \"news\" }, merge = { all = "
    "function(base, values)\n"
    "              local all = {} for _, list in ipairs { base, values.web, values.news "
    "} do for _, v in ipairs(list) do all[#all + 1] = v end end\n"
    "              return all end } },\n"
    "            web = \"deep\", deep = \"sum\", news = \"sum\", sum = flow.done } }\n";

static void test_branches(void) {
  flow_run run = graph_open(branches);
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "branches run and meet: %s",
             run.result.text);
  tap_is_int(run.most_under_way, 2, "side by side");
  tap_is_text(
      flow_run_get(&run, "outputs.sum"),
      "[[\"s\",\"s\",\"web\",\"deep\",\"s\",\"news\"],\"web\",\"deep\",\"news\"]",
      "what they wrote is there where they meet, and what both wrote as the edge merges it");
  tap_ok(flow_run_is_before(&run, "edge/web#1", "edge/deep#1"), "along their edges");
  tap_is_text(flow_run_sort_log(&run),
              "main.split.news@split#1:edge/news#1/tool/1 {\"name\":\"news\"}\n"
              "main.split.web@split#1:edge/deep#1/tool/1 {\"name\":\"deep\"}\n"
              "main.split.web@split#1:edge/web#1/tool/1 {\"name\":\"web\"}\n",
              "each in a scope of its own");
  flow_run_close(&run);
}

static const char nested[] = GRAPH_FLOW GRAPH_CALL
    "local function work(name) return function(ctx) ctx.memory[name] = call(ctx, name) end end\n"
    "return flow.graph { start = \"a\",\n"
    "  nodes = { a = work(\"a\"), b = work(\"b\"), c = work(\"c\"), d = work(\"d\"), e = "
    "work(\"e\"), f = work(\"f\"), g = work(\"g\"),\n"
    "            z = function(ctx) local m = ctx.memory return { m.a, m.b, m.c, m.d, m.e, m.f, "
    "m.g, ctx.memory.turns } end,\n"
    "            count = function(ctx) ctx.memory.turns = (ctx.memory.turns or 0) + 1 end },\n"
    "  edges = { a = { \"b\", \"c\" }, b = { \"d\", \"e\" }, d = \"f\", e = \"f\", f = \"g\", c = "
    "\"g\", g = \"count\",\n"
    "            count = flow.choose { to = { \"a\", \"z\" }, function(ctx) return "
    "ctx.memory.turns < 2 and \"a\" or \"z\" end }, z = flow.done } }\n";

static void test_nested(void) {
  flow_run run = graph_open(nested);
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "branches of branches in a loop meet: %s",
             run.result.text);
  tap_is_text(flow_run_get(&run, "outputs.z"), "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",2]",
              "and all that they wrote is there");
  tap_ok(strstr(flow_run_log(&run), "main.a.b.b.d@b#2:edge@a#2:edge/d#2/tool/1") != NULL,
         "visits are counted in branches too");
  flow_run_close(&run);
}

#define SPLIT(body, more)                                                                         \
  GRAPH_FLOW GRAPH_CALL                                                                           \
      "return flow.graph { start = \"a\", nodes = { a = function(ctx) ctx.memory.k = 1 end, b = " \
      "function(ctx) " body " end,\n"                                                             \
      "c = function(ctx) " body                                                                   \
      " end, d = function(ctx) return ctx.memory.k == nil and \"none\" or ctx.memory.k end },\n"  \
      "edges = { a = { parallel = { \"b\", \"c\" }" more                                          \
      " }, b = \"d\", c = \"d\", d = flow.done } }\n"

static void test_conflicts(void) {
  graph_fails(
      SPLIT("ctx.memory.k = 2", ""),
      "the branches 'b' and 'c' of node 'a' both wrote memory.k: say in the edge's merge what "
      "becomes of it",
      "two branches that write one key");
  graph_fails(SPLIT("ctx.memory.k = nil", ""), "both wrote memory.k",
              "two branches that remove one key");
  graph_fails(SPLIT("call(ctx, \"x\") error(\"no luck\", 0)", ""),
              "branch 'b' of node 'a': node 'b': no luck", "a branch that fails");
  graph_fails(SPLIT("ctx.memory.k = 2", ", merge = { k = function() error(\"cannot\", 0) end }"),
              "cannot", "a merge that raises");
  flow_run run =
      graph_open(SPLIT("ctx.memory.k = nil",
                       ", merge = { k = function(base, values) return { base, values } end }"));
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "a merge sees removals: %s",
             run.result.text);
  tap_is_text(flow_run_get(&run, "outputs.d"), "[1,{}]", "as values that are not there");
  flow_run_close(&run);
  run = graph_open(SPLIT("ctx.memory.k = 12345678901234567890 ctx.memory.k = nil",
                         ", merge = { k = function() return nil end }"));
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "a merge may remove a key: %s",
             run.result.text);
  tap_is_text(flow_run_get(&run, "outputs.d"), "\"none\"", "for all");
  flow_run_close(&run);
}

/* A branch that failed is run again; the other is not. */
static void test_branch_again(void) {
  graph_failing f = {"deep", 1};
  flow_run run = {.answer = graph_fail_first, .to = &f};
  flow_run_open(&run, flow_file(branches));
  tap_is_int(flow_run_finish(&run), CK_SESSION_FAILED, "a branch fails: %s", run.result.text);
  tap_is_text(run.result.text, "branch 'web' of node 'split': node 'deep': not yet", "it is named");
  tap_is_int(flow_run_finish(&run), CK_SESSION_COMPLETED, "a resume goes on in the branch: %s",
             run.result.text);
  tap_is_int(flow_run_twice(&run), 0, "and does nothing twice");
  tap_is_text(flow_run_get(&run, "outputs.sum"),
              "[[\"s\",\"s\",\"web\",\"deep\",\"s\",\"news\"],\"web\",\"deep\",\"news\"]",
              "all is there");
  flow_run_close(&run);
}

int main(void) {
  test_branches();
  test_nested();
  test_conflicts();
  test_branch_again();
  graph_survives(branches, (const char *const[]){"outputs.sum", NULL}, "branches");
  graph_survives(nested, (const char *const[]){"outputs.z", NULL}, "branches of branches");
  return tap_done();
}
