/* test_flow_agent.c - flow.agent's tools: several side by side, Lua functions, calls that cannot be
 * made, and what is passed on. */
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

#define AGENT(fields) "local flow = require \"ck.flow\"\nreturn flow.agent {" fields "}\n"

static const char *const *models, *const *tools;
static const char *file;

/* One file for one text, so that its name in error texts stays. */
static void load(flow_driver *driver) {
  static char *text;
  static const char *path;
  if (!text || strcmp(file, text) != 0) {
    free(text);
    text = strdup(file);
    path = flow_file(file);
  }
  flow_driver_load(driver, path, NULL);
  driver->answers[CK_EFFECT_MODEL] = models;
  driver->answers[CK_EFFECT_TOOL] = tools;
}

static void is_run(const char *want, const char *promise) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  load(&driver);
  ck_status status = flow_driver_run(&driver, &err);
  tap_is_text(status == CK_OK ? flow_driver_log(&driver) : err.text, want, "%s", promise);
  flow_driver_clear(&driver);
}

#define MODEL "effect model/0 pure - {\"model\":\"default\",\"tools\":[\"a\",\"b\",\"c\"]}\n"
#define BEFORE_B                                                                             \
  "boundary before_call next.tool=b next.class=once {\"calls\":[{\"class\":\"pure\",\"id\":" \
  "\"x\",\"tool\":\"a\"},{\"class\":\"once\",\"id\":\"x\",\"tool\":\"b\"},{\"class\":"       \
  "\"idempotent\",\"id\":\"z\",\"tool\":\"c\"}],\"next\":\"calls\",\"path\":\"start\",\"turn\":1}\n"
#define THREE "tools = { a = \"pure\", b = \"once\", c = \"idempotent\" }"

static void test_side_by_side(void) {
  static const char *const calls[] = {FLOW_CALLS(FLOW_CALL("x", "a", "\"{}\"") "," FLOW_CALL(
                                          "x", "b", "\"{}\"") "," FLOW_CALL("z", "c", "\"{}\"")),
                                      FLOW_SAYS("ok"), NULL};
  static const char *const results[] = {"\"1\"", "!no", "\"3\"", NULL};
  static const char *const two[] = {"\"1\"", "\"2\"", NULL};
  models = calls;
  tools = results;
  file = AGENT(THREE ", parallel_tools = 8");
  is_run(MODEL BEFORE_B
         "1 of 3: effect tool/1 pure - "
         "{\"name\":\"a\",\"call_id\":\"x\",\"index\":0,\"arguments\":\"{}\"}\n"
         "2 of 3: effect tool/2 once - "
         "{\"name\":\"b\",\"call_id\":\"x\",\"index\":1,\"arguments\":\"{}\"}\n"
         "3 of 3: effect tool/3 idempotent - "
         "{\"name\":\"c\",\"call_id\":\"z\",\"index\":2,\"arguments\":\"{}\"}\n"
         "boundary tool_round {\"next\":\"model\",\"path\":\"agent#2\",\"turn\":2}\n" MODEL
         "done {\"text\":\"ok\",\"turns\":2}\n",
         "the calls of one message are asked for at once, whatever their classes");
  flow_driver_survives(load, "calls side by side");
  file = AGENT(THREE ", parallel_tools = 2");
  is_run(MODEL BEFORE_B
         "1 of 2: effect tool/1 pure - "
         "{\"name\":\"a\",\"call_id\":\"x\",\"index\":0,\"arguments\":\"{}\"}\n"
         "2 of 2: effect tool/2 once - "
         "{\"name\":\"b\",\"call_id\":\"x\",\"index\":1,\"arguments\":\"{}\"}\n"
         "effect tool/3 idempotent - "
         "{\"name\":\"c\",\"call_id\":\"z\",\"index\":2,\"arguments\":\"{}\"}\n"
         "boundary tool_round {\"next\":\"model\",\"path\":\"agent#2\",\"turn\":2}\n" MODEL
         "done {\"text\":\"ok\",\"turns\":2}\n",
         "at most parallel_tools of them");
  tools = two;
  file = AGENT(THREE ", parallel_tools = 8");
  is_run(MODEL BEFORE_B "1 of 3: effect tool/1 pure - "
                        "{\"name\":\"a\",\"call_id\":\"x\",\"index\":0,\"arguments\":\"{}\"}\n"
                        "2 of 3: effect tool/2 once - "
                        "{\"name\":\"b\",\"call_id\":\"x\",\"index\":1,\"arguments\":\"{}\"}\n"
                        "3 of 3: effect tool/3 idempotent - "
                        "{\"name\":\"c\",\"call_id\":\"z\",\"index\":2,\"arguments\":\"{}\"}\n"
                        "done {\"ended\":\"recording\",\"turns\":1}\n",
         "a recording that ends inside of the batch ends the flow: no round is completed with a "
         "part of the results");
}

#define NOTING                                                                                     \
  "local function note(ctx, args)\n"                                                               \
  "  ctx.memory:append(\"notes\", args.text)\n"                                                    \
  "  if args.text == \"bad\" then error(\"no such note\", 0) end\n"                                \
  "  if args.text == \"odd\" then return { kept = #ctx.memory.notes } end\n"                       \
  "  if args.text == \"run\" then return ctx.effect { kind = \"exec\", class = \"once\", request " \
  "= { argv = { \"x\" } } }.result end\n"                                                          \
  "  if args.text == \"ask\" then return ctx.effect { kind = \"model\", class = \"pure\", "        \
  "request = {} }.result end\n"                                                                    \
  "  if args.text == \"f\" then return { f = note } end\n"                                         \
  "  if args.text == \"fn\" then return { f = error } end\n"                                       \
  "  if args.text ~= \"none\" then return #ctx.memory.notes end\n"                                 \
  "end\n"                                                                                          \
  "local flow = require \"ck.flow\"\n"                                                             \
  "return flow.agent { tools = { note = flow.tool(note, { description = \"Keep a note\", "         \
  "parameters = { type = \"object\",\n"                                                            \
  "  properties = { text = { type = \"string\" } }, required = { \"text\" } } }), look = "         \
  "\"pure\" } }\n"

#define NOTE(id, text) FLOW_CALL(id, "note", "\"{\\\"text\\\":\\\"" text "\\\"}\"")
#define TOLD(id, name, content) \
  "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"name\":\"" name "\",\"content\":" content "}\n"

static const char *const exec_answers[] = {"\"ran\"", NULL};
static void load_notes(flow_driver *driver) {
  load(driver);
  driver->answers[CK_EFFECT_EXEC] = exec_answers;
}

static void test_functions(void) {
  static const char *const calls[] = {
      FLOW_CALLS(NOTE("1", "x") "," FLOW_CALL("2", "look", "\"{}\"") "," NOTE("3", "odd") "," NOTE(
          "4", "none")),
      FLOW_CALLS(NOTE("5", "bad") "," NOTE("6", "run") "," NOTE("7", "ask") "," NOTE(
          "8", "fn") "," NOTE("9", "[redacted:key:0123456789ab]")),
      FLOW_SAYS("ok"), NULL};
  static const char *const results[] = {"\"seen\"", NULL};
  models = calls;
  tools = results;
  file = NOTING;
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  load_notes(&driver);
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err,
                "a flow whose tools are Lua functions runs to its end");
  const char *messages = flow_driver_messages(&driver);
  tap_ok(strstr(messages, TOLD("1", "note", "\"1\"") TOLD("2", "look", "\"seen\"")
                              TOLD("3", "note", "{\"kept\":2}") TOLD("4", "note", "\"\"")) != NULL,
         "results stand in the order of the calls, functions and effects mixed, a table as JSON, "
         "nothing as an empty text");
  tap_ok(strstr(messages, TOLD("5", "note", "\"Error: no such note\"")) != NULL,
         "a function that raises is told to the model");
  tap_ok(strstr(messages, TOLD("6", "note", "\"ran\"")) != NULL,
         "a function may have effects of its own");
  tap_ok(
      strstr(messages,
             "a tool can ask for effects of kind exec, sleep, agent and read, not model") != NULL,
      "but none that speaks in the conversation");
  tap_ok(strstr(messages, "\"8\",\"name\":\"note\",\"content\":\"Error: ") != NULL,
         "a result that is no JSON is told to the model too");
  tap_ok(strstr(messages, TOLD("9", "note",
                               "\"not run: its arguments held a secret that was not stored; call "
                               "it again with them\"")) != NULL,
         "a call whose stored arguments were masked is not made");
  tap_is_bytes(ck_value_bytes(ck_state_get(driver.state, "memory.notes")),
               ck_bytes_text("[\"x\",\"odd\",\"none\",\"bad\",\"run\",\"ask\",\"fn\"]"),
               "what a function writes is in the memory");
  tap_ok(strstr(flow_driver_log(&driver), "\"tools\":[\"look\",{\"description\":\"Keep a "
                                          "note\",\"name\":\"note\",\"parameters\":{\"properties\":"
                                          "{\"text\":{\"type\":\"string\"}},"
                                          "\"required\":[\"text\"],\"type\":\"object\"}}]") != NULL,
         "a tool with a description is shown with it, one without by its name");
  flow_driver_clear(&driver);
  flow_driver_survives(load_notes, "Lua functions as tools");
}

static void test_arguments(void) {
  static const struct {
    const char *arguments, *content;
  } cases[] = {
      {"\"{\\\"text\\\":\\\"x\\\"}\"", "1"},
      {"\" {\\\"text\\\":\\\"x\\\"} \\n\"", "1"},
      {"{\"text\":\"x\"}", "1"},
      {"\"{\\\"text\\\":\\\"a\\nb\\t\\\\\\\"c\\u001b\\\"\\n}\"",
       "1"}, /* line break, tab, quote and escape inside of the text */
      {"\"   \"", "Error: the argument 'text' is missing"},
      {"\"{\\\"text\\\":5}\"", "Error: the argument 'text' must be of type string"},
      {"\"{\\\"text\\\":null}\"", "Error: the argument 'text' must be of type string"},
      {"\"{}\"", "Error: the argument 'text' is missing"},
      {"\"\"", "Error: the argument 'text' is missing"},
      {"null", "Error: the argument 'text' is missing"},
      {"\"{\\\"text\\\":\"", "Error: the arguments of 'note' are not a JSON object"},
      {"\"[1]\"", "Error: the arguments of 'note' are not a JSON object"},
      {"\"x\"", "Error: the arguments of 'note' are not a JSON object"},
      {"7", "Error: the arguments of 'note' are not a JSON object"},
      {"\"{} {}\"", "Error: the arguments of 'note' are not a JSON object"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_buffer call = {0}, want = {0};
    ck_buffer_append_format(
        &call, FLOW_CALLS("{\"id\":\"1\",\"function\":{\"name\":\"note\",\"arguments\":%s}}"),
        cases[i].arguments);
    ck_buffer_append_format(&want, "\"content\":\"%s\"", cases[i].content);
    const char *const answers[] = {call.data, FLOW_SAYS("ok"), NULL};
    models = answers;
    tools = NULL;
    file = NOTING;
    flow_driver driver = {0};
    ck_error err = CK_ERROR_INIT;
    load_notes(&driver);
    tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err, "arguments %s end no flow",
                  cases[i].arguments);
    tap_ok(strstr(flow_driver_messages(&driver), want.data) != NULL, "the model is told: %s",
           cases[i].content);
    flow_driver_clear(&driver);
    ck_buffer_clear(&call);
    ck_buffer_clear(&want);
  }
}

#define TYPED(schema)                                                                         \
  "local flow = require \"ck.flow\"\nreturn flow.agent { tools = { t = flow.tool(function() " \
  "return \"fine\" end, { parameters = { properties = { v = { type = " schema " } } } }) } }\n"

static void test_types(void) {
  static const struct {
    const char *type, *value;
    bool fits;
  } cases[] = {
      {"\"number\"", "1", true},
      {"\"number\"", "1.5", true},
      {"\"integer\"", "1", true},
      {"\"integer\"", "1.0", true},
      {"\"integer\"", "1.5", false},
      {"\"boolean\"", "true", true},
      {"\"boolean\"", "0", false},
      {"\"array\"", "[1]", true},
      {"\"array\"", "[]", true},
      {"\"array\"", "{\"a\":1}", false},
      {"\"object\"", "{\"a\":1}", true},
      {"\"object\"", "{}", true},
      {"\"object\"", "[1]", false},
      {"\"object\"", "\"x\"", false},
      {"\"null\"", "null", true},
      {"\"null\"", "1", false},
      {"{ \"string\", \"null\" }", "null", true},
      {"{ \"string\", \"null\" }", "\"x\"", true},
      {"{ \"string\", \"null\" }", "1", false},
      {"nil", "1", true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_buffer call = {0}, text = {0};
    ck_buffer_append_format(
        &call, FLOW_CALLS("{\"id\":\"1\",\"function\":{\"name\":\"t\",\"arguments\":{\"v\":%s}}}"),
        cases[i].value);
    ck_buffer_append_format(&text, TYPED("%s"), cases[i].type);
    const char *const answers[] = {call.data, FLOW_SAYS("ok"), NULL};
    models = answers;
    file = text.data;
    flow_driver driver = {0};
    ck_error err = CK_ERROR_INIT;
    load(&driver);
    tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err, "%s for %s", cases[i].value,
                  cases[i].type);
    tap_ok((strstr(flow_driver_messages(&driver), "\"fine\"") != NULL) == cases[i].fits, "%s",
           cases[i].fits ? "fits" : "does not fit");
    flow_driver_clear(&driver);
    ck_buffer_clear(&call);
    ck_buffer_clear(&text);
  }
}

#define NO_TOOL FLOW_CALLS(FLOW_CALL("1", "fly", "\"{}\""))
static const char three_bad[] = "the model made 3 calls in a row that cannot be made, the most "
                                "that max_bad_calls allows; the last one: there is no tool 'fly'";

static void test_bad_calls(void) {
  static const char *const bad[] = {NO_TOOL, NO_TOOL, NO_TOOL, FLOW_SAYS("never"), NULL};
  static const char *const mixed[] = {NO_TOOL, NO_TOOL, FLOW_CALLS(FLOW_CALL("1", "a", "\"{}\"")),
                                      NO_TOOL, NO_TOOL, FLOW_SAYS("ok"),
                                      NULL};
  static const char *const ten[] = {NO_TOOL,
                                    NO_TOOL,
                                    NO_TOOL,
                                    NO_TOOL,
                                    NO_TOOL,
                                    NO_TOOL,
                                    NO_TOOL,
                                    NO_TOOL,
                                    NO_TOOL,
                                    NO_TOOL,
                                    FLOW_SAYS("never"),
                                    NULL};
  static const char *const results[] = {"1", NULL};
  models = bad;
  tools = results;
  file = AGENT("tools = { a = \"pure\" }, max_bad_calls = 3");
  is_run(three_bad,
         "calls that cannot be made, one after the other, end the flow with what was wrong");
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  load(&driver);
  tap_is_status(flow_driver_run(&driver, &err), CK_E_FLOW, &err, "they do");
  flow_driver_rewind(&driver, driver.snapshot_count - 1);
  tap_is_status(flow_driver_run(&driver, &err), CK_E_FLOW, &err,
                "and again when it goes on behind the second");
  tap_is_text(err.text, three_bad, "because the count survives");
  flow_driver_clear(&driver);
  models = mixed;
  flow_driver good = {0};
  load(&good);
  tap_is_status(flow_driver_run(&good, &err), CK_OK, &err,
                "one that can be made begins the count anew");
  flow_driver_clear(&good);
  models = ten;
  file = AGENT("");
  flow_driver tenth = {0};
  load(&tenth);
  ck_error last = CK_ERROR_INIT;
  tap_is_status(flow_driver_run(&tenth, &last), CK_E_FLOW, &last, "ten in a row are too many");
  tap_is_int((int)tenth.given[CK_EFFECT_MODEL], 10, "exactly ten");
  flow_driver_clear(&tenth);
}

static void test_passed_on(void) {
  static const char *const says[] = {FLOW_SAYS("42"), NULL};
  models = says;
  file = AGENT("max_tokens = 100, temperature = 0.5, input = \"Go\", result = \"answer\"");
  is_run(
      "message {\"role\":\"user\",\"content\":\"Go\"}\neffect model/0 pure - "
      "{\"max_tokens\":100,\"model\":\"default\",\"temperature\":0.5}\n"
      "change outputs.answer \"42\"\ndone {\"text\":\"42\",\"turns\":1}\n",
      "options go into the request, the flow has a message of its own, and the result has a name");
  file = AGENT("prompt = function(ctx) return \"for \" .. ctx.scope end, result = function(ctx, "
               "text) return { n = #text } end");
  is_run("message {\"role\":\"system\",\"content\":\"for main\"}\neffect model/0 pure - "
         "{\"model\":\"default\"}\ndone {\"n\":2}\n",
         "prompt and result may be functions");
}

/* Two agents, one after the other, in a flow of the user's own. */
static void test_converse(void) {
  static const char *const says[] = {FLOW_CALLS(FLOW_CALL("1", "a", "\"{}\"")), FLOW_SAYS("one"),
                                     NULL};
  static const char *const results[] = {"\"r\"", NULL};
  models = says;
  tools = results;
  file =
      "local flow = require \"ck.flow\"\nlocal agent = require \"ck.flow.agent\"\n"
      "local helper = flow.agent { name = \"helper\", prompt = \"p\", tools = { a = \"pure\" } }\n"
      "return flow.custom { tools = { a = \"pure\" }, run = function(ctx) return "
      "agent.converse(ctx, helper, \"do it\", { depth = 2 }) end }\n";
  is_run("message {\"role\":\"system\",\"content\":\"p\"}\nmessage "
         "{\"role\":\"user\",\"content\":\"do it\"}\n"
         "effect model/0 pure helper {\"model\":\"default\",\"tools\":[\"a\"]}\n"
         "effect tool/1 pure helper "
         "{\"name\":\"a\",\"call_id\":\"1\",\"index\":0,\"arguments\":\"{}\"}\n"
         "boundary tool_round agent=helper depth=2 "
         "{\"next\":\"model\",\"path\":\"agent#2\",\"turn\":2}\n"
         "effect model/0 pure helper {\"model\":\"default\",\"tools\":[\"a\"]}\ndone "
         "{\"text\":\"one\",\"turns\":2}\n",
         "another kind of flow converses with an agent in its own scope");
  flow_driver_survives(load, "a conversation inside of another kind");
}

/* Tools of an MCP server beside the flow's own. */
static void test_servers(void) {
  static const char *const says[] = {
      FLOW_CALLS(
          FLOW_CALL("1", "grep", "\"{\\\"for\\\": 1.50}\"") "," FLOW_CALL("2", "a", "\"{}\"")),
      FLOW_CALLS(FLOW_CALL("3", "grep", "\"{}\"")), FLOW_SAYS("ok"), NULL};
  static const char *const results[] = {
      "{\"tools\":[{\"name\":\"grep\",\"description\":\"d\",\"class\":\"pure\",\"parameters\":{"
      "\"type\":\"object\",\"required\":[\"for\"]}}]}",
      "\"found\"", "\"r\"", NULL};
  models = says;
  tools = results;
  file =
      AGENT("name = \"me\", tools = { a = \"once\", box = flow.mcp { argv = { \"./server\" } } }");
#define SERVER_MODEL                                                                  \
  "effect model/0 pure me "                                                           \
  "{\"model\":\"default\",\"tools\":[\"a\",{\"description\":\"d\",\"name\":\"grep\"," \
  "\"parameters\":{\"required\":[\"for\"],\"type\":\"object\"}}]}\n"
  is_run(
      "effect tool/1000001 pure me {\"list\":true,\"server\":\"box\"}\n" SERVER_MODEL
      "boundary before_call agent=me next.tool=a next.class=once {\"calls\":[{\"class\":"
      "\"pure\",\"id\":\"1\",\"tool\":\"grep\"},{\"class\":\"once\",\"id\":\"2\",\"tool\":\"a\"}],"
      "\"next\":\"calls\",\"path\":\"start\",\"turn\":1}\n"
      "1 of 2: effect tool/1 pure me "
      "{\"server\":\"box\",\"name\":\"grep\",\"call_id\":\"1\",\"index\":0,\"arguments\":\"{"
      "\\\"for\\\": 1.50}\"}\n"
      "2 of 2: effect tool/2 once me "
      "{\"name\":\"a\",\"call_id\":\"2\",\"index\":1,\"arguments\":\"{}\"}\n"
      "boundary tool_round agent=me "
      "{\"next\":\"model\",\"path\":\"agent#2\",\"turn\":2}\n" SERVER_MODEL
      "message {\"role\":\"tool\",\"tool_call_id\":\"3\",\"name\":\"grep\",\"content\":\"Error: "
      "the argument 'for' is missing\"}\n"
      "boundary tool_round agent=me "
      "{\"bad\":1,\"next\":\"model\",\"path\":\"agent#3\",\"turn\":3}\n" SERVER_MODEL
      "done {\"text\":\"ok\",\"turns\":3}\n",
      "what an MCP server offers is offered, called on the server, and checked as it says");
  file = AGENT("tools = { grep = \"once\", box = flow.mcp { argv = { \"./server\" } } }");
  is_run("the tool 'grep' is offered by the flow itself and by the MCP server 'box': leave one of "
         "them out with tools = { ['grep'] = false }, or give a server a prefix",
         "two tools of one name are not taken for each other");
}

static void test_definitions(void) {
  static const struct {
    const char *text, *problem;
  } cases[] = {
      {AGENT("tools = { t = flow.tool(5) }"),
       "flow.tool takes a function of ctx and the arguments, and a table that describes it"},
      {AGENT("tools = { t = flow.tool(error, { descripton = \"x\" }) }"),
       "flow.tool has no field 'descripton'; did you mean 'description'?"},
      {AGENT("tools = { \"t\", t = flow.tool(error) }"),
       "flow.agent: tools: 't' is declared twice"},
      {AGENT("tools = { [\"a\\\"b\"] = flow.mcp { argv = { \"x\" } } }"),
       "flow.agent: tools: an MCP server cannot be called 'a\"b'"},
      {AGENT("max_bad_calls = 0"), "flow.agent: 'max_bad_calls' must be a whole number from 1"},
      {AGENT("paralel_tools = 1"),
       "flow.agent has no field 'paralel_tools'; did you mean 'parallel_tools'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_flow_engine *engine;
    ck_flow *flow;
    ck_error err = CK_ERROR_INIT;
    tap_must(ck_flow_engine_new(&engine, NULL, &err) == CK_OK, "an engine");
    tap_is_status(engine->load(&flow, engine->self, flow_file(cases[i].text), &err), CK_E_PARSE,
                  &err, "%s is refused", cases[i].text);
    tap_ok(strstr(err.text, cases[i].problem) != NULL, "with: %s (%s)", cases[i].problem, err.text);
    engine->unload(flow);
    engine->free(engine->self);
  }
}

/* An answer that does not satisfy its schema is told so, in a turn of its own. */
static void test_schema(void) {
  static const char *const answers[] = {"{\"role\":\"assistant\",\"content\":\"{}\"}",
                                        "{\"role\":\"assistant\",\"content\":\"{\\\"a\\\":[1]}\"}",
                                        NULL};
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  models = answers;
  tools = NULL;
  file = AGENT("prompt = \"p\", schema = { type = \"object\", required = { \"a\" } }");
  load(&driver);
  ck_status status = flow_driver_run(&driver, &err);
  const char *log = status == CK_OK ? flow_driver_log(&driver) : err.text;
  tap_ok(
      strstr(log, "done {\"text\":\"{\\\"a\\\":[1]}\",\"turns\":2,\"value\":{\"a\":[1]}}") != NULL,
      "an answer that does not satisfy its schema is asked for again: %s", log);
  tap_ok(strstr(log, "\"response_schema\":{\"required\":[\"a\"],\"type\":\"object\"}") != NULL,
         "and the model is given the schema");
  flow_driver_clear(&driver);
  flow_driver_survives(load, "answers of a schema");
}

int main(void) {
  test_schema();
  test_side_by_side();
  test_functions();
  test_arguments();
  test_types();
  test_bad_calls();
  test_passed_on();
  test_converse();
  test_servers();
  test_definitions();
  return tap_done();
}
