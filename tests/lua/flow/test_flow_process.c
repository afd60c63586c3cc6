/* test_flow_process.c - what a flow says of the processes that it talks to, and what it makes of
 * the tools that they offer. */
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

#define FLOW "local flow = require \"ck.flow\"\n"

static void is_refused(const char *text, ck_status want, const char *say, const char *promise) {
  ck_error err = CK_ERROR_INIT;
  ck_flow_engine *engine = NULL;
  ck_flow *flow = NULL;
  if (ck_flow_engine_new(&engine, NULL, &err) != CK_OK) tap_must(false, "%s", err.text);
  tap_is_status(engine->load(&flow, engine->self, flow_file(text), &err), want, &err, "%s",
                promise);
  if (!tap_ok(strstr(err.text, say) != NULL, "the text is '%s'", say))
    tap_diag("it is '%s'", err.text);
  if (flow) engine->unload(flow);
  engine->free(engine->self);
}

#define WITH(process) \
  FLOW "return flow.custom { run = function() end, processes = { p = " process " } }\n"
#define RAW(process) "return { kind = \"mine\", run = function() end, processes = " process " }\n"

static void test_refusals(void) {
  is_refused(WITH("flow.mcp { arg = { \"x\" } }"), CK_E_PARSE,
             "flow.mcp has no field 'arg'; did you mean 'argv'?", "a typo");
  is_refused(WITH("flow.mcp {}"), CK_E_PARSE,
             "flow.mcp needs 'argv', the program and its arguments", "a server without a program");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, url = \"http://x/\" }"), CK_E_PARSE,
             "or 'url', one of the two", "a server at two places");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, key = \"k\" }"), CK_E_PARSE,
             "'key' and 'headers' are for a 'url'", "a key for a program");
  is_refused(WITH("flow.mcp { url = \"http://x/\", env = { \"X\" } }"), CK_E_PARSE,
             "'env' is for a program", "variables for a server elsewhere");
  is_refused(WITH("flow.mcp { url = \"ftp://x/\" }"), CK_E_PARSE,
             "'url' must be \"https://HOST/…\" or \"http://HOST/…\"", "another scheme");
  is_refused(WITH("flow.mcp { url = \"http://x/\\n\" }"), CK_E_PARSE, "'url' must be",
             "a line break in it");
  is_refused(WITH("flow.mcp { url = \"https://me:pw@x/\" }"), CK_E_PARSE,
             "'url' is no place for a credential", "a password in it");
  is_refused(WITH("flow.mcp { url = \"https://x/?api_key=1\" }"), CK_E_PARSE,
             "'url' is no place for a credential", "a key in it");
  is_refused(WITH("flow.mcp { url = \"https://x/\", headers = { [\"a b\"] = \"1\" } }"), CK_E_PARSE,
             "takes names of headers as keys, not 'a b'", "no header's name");
  is_refused(WITH("flow.mcp { url = \"https://x/\", headers = { a = \"1\\r\\nb: 2\" } }"),
             CK_E_PARSE, "'a' has a line break", "two headers in one");
  is_refused(WITH("flow.mcp { url = \"https://x/\", headers = { Accept = \"1\" } }"), CK_E_PARSE,
             "'Accept' is ckrun's own", "a header that is ckrun's own");
  is_refused(WITH("flow.mcp { url = \"https://x/\", headers = { a = { secre = \"1\" } } }"),
             CK_E_PARSE, "has no field 'secre'; did you mean 'secret'?", "a typo in a header");
  is_refused(WITH("flow.acp { argv = { \"x\" }, url = \"http://x/\" }"), CK_E_PARSE,
             "flow.acp has no field 'url'", "an agent elsewhere");
  is_refused(RAW("{ { name = \"x\", protocol = \"mcp\", url = \"http://x/\", headers = { \"a\", "
                 "\"secret\" } } }"),
             CK_E_TYPE, "headers must have three texts for each", "a header without a value");
  is_refused(WITH("flow.acp { argv = {} }"), CK_E_PARSE,
             "flow.acp: 'argv' must be a list of strings with at least one", "an empty program");
  is_refused(WITH("flow.acp { argv = { \"x\" }, tools = {} }"), CK_E_PARSE,
             "flow.acp has no field 'tools'", "tools of an agent");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, tools = { echo = \"prue\" } }"), CK_E_PARSE,
             "flow.mcp: 'tools' 'echo' must be pure, idempotent, reconcilable or once, not 'prue'",
             "a class that there is not");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, prefix = \"a b\" }"), CK_E_PARSE,
             "'prefix' must be a text of 1 to 32 letters, digits, '_' and '-'",
             "a prefix of words");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, sampling = 5 }"), CK_E_PARSE,
             "'sampling' must be true, the name of a model, or a table", "sampling of a number");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, sampling = { max_calls = 81 } }"), CK_E_PARSE,
             "'max_calls' must be 80 at most", "calls without end");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, tools = { \"echo\" } }"), CK_E_PARSE,
             "takes names of the server's tools as keys", "a tool without a class");
  is_refused(
      WITH("flow.mcp { argv = { \"x\" }, tools = { put = \"reconcilable\" } }"), CK_E_PARSE,
      "flow.mcp: 'tools' 'put' needs a probe, the server's tool that tells whether it happened",
      "no way to tell whether it happened");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, tools = { put = { class = \"once\" } } }"),
             CK_E_PARSE, "'put' needs a probe", "a table without a probe");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, tools = { put = { prob = \"is_put\" } } }"),
             CK_E_PARSE, "has no field 'prob'; did you mean 'probe'?", "a typo in it");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, tools = { put = { class = \"pur\", probe = "
                  "\"is_put\" } } }"),
             CK_E_PARSE, "must be pure, idempotent, reconcilable or once, not 'pur'",
             "no class in it");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, env = { \"KEY=value\" } }"), CK_E_PARSE,
             "must be a list of names of variables, not 'KEY=value'", "a value in the environment");
  is_refused(WITH("flow.mcp { argv = { \"x\" }, timeout_s = 0 }"), CK_E_PARSE,
             "'timeout_s' must be a number of seconds above 0", "no time");
  is_refused(WITH("flow.acp { argv = { \"x\" }, total_s = 0 }"), CK_E_PARSE,
             "'total_s' must be a number of seconds above 0", "no time in all");
  is_refused(WITH("{ argv = { \"x\" } }"), CK_E_PARSE, "'p' must be flow.mcp{…} or flow.acp{…}",
             "a process of no protocol");
  is_refused(FLOW "return flow.custom { run = function() end, processes = { flow.mcp { argv = { "
                  "\"x\" } } } }\n",
             CK_E_PARSE, "takes names as keys", "a process without a name");
  is_refused(RAW("5"), CK_E_TYPE, "processes must be a list, not a number", "no list");
  is_refused(RAW("{ 5 }"), CK_E_TYPE,
             "processes must be a list of {name=", "a list of something else");
  is_refused(RAW("{ { protocol = \"mcp\" } }"), CK_E_TYPE, "a process needs a name", "no name");
  is_refused(RAW("{ { name = \"x\", protocol = \"mpc\" } }"), CK_E_TYPE,
             "process 'x': protocol must be mcp or acp", "no protocol");
  is_refused(RAW("{ { name = \"x\", protocol = \"mcp\" } }"), CK_E_TYPE, "process 'x' needs argv",
             "no program");
  is_refused(RAW("{ { name = \"x\", protocol = \"mcp\", argv = { \"x\" }, timeout_s = -1 } }"),
             CK_E_TYPE, "timeout_s must be a number of seconds", "a time before now");
  is_refused(RAW("{ { name = \"x\", protocol = \"mcp\", argv = { \"x\" }, total_s = \"1h\" } }"),
             CK_E_TYPE, "total_s must be a number of seconds", "a whole time that is none");
}

static void test_manifest(void) {
  flow_driver driver = {0};
  flow_driver_load(
      &driver,
      flow_file(FLOW "return flow.custom { run = function() end, processes = {\n"
                     "  coder = flow.acp { argv = { \"coder\" } },\n"
                     "  box = flow.mcp { argv = { \"./box\", \"a b\" }, env = { "
                     "\"BOX\" }, timeout_s = 1.5, total_s = 90.25, tools = { put = \"once\",\n"
                     "    send = { probe = \"is_sent\", class = \"once\" }, book = { "
                     "probe = \"is_booked\" } } },\n"
                     "} }\n"),
      NULL);
  const ck_flow_manifest *manifest = driver.engine->manifest(driver.flow);
  tap_is_int((int64_t)manifest->process_count, 2, "both are known");
  const ck_flow_process *process = &manifest->processes[0];
  tap_is_text(process->name, "box", "they are sorted by name");
  tap_ok(
      process->protocol == CK_FLOW_MCP && strcmp(process->argv[1], "a b") == 0 && !process->argv[2],
      "its program and arguments");
  tap_ok(strcmp(process->environment[0], "BOX") == 0 && !process->environment[1],
         "what it may see");
  tap_is_int(process->timeout_ms, 1500, "how long it may be silent");
  tap_is_int(process->total_ms, 90250, "how long it may take");
  static const char *const pairs[] = {"book", "is_booked", "send", "is_sent"};
  for (size_t i = 0; i < 4; i++) tap_is_text(process->probes[i], pairs[i], "its probes, %zu", i);
  tap_ok(!process->probes[4], "and no more");
  process = &manifest->processes[1];
  tap_ok(process->protocol == CK_FLOW_ACP && !process->environment[0] && process->timeout_ms == 0 &&
             process->total_ms == 0,
         "an agent that says no more");
  flow_driver_clear(&driver);
}

/* ---- mcp.offer ---- */

#define SERVERS(air)                                                                             \
  FLOW "local mcp = require \"ck.flow.mcp\"\nlocal process = require \"ck.flow.process\"\n"      \
       "local plain, servers = mcp.split { mine = \"pure\",\n"                                   \
       "  box = flow.mcp { argv = { \"x\" }, tools = { put = { probe = \"is_put\" } } }, air = " \
       "flow.mcp { argv = { \"y\" }, " air " } }\n"

#define RUN                                                                                      \
  "return flow.custom { processes = servers, tools = plain, run = function(ctx)\n"               \
  "  local out = {}\n"                                                                           \
  "  for i, t in ipairs(mcp.offer(ctx, process.declare(servers), { { name = \"mine\" } })) do\n" \
  "    out[i] = t.server .. \".\" .. t.name .. \":\" .. t.class\n"                               \
  "  end\n"                                                                                      \
  "  return table.concat(out, \" \")\n"                                                          \
  "end }\n"

static void check_offer(const char *text, const char *first, const char *second, const char *want) {
  flow_driver driver = {0};
  const char *const answers[] = {first, second, NULL};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load(&driver, flow_file(text), NULL);
  driver.answers[CK_EFFECT_TOOL] = answers;
  ck_status status = flow_driver_run(&driver, &err);
  const char *got = status == CK_OK && driver.value ? ck_value_bytes(driver.value).data : err.text;
  if (!tap_ok(strstr(got, want) != NULL, "the offer comes to %s", want)) tap_diag("it is %s", got);
  flow_driver_clear(&driver);
}

static void offers(const char *first, const char *second, const char *want) {
  check_offer(SERVERS("") RUN, first, second, want);
}

#define TOOLS(list) "{\"tools\":[" list "]}"
#define TOOL(name, class) "{\"name\":\"" name "\",\"parameters\":{},\"class\":\"" class "\"}"

/* Offered by another name than the server's own. */
#define CALLED(name, called, class) \
  "{\"name\":\"" name "\",\"called\":\"" called "\",\"parameters\":{},\"class\":\"" class "\"}"

static void test_names(void) {
  offers(TOOLS(CALLED("a_b", "a.b", "pure") "," CALLED("a_b", "a/b", "once") "," TOOL("a_b_2",
                                                                                      "pure")),
         TOOLS(CALLED("put", "put!", "once") "," TOOL("put", "once") "," CALLED(
             "is_put", "is put", "pure") "," TOOL("is_put", "pure")),
         "\"air.a_b:pure air.a_b_3:once air.a_b_2:pure box.put_2:once box.put:reconcilable "
         "box.is_put_2:pure\"");
  offers(TOOLS(CALLED("mine", "mine?", "pure")),
         TOOLS(TOOL("put", "once") "," TOOL("is_put", "pure")),
         "\"air.mine_2:pure box.put:reconcilable\"");
}

static void test_offer(void) {
  offers(TOOLS(TOOL("breathe", "pure")),
         TOOLS(TOOL("put", "once") "," TOOL("is_put", "pure") "," TOOL("get", "idempotent")),
         "\"air.breathe:pure box.put:reconcilable box.get:idempotent\"");
  offers(TOOLS(), TOOLS(TOOL("put", "once") "," TOOL("is_put", "pure")),
         "\"box.put:reconcilable\"");
  offers(TOOLS(), TOOLS(TOOL("put", "once") "," TOOL("is_putt", "pure")),
         "the MCP server 'box' has no tool 'is_put', which is the probe of 'put'; did you mean "
         "'is_putt'?");
  offers(TOOLS(TOOL("put", "once")), TOOLS(TOOL("put", "once") "," TOOL("is_put", "pure")),
         "the tool 'put' is offered by the MCP server 'air' and by the MCP server 'box': leave one "
         "of them out");
  offers(TOOLS(TOOL("mine", "pure")), TOOLS(),
         "the tool 'mine' is offered by the flow itself and by the MCP server 'air'");
  offers(TOOLS(), TOOLS(TOOL("putt", "once")),
         "the MCP server 'box' has no tool 'put', whose class is declared; did you mean 'putt'?");
  offers("!no such method", TOOLS(),
         "the MCP server 'air' does not list its tools: no such method");
  offers("5", TOOLS(), "the MCP server 'air' does not list its tools");
}

/* Two servers may have tools of one name, and a server more tools than a model is to see. */
static void test_choice(void) {
  static const char both[] = TOOLS(TOOL("put", "once") "," TOOL("is_put", "pure"));
  check_offer(SERVERS("tools = { put = false }") RUN, both, both,
              "\"air.is_put:pure box.put:reconcilable\"");
  check_offer(SERVERS("tools = { puts = false }") RUN, both, both,
              "the MCP server 'air' has no tool 'puts', which is left out; did you mean 'put'?");
  check_offer(SERVERS("prefix = \"air_\"") RUN, both, both,
              "\"air.air_put:once air.air_is_put:pure box.put:reconcilable\"");
  check_offer(SERVERS("prefix = \"mi\", tools = { put = \"pure\" }") RUN,
              TOOLS(TOOL("put", "once") "," TOOL("ne", "pure")), both,
              "\"air.miput:pure air.mine_2:pure box.put:reconcilable\"");
  offers(both, both, "with tools = { ['put'] = false }, or give a server a prefix");
}

int main(void) {
  test_refusals();
  test_manifest();
  test_offer();
  test_choice();
  test_names();
  return tap_done();
}
