/* test_flow_facts.c - ctx.effects, ctx.event, ctx.rewind, ctx.options: what they hand over, and
 * what they refuse. */
#include <stdlib.h>
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

static void is_run(const char *body, const char *want, const char *promise) {
  static const char *const results[] = {"\"one\"", "!two", NULL};
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load_body(&driver, body, NULL);
  driver.answers[CK_EFFECT_TOOL] = driver.answers[CK_EFFECT_EXEC] = results;
  tap_must(ck_value_new(&driver.options, ck_bytes_text("{\"checkpoint_tool\":{\"enabled\":true}}"),
                        &err) == CK_OK,
           "options");
  ck_status status = flow_driver_run(&driver, &err);
  tap_is_text(status == CK_OK ? flow_driver_log(&driver) : err.text, want, "%s", promise);
  flow_driver_clear(&driver);
}

static void is_raised(const char *body, const char *problem, const char *promise) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  flow_driver_load_body(&driver, body, NULL);
  tap_is_status(flow_driver_run(&driver, &err), CK_E_FLOW, &err, "%s is refused", promise);
  if (!tap_ok(strstr(err.text, problem) != NULL, "with: %s", problem)) tap_diag("%s", err.text);
  flow_driver_clear(&driver);
}

static void test_effects(void) {
  is_run("local got = ctx.effects { { kind = \"tool\", class = \"once\", request = { name = \"x\" "
         "}, ordinal = 7 },\n"
         "  { kind = \"exec\", class = \"pure\", agent = \"me\", request = \"{\\\"argv\\\": [ "
         "\\\"y\\\"]}\" },\n"
         "  { kind = \"exec\", class = \"pure\" } }\n"
         "return { got[1].result, got[1].raw, got[2].result, got[3].status, got[3].error, #got }",
         "1 of 3: effect tool/7 once - {\"name\":\"x\"}\n2 of 3: effect exec/0 pure me {\"argv\": "
         "[ \"y\"]}\n3 of 3: effect exec/0 pure - {}\n"
         "done [\"one\",\"\\\"one\\\"\",\"one\",\"error\",\"two\",3]\n",
         "several effects are asked for at once, and their outcomes come in that order");
  is_run("return pcall(ctx.effects, { { kind = \"tool\", class = \"once\" } }) and ctx.effects { { "
         "kind = \"tool\", class = \"once\" } }[1].status",
         "1 of 1: effect tool/0 once - {}\n1 of 1: effect tool/0 once - {}\ndone \"error\"\n",
         "also inside of pcall, and again");
  is_raised("ctx.effects {}", "ctx.effects needs a list with at least one effect", "no effect");
  is_raised("ctx.effects()", "table expected", "no list");
  is_raised("ctx.effects { 1 }", "ctx.effects takes a list of what ctx.effect takes", "a number");
  is_raised("ctx.effects { { kind = \"exec\", class = \"pure\" }, { kind = \"think\", class = "
            "\"pure\" } }",
            "ctx.effects: 'think' is not a kind of effect", "a kind that is none");
  is_raised("ctx.effects { { kind = \"exec\", class = \"often\" } }",
            "ctx.effects: 'often' is not a class", "a class that is none");
  is_raised("ctx.effects { { kind = \"exec\", class = \"pure\", ordinals = 1 } }",
            "ctx.effects has no field 'ordinals'", "a typo");
  is_raised("ctx.effects { { kind = \"exec\", class = \"pure\", agent = 5 } }",
            "'agent' must be a string, not a number", "an agent that is no text");
  is_raised("ctx.effects { { kind = \"exec\", class = \"pure\", request = \"{\" } }",
            "ctx.effects: request", "a request that is no JSON");
  is_raised(
      "table.sort({ 1, 2 }, function() ctx.effects { { kind = \"exec\", class = \"pure\" } } end)",
      "ctx.effects cannot be used inside", "effects inside of a sort");
}

static void test_events(void) {
  is_run("ctx.event(\"note\", { a = 1 })\nctx.event(\"delegation\", { id = \"1\", target = \"x\" "
         "}, \"me\")\nctx.boundary(\"safe_point\", { position = { path = \"p\" } })\n",
         "note {\"a\":1}\ndelegation me {\"id\":\"1\",\"target\":\"x\"}\nboundary safe_point "
         "{\"path\":\"p\"}\ndone none\n",
         "facts are in the transcript with the next yield, in order, and once");
  is_raised("ctx.event(\"outcome\", {})",
            "a flow tells of a delegation or a note, not of 'outcome'",
            "an event that the runtime makes");
  is_raised("ctx.event(\"whatever\", {})", "not of 'whatever'", "one that there is not");
  is_raised("ctx.event(\"note\", { 1, 2 })", "the body must be a table with named fields",
            "a list");
  is_raised("ctx.event(\"note\", \"text\")", "table expected", "a text");
  is_raised("ctx.event(\"note\", { f = ctx.event })", "cannot be stored", "a function in it");
  is_run("pcall(ctx.event, \"note\", { f = ctx.event })\npcall(ctx.event, \"note\", { 1 "
         "})\nctx.event(\"note\", {})\n",
         "note {}\ndone none\n", "one that was refused is not told");
}

static void test_rewinds(void) {
  is_run(
      "for i = 1, 4 do ctx.message(\"user\", i) end\nctx.rewind { to = 1, report = \"r\", keep = 2 "
      "}\n"
      "ctx.boundary(\"safe_point\", { position = { path = \"p\" } })\n"
      "ctx.message(\"user\", 5)\nreturn { ctx.conversation_length(), ctx.last_message().content }",
      "message {\"role\":\"user\",\"content\":1}\nmessage "
      "{\"role\":\"user\",\"content\":2}\nmessage {\"role\":\"user\",\"content\":3}\n"
      "message {\"role\":\"user\",\"content\":4}\nrewind "
      "{\"keep\":2,\"report\":\"r\",\"to\":1}\nboundary safe_point {\"path\":\"p\"}\n"
      "message {\"role\":\"user\",\"content\":5}\ndone [5,5]\n",
      "a rewind counts the messages that go with it, and is done at the next yield");
  is_raised("ctx.rewind { to = 1, report = \"r\" }",
            "a conversation of 0 messages cannot be rewound to 1 and keep the last 0",
            "a place behind the end");
  is_raised("ctx.message(\"user\", 1) ctx.rewind { to = 1, report = \"r\", keep = 1 }",
            "a conversation of 1 messages cannot be rewound to 1 and keep the last 1",
            "more than there is");
  is_raised("ctx.rewind { to = -1, report = \"r\" }", "'to' must be a whole number from 0",
            "a negative place");
  is_raised("ctx.rewind { to = 0 }", "ctx.rewind needs 'report', a string", "no report");
  is_raised("ctx.rewind { to = 0, report = \"r\", kep = 1 }", "ctx.rewind has no field 'kep'",
            "a typo");
  is_raised("ctx.rewind { to = 0, report = \"r\" } ctx.rewind { to = 0, report = \"r\" }",
            "has not yielded since the last one", "a second one at once");
  is_raised("ctx.rewind { to = 0, report = \"r\" } ctx.message(\"user\", 1)",
            "what is said after ctx.rewind must wait for the next yield", "a message behind it");
}

static void test_areas(void) {
  is_run("ctx.scratch.cost = { notes = { \"a\" } }\nctx.rounds.completed = "
         "2\nctx.put(\"scratch.risk\", \"{ }\")\n"
         "return { ctx.scratch.cost.notes[1], ctx.options.checkpoint_tool.enabled }",
         "change scratch.cost {\"notes\":[\"a\"]}\nchange rounds.completed 2\nchange scratch.risk "
         "{ }\ndone [\"a\",true]\n",
         "pads and rounds are keys of the state; the profile's word can be read");
  is_raised("ctx.options.checkpoint_tool.enabled = true", "", "a change of the profile's word");
}

int main(void) {
  test_effects();
  test_events();
  test_rewinds();
  test_areas();
  return tap_done();
}
