/* test_flow_load.c - loading flow files: what is known before they run, and what is said of those
 * that cannot be loaded. */
#include <string.h>
#include <stdio.h>

#include "tests/clock.h"
#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

/* `want` is what the text must hold; a leading @ stands for the path. */
static void is_refused(const char *text, ck_status want, const char *say, const char *promise) {
  ck_error err = CK_ERROR_INIT;
  ck_flow_engine *engine = NULL;
  ck_flow *flow = NULL;
  const char *path = flow_file(text);
  clock_steps steps = {.step_us = 1000};
  const ck_clock clock = clock_of_steps(&steps);
  if (ck_flow_engine_new(&engine, &clock, &err) != CK_OK) tap_must(false, "%s", err.text);
  ck_status status = engine->load(&flow, engine->self, path, &err);
  tap_is_status(status, want, &err, "%s", promise);
  tap_is_int(err.status, want, "the error agrees");
  tap_ok(!flow, "there is no flow");
  bool of_path = say[0] == '@';
  size_t skip = of_path ? strlen(path) : 0;
  bool found = of_path ? strncmp(err.text, path, skip) == 0 && strcmp(err.text + skip, say + 1) == 0
                       : strstr(err.text, say) != NULL;
  if (!tap_ok(found, "the text is '%s'", say)) tap_diag("it is '%s'", err.text);
  if (flow) engine->unload(flow);
  engine->free(engine->self);
}

#define FLOW "local flow = require \"ck.flow\"\n"

static void test_refusals(void) {
  is_refused("local x = = 1\n", CK_E_PARSE, "@:1: unexpected symbol near '='",
             "a file that does not parse");
  is_refused(FLOW "\nlocal t = nil\nreturn t.x\n", CK_E_PARSE,
             "@:4: attempt to index a nil value (local 't')", "a file that raises");
  is_refused("\x1bLua", CK_E_PARSE, "compiled", "a compiled chunk");
  is_refused("return \"\xff\"\n", CK_E_PARSE, "UTF-8", "a file that is not UTF-8");
  is_refused("", CK_E_TYPE,
             "@: returns nothing, not a flow: end it with 'return flow.agent{…}', where flow = "
             "require \"ck.flow\"",
             "an empty file");
  is_refused("return 7\n", CK_E_TYPE, "returns number, not a flow",
             "a file that returns something else");
  is_refused("return { kind = \"x\" }\n", CK_E_TYPE, "not a flow",
             "a table that does not say how it runs");
  is_refused(
      FLOW "return flow.lua { retry = { times = 2 }, run = function() end }\n", CK_E_TYPE,
      "@: returns a node (lua) with 'retry', which has a meaning for a node of a graph only: "
      "return flow.graph { start = \"it\", nodes = { it = … }, edges = { it = flow.done } }",
      "a node alone with a retry that nobody would make");
  is_refused(FLOW "return flow.exec { argv = { \"false\" }, on_error = \"x\" }\n", CK_E_TYPE,
             "returns a node (exec) with 'on_error'", "or with a way on that there is not");
  is_refused(FLOW "return flow.node { flow.agent {}, retry = { times = 2 } }\n", CK_E_TYPE,
             "returns a node (agent) with 'retry'", "an agent, too");
  is_refused("while true do end\n", CK_E_FLOW_STALLED, ":1: ", "a file that does not end");
  is_refused("while true do pcall(function() while true do end end) end\n", CK_E_FLOW_STALLED,
             ":1: ", "nor when it catches all errors");
  is_refused("return require(\"io\")\n", CK_E_PARSE, "there is no module 'io'",
             "a module that there is not");
  is_refused("error({})\n", CK_E_PARSE, "table", "an error that is no text");
  is_refused("x = 1\n", CK_E_PARSE, "global 'x'", "a global that is set");
}

static void test_definitions(void) {
  is_refused(FLOW "return flow.agent { promt = \"x\" }\n", CK_E_PARSE,
             "@: flow.agent has no field 'promt'; did you mean 'prompt'?", "a typo in a field");
  is_refused(FLOW "return flow.agent { sotp = 1 }\n", CK_E_PARSE, "did you mean 'stop'?",
             "letters that are swapped");
  is_refused(FLOW "return flow.agent { prompt = 5 }\n", CK_E_PARSE,
             "@: flow.agent: 'prompt' must be a text, a function of ctx, or flow.recorded",
             "a prompt that is none");
  is_refused(FLOW "return flow.agent { model = {} }\n", CK_E_PARSE,
             "'model' must be a string, not a table", "a wrong type");
  is_refused(FLOW "return flow.agent { user = true }\n", CK_E_PARSE, "'user' must be flow.ask{…}",
             "a user that is none");
  is_refused(FLOW "return flow.agent { max_iterations = 0 }\n", CK_E_PARSE,
             "'max_iterations' must be a whole number from 1", "no turns");
  is_refused(
      FLOW "return flow.agent { tools = { buy = \"onec\" } }\n", CK_E_PARSE,
      "@: flow.agent: tools: 'buy' must be pure, idempotent, reconcilable or once, not 'onec'",
      "a class that there is not");
  is_refused(FLOW "return flow.agent { tools = { \"buy\", buy = \"pure\" } }\n", CK_E_PARSE,
             "'buy' is declared twice", "a tool declared twice");
  is_refused(FLOW "return flow.agent { tools = { buy = flow.command { argv = {} } } }\n",
             CK_E_PARSE, "@:2: flow.command: 'argv' must be a list of strings with at least one",
             "a command without a program");
  is_refused(FLOW "return flow.agent { tools = { buy = { argv = { \"x\", 5 } } } }\n", CK_E_PARSE,
             "one is a number", "a word that is a number");
  is_refused(FLOW "return flow.agent { tools = { buy = flow.command { argv = { \"x\" }, class = "
                  "\"reconcilable\" } } }\n",
             CK_E_PARSE, "needs 'probe'", "a probe that is missing");
  is_refused(
      FLOW
      "return flow.agent { tools = { buy = flow.command { argv = { \"x\" }, timeout_s = 0 } } }\n",
      CK_E_PARSE, "'timeout_s' must be a number of seconds above 0", "no time at all");
  is_refused(
      FLOW
      "return flow.agent { tools = { buy = flow.command { argv = { \"x\" }, paramters = {} } } }\n",
      CK_E_PARSE, "did you mean 'parameters'?", "a typo in a tool");
  is_refused(FLOW "return flow.agent { tools = { buy = flow.command { argv = { \"x\" }, parameters "
                  "= { type } } } }\n",
             CK_E_PARSE, "a value that cannot be stored: a function", "a schema that is no JSON");
  is_refused(FLOW "return flow.agent { \"x\" }\n", CK_E_PARSE, "takes named fields, not [1]",
             "a field without a name");
  is_refused(FLOW "return flow.agent()\n", CK_E_PARSE, "takes a table, not a nil", "no table");
  is_refused(FLOW "return flow.agnet {}\n", CK_E_PARSE, ":2: ", "a kind that there is not");
  is_refused(FLOW "return flow.custom { name = \"x\" }\n", CK_E_PARSE,
             "@: flow.custom needs 'run', a function of ctx", "no function");
  is_refused("return { kind = \"mine\", run = function() end, tools = { { class = \"pure\" } } }\n",
             CK_E_TYPE, "@: a tool needs a name", "a tool without a name");
  is_refused("return { kind = \"mine\", run = function() end, tools = { { name = \"x\", class = "
             "\"y\" } } }\n",
             CK_E_TYPE, "@: tool 'x': 'y' is not a class",
             "a tool of an own kind with a class that there is not");
  is_refused("return { kind = \"mine\", run = function() end, secrets = { 5 } }\n", CK_E_TYPE,
             "@: secrets must be a string, not a number", "a secret that is no name");
}

static void test_files(void) {
  ck_error err = CK_ERROR_INIT;
  ck_flow_engine *engine;
  ck_flow *flow;
  if (ck_flow_engine_new(&engine, NULL, &err) != CK_OK) tap_must(false, "%s", err.text);
  const char *missing = tap_tmpfile("missing.lua");
  tap_is_status(engine->load(&flow, engine->self, missing, &err), CK_E_NOT_FOUND, &err,
                "a file that is not there");
  tap_ok(strstr(err.text, missing) != NULL, "it is named");
  tap_ok(engine->load(&flow, engine->self, tap_tmpdir(), &err) != CK_OK, "a folder is no flow");
  tap_ok(!flow && strstr(err.text, tap_tmpdir()) != NULL, "it is named");
  engine->free(engine->self);
}

static const ck_flow_tool *find_tool(const ck_flow_manifest *manifest, const char *name) {
  for (size_t i = 0; i < manifest->tool_count; i++) {
    if (strcmp(manifest->tools[i].name, name) == 0) return &manifest->tools[i];
  }
  return NULL;
}

static void test_manifest(void) {
  static const char text[] =
      FLOW "return flow.custom {\n"
           "  run = function() end, reads = { \"memory.topic\", \"memory.x\" }, secrets = { "
           "\"openai\" }, agents = { \"a\" },\n"
           "  tools = { \"plain\", look = \"pure\", buy = flow.command { argv = { \"./buy\", \"a "
           "b\" }, probe = { \"./bought\" }, class = \"reconcilable\" },\n"
           "            pay = flow.command { argv = { \"pay\" }, timeout_s = 2.5, description = "
           "\"Pays.\",\n"
           "                                 parameters = { type = \"object\", required = { "
           "\"sum\" } } } },\n"
           "}\n";
  flow_driver driver = {0};
  const char *path = flow_file(text);
  flow_driver_load(&driver, path, NULL);
  const ck_flow_manifest *manifest = driver.engine->manifest(driver.flow);
  ck_digest digest = ck_digest_of(ck_bytes_text(text));
  tap_ok(ck_digest_equal(&digest, &manifest->digest), "the digest is of the file's bytes");
  tap_is_text(manifest->path, path, "its path");
  tap_is_text(manifest->kind, "custom", "its kind");
  char name[32];
  tap_ok(sscanf(strrchr(path, '/'), "/%31[^.]", name) == 1 && strcmp(manifest->name, name) == 0,
         "without a name it is called as its file");
  tap_ok(!manifest->reads[2] && strcmp(manifest->reads[1], "memory.x") == 0, "what it reads");
  tap_ok(!manifest->secrets[1] && strcmp(manifest->secrets[0], "openai") == 0, "its secrets");
  tap_ok(!manifest->agents[1] && strcmp(manifest->agents[0], "a") == 0, "its agents");
  tap_is_int((int64_t)manifest->tool_count, 4, "its tools");
  const ck_flow_tool *tool = find_tool(manifest, "buy");
  tap_ok(tool && tool->class == CK_EFFECT_RECONCILABLE && strcmp(tool->argv[1], "a b") == 0 &&
             !tool->argv[2],
         "a command");
  tap_ok(tool && strcmp(tool->probe[0], "./bought") == 0 && !tool->probe[1], "its probe");
  tool = find_tool(manifest, "pay");
  tap_ok(tool && tool->class == CK_EFFECT_ONCE && !tool->probe,
         "a command that does not say is done once");
  tap_is_int(tool->timeout_ms, 2500, "the time it has");
  tap_is_text(tool->description, "Pays.", "what models are told of it");
  tap_is_text(tool->parameters, "{\"required\":[\"sum\"],\"type\":\"object\"}",
              "and of its arguments");
  tool = find_tool(manifest, "plain");
  tap_ok(tool && tool->class == CK_EFFECT_ONCE && !tool->argv, "so is a tool that does not say");
  tool = find_tool(manifest, "look");
  tap_ok(tool && tool->class == CK_EFFECT_PURE && !tool->argv, "a tool with a class alone");
  tap_ok(tool->timeout_ms == 0 && !tool->description && !tool->parameters,
         "and without a word more");
  flow_driver_clear(&driver);
}

int main(void) {
  test_refusals();
  test_definitions();
  test_files();
  test_manifest();
  return tap_done();
}
