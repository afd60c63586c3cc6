/* test_cassette.c - recordings are read exactly, replay against themselves, and show both sides
 * when something differs. */
#include "core/effect/cassette/cassette.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/effect/trip.h"
#include "tests/tap.h"

#define HEADER "{\"cassette\":1}\n"
#define ASK "{\"scope\":\"main\",\"kind\":\"ask\",\"answer\":\"hi\"}\n"
#define MODEL(message) "{\"scope\":\"main\",\"kind\":\"model\",\"message\":" message "}\n"
#define CALLING(name)                                                                           \
  MODEL("{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"name\":\"" name \
        "\",\"arguments\":\"{}\"}}]}")
#define TOOL(index)                                        \
  "{\"scope\":\"main\",\"kind\":\"tool\",\"index\":" index \
  ",\"name\":\"look\",\"arguments\":\"{}\",\"result\":\"r\"}\n"

static ck_loop *loop;

static const char *write_file(const char *text) {
  static int number;
  char name[32];
  snprintf(name, sizeof name, "cassette-%d", number++);
  const char *path = tap_tmpfile(name);
  FILE *file = fopen(path, "w");
  tap_must(file && fputs(text, file) >= 0 && fclose(file) == 0, "a file can be written");
  return path;
}

static ck_cassette *open_text(const char *text) {
  ck_cassette *cassette = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_cassette_open(&cassette, write_file(text), &err);
  tap_must(status == CK_OK, "it opens: %s", err.text);
  return cassette;
}

static void refuses(const char *spec, ck_status want, const char *part, const char *what) {
  ck_cassette *cassette = (ck_cassette *)&loop;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_cassette_open(&cassette, spec, &err), want, &err, "%s: the status", what);
  tap_ok(strstr(err.text, part) && !cassette, "%s: told (%s)", what, err.text);
}

static void refuses_text(const char *text, ck_status want, const char *part, const char *what) {
  refuses(write_file(text), want, part, what);
}

static void test_malformed(void) {
  refuses("/nowhere/at.all", CK_E_USAGE, "/nowhere/at.all: cannot open: No such file",
          "a missing file");
  refuses(tap_tmpdir(), CK_E_USAGE, "directory", "a folder");
  refuses_text("", CK_E_PARSE, "empty", "an empty file");
  refuses_text("\n \n", CK_E_PARSE, "empty", "a blank file");
  refuses_text("{\"cassette\":2}\n", CK_E_UNSUPPORTED,
               "version 2 of the cassette format; this program reads version 1", "a newer version");
  refuses_text("{\"messages\":[]}\n", CK_E_PARSE, "line 1: not a cassette", "another JSON file");
  refuses_text("hello\n", CK_E_PARSE, "line 1: malformed JSON at byte 0", "no JSON");
  refuses_text(HEADER ASK "{\"scope\":\"main\",\"kind\":ask}\n", CK_E_PARSE,
               "line 3: malformed JSON at byte 23", "a broken line");
  refuses_text(HEADER "{\"scope\":\"main\",\"kind\":\"ask\",\"answer\":\"cut o", CK_E_PARSE,
               "line 2: malformed JSON at byte", "a line that was cut off");
  refuses_text("[{\"traj\":[]},\n]", CK_E_PARSE, "malformed JSON at byte 14", "a broken array");
  refuses_text("[{\"steps\":[]}]", CK_E_PARSE, "no array \"traj\"", "an array of other things");
  refuses_text(HEADER "{\"kind\":\"ask\",\"answer\":\"\"}\n", CK_E_PARSE, "line 2: \"scope\"",
               "a record without a scope");
  refuses_text(HEADER "{\"scope\":\"main\",\"kind\":\"exec\"}\n", CK_E_PARSE, "line 2: \"kind\"",
               "an unknown kind");
  refuses_text(HEADER MODEL("\"text\""), CK_E_PARSE, "\"message\" must be an object",
               "a message that is a text");
  refuses_text(HEADER ASK TOOL("0"), CK_E_PARSE,
               "line 3: a result of call 0, but the message before it makes 0 calls",
               "a result without a call");
  refuses_text(HEADER CALLING("look") TOOL("1"), CK_E_PARSE, "line 3: a result of call 1",
               "a result of no call");
  refuses_text(HEADER CALLING("look") TOOL("-1"), CK_E_PARSE, "\"index\"", "a negative index");
  refuses_text(HEADER CALLING("look") TOOL("0") TOOL("0"), CK_E_PARSE,
               "line 4: a second result of call 0; the first is at line 3",
               "two results of one call");
  refuses_text(HEADER "{\"scope\":\"main\",\"kind\":\"tool\",\"request\":1,\"result\":1}\n",
               CK_E_PARSE, "line 2: \"request\" must be an object",
               "a call of the flow's own that says nothing");
  refuses_text(HEADER "{\"scope\":\"main\",\"kind\":\"tool\",\"request\":{}}\n", CK_E_PARSE,
               "line 2: \"result\"", "a call of the flow's own without an answer");
  refuses_text(HEADER
               "{\"scope\":\"main\",\"kind\":\"model\",\"message\":{},\"request_digest\":\"12\"}\n",
               CK_E_PARSE, "64 hex digits", "a short digest");
}

static void test_malformed_tau(void) {
  refuses_text("[{\"traj\":[{\"role\":\"tool\",\"name\":\"f\",\"content\":\"\"}]}]", CK_E_PARSE,
               "session #0: element 0 of traj: a result that answers no call",
               "a result without a call");
  refuses_text(
      "[{\"traj\":[{\"role\":\"user\",\"content\":\"\"},{\"role\":\"system\",\"content\":\"\"}]}]",
      CK_E_PARSE, "element 1 of traj: a system message", "a late prompt");
  refuses_text("[{\"traj\":[{\"role\":\"critic\",\"content\":\"\"}]}]", CK_E_PARSE,
               "\"role\" must be", "another role");
  refuses_text("[{\"traj\":[{\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"\"}}],"
               "\"role\":\"assistant\"},"
               "{\"role\":\"tool\",\"name\":\"g\",\"content\":\"\"}]}]",
               CK_E_PARSE, "element 1 of traj: its name is not that of the call",
               "a result of another tool");
  refuses_text("[1]", CK_E_PARSE, "session #0 has no array", "an array of numbers");
}

static void test_spec(void) {
  const char *array =
      write_file("[{\"traj\":[{\"role\":\"user\",\"content\":\"a\"}]},{\"traj\":[]}]");
  char spec[512];
  snprintf(spec, sizeof spec, "%s#2", array);
  refuses(spec, CK_E_USAGE, "session #2 is out of range: the file holds 2 sessions",
          "an index behind the last");
  snprintf(spec, sizeof spec, "%s#99999999999999999999999", array);
  refuses(spec, CK_E_USAGE, "the file holds 2 sessions", "an index beyond all numbers");
  snprintf(spec, sizeof spec, "%s#x", array);
  refuses(spec, CK_E_USAGE, "#x: cannot open", "a mark without a number belongs to the name");
  snprintf(spec, sizeof spec, "%s#1", write_file(HEADER));
  refuses(spec, CK_E_USAGE, "the file holds 1 session", "an index into a cassette of our own");

  ck_cassette *cassette = NULL;
  tap_is_status(ck_cassette_open(&cassette, array, NULL), CK_OK, NULL,
                "no index is the first session");
  tap_is_int((int64_t)ck_cassette_count(cassette, "main"), 1,
             "the first session's records are read");
  ck_cassette_close(cassette);
  snprintf(spec, sizeof spec, "%s#1", array);
  tap_is_status(ck_cassette_open(&cassette, spec, NULL), CK_OK, NULL, "an index chooses a session");
  tap_is_int((int64_t)ck_cassette_count(cassette, "main"), 0,
             "the second session's records are read");
  ck_cassette_close(cassette);
}

static void check_ended(const trip *it, const char *what) {
  tap_ok(it->last->status == CK_OUTCOME_ENDED, "%s: it ends with the recording (%s)", what,
         it->last->error ? it->last->error : "");
  tap_is_int((int64_t)ck_cassette_left(it->cassette, "main", it->consumed), 0,
             "%s: nothing is left over", what);
}

static void replay(const char *path, bool backwards, int64_t models, int64_t tools) {
  ck_cassette *cassette = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_cassette_open(&cassette, path, &err) == CK_OK, "%s opens: %s", path, err.text);
  trip it;
  trip_init(&it, loop, cassette);
  it.backwards = backwards;
  trip_run(&it);
  check_ended(&it, path);
  tap_is_int(it.models, models, "%s: model calls", path);
  tap_is_int(it.tools, tools, "%s: tool calls", path);
  trip_clear(&it);
  ck_cassette_close(cassette);
}

static void test_own_files(void) {
  replay("tests/data/parallel.jsonl", false, 3, 5);
  replay("tests/data/parallel.jsonl", true, 3, 5);
  replay("tests/data/many_calls.jsonl", false, 2, 10);
  replay("tests/data/many_calls.jsonl", true, 2, 10);
  replay("tests/data/tau.json", false, 1, 0);
  replay("tests/data/tau.json#1", false, 2, 3);
  replay("tests/data/tau.json#1", true, 2, 3);
  replay("examples/airline/cassette.jsonl", false, 16, 12);
}

static void test_usage(void) {
  ck_cassette *cassette = NULL;
  tap_must(ck_cassette_open(&cassette, "tests/data/parallel.jsonl", NULL) == CK_OK,
           "the cassette opens");
  tap_is_text(ck_cassette_prompt(cassette), "You plan trips.", "the prompt is there, decoded");
  tap_is_int((int64_t)ck_json_count(ck_value_bytes(ck_cassette_tools(cassette))), 2,
             "the tools are there");
  trip it;
  trip_init(&it, loop, cassette);
  trip_run(&it);
  tap_is_int(it.cost_micros, 612 + 725 + 825, "costs are delivered");
  tap_is_int(it.input_tokens, 81 + 170 + 230, "input tokens are delivered in both spellings");
  tap_is_int(it.output_tokens, 44 + 30 + 25, "output tokens are delivered in both spellings");
  trip_clear(&it);
  ck_cassette_close(cassette);
}

/* One effect against a cassette of a few lines. */
static const ck_outcome *take(drive *to, const char *text, const ck_effect *effect, bool probe) {
  ck_cassette *cassette = open_text(text);
  ck_effect_driver *driver = NULL;
  tap_must(ck_cassette_driver_new(&driver, cassette, loop, NULL) == CK_OK,
           "a cassette has a driver");
  tap_ok(driver->serves(driver->self, effect), "it serves a %s", ck_effect_kind_name(effect->kind));
  const ck_outcome *outcome = drive_effect(to, driver, effect, probe);
  driver->free(driver->self);
  ck_cassette_close(cassette);
  return outcome;
}

static void diverges(const char *text, const ck_effect *effect, const char *asked,
                     const char *held) {
  drive to;
  drive_init(&to, loop);
  const ck_outcome *outcome = take(&to, text, effect, false);
  tap_ok(outcome->status == CK_OUTCOME_FAILED && outcome->error_status == CK_E_DIVERGED,
         "it fails as diverged");
  const char *shown = outcome->error ? outcome->error : "";
  tap_ok(strstr(shown, asked) != NULL, "shows what was asked: %s (%s)", asked, shown);
  tap_ok(strstr(shown, held) != NULL, "shows what is held: %s (%s)", held, shown);
  outcome = take(&to, text, effect, true);
  tap_ok(outcome->status == CK_OUTCOME_ABSENT, "a probe of it finds nothing");
  drive_clear(&to);
}

static ck_effect tool_effect(uint64_t consumed, const char *request) {
  return (ck_effect){.scope = "main",
                     .key = "k",
                     .attempt = 1,
                     .kind = CK_EFFECT_TOOL,
                     .request = ck_bytes_text(request),
                     .consumed = consumed};
}

static void test_tool_divergence(void) {
  ck_effect effect =
      tool_effect(1, "{\"name\":\"book\",\"index\":0,\"arguments\":\"{\\\"id\\\":7}\"}");
  diverges(HEADER CALLING("look") TOOL("0"), &effect,
           "record 2 of scope main (line 3): the flow asks tool book, call 0, with {\"id\":7}",
           "the cassette holds tool look, call 0, with {}");
  effect = tool_effect(1, "{\"name\":\"look\",\"index\":0,\"arguments\":\"{ }\"}");
  diverges(HEADER CALLING("look") TOOL("0"), &effect, "asks tool look, call 0, with { }",
           "holds tool look, call 0, with {}");
  effect = tool_effect(1, "{\"name\":\"look\",\"index\":1,\"arguments\":\"{}\"}");
  diverges(HEADER CALLING("look") TOOL("0"), &effect, "look, call 1", "look, call 0");
  effect = tool_effect(1, "{\"name\":\"look\",\"index\":0,\"arguments\":\"{}\"}");
  diverges(HEADER CALLING("look"), &effect,
           "record 2 of scope main (behind the end): the flow asks tool look",
           "holds nothing more");
  diverges(HEADER CALLING("look") ASK, &effect, "tool look", "holds the user's hi");
  diverges(HEADER CALLING("look") MODEL("{\"a\":1}"), &effect, "tool look",
           "holds the model's {\"a\":1}");
  effect = (ck_effect){.scope = "main", .kind = CK_EFFECT_ASK, .request = ck_bytes_text("{}")};
  diverges(HEADER CALLING("look"), &effect, "the flow asks the user;", "holds the model's");
  effect.scope = "side";
  diverges(HEADER ASK, &effect, "in scope side", "it has main");
}

#define OWN(request, result) \
  "{\"scope\":\"main\",\"kind\":\"tool\",\"request\":" request ",\"result\":" result "}\n"

/* Held against the whole request, in any order among those in a row. */
static void test_own_calls(void) {
  static const char three[] = HEADER OWN("{\"name\":\"a\",\"arguments\":1}", "1")
      OWN("{\"name\":\"a\",\"arguments\":2}", "2") OWN("{\"server\":\"s\",\"list\":true}", "[]")
          ASK OWN("{\"name\":\"a\",\"arguments\":1}", "\"later\"");
  static const struct {
    uint64_t consumed;
    const char *request, *want;
  } cases[] = {{0, "{\"name\":\"a\",\"arguments\":1}", "1"},
               {0, "{\"name\":\"a\",\"arguments\":2}", "2"},
               {2, "{\"name\":\"a\",\"arguments\":1}", "1"},
               {0, "{\"server\":\"s\",\"list\":true}", "[]"},
               {4, "{\"name\":\"a\",\"arguments\":1}", "\"later\""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    drive to;
    drive_init(&to, loop);
    ck_effect effect = tool_effect(cases[i].consumed, cases[i].request);
    const ck_outcome *outcome = take(&to, three, &effect, false);
    tap_is_bytes(outcome->result ? ck_value_bytes(outcome->result) : (ck_bytes){0},
                 ck_bytes_text(cases[i].want), "it is answered");
    drive_clear(&to);
  }
  ck_effect effect = tool_effect(1, "{\"name\":\"a\",\"arguments\":3}");
  diverges(three, &effect, "tool a, call 0, with 3",
           "the flow's own call {\"name\":\"a\",\"arguments\":2}");
}

static void test_spelling(void) {
  drive to;
  drive_init(&to, loop);
  ck_effect effect =
      tool_effect(1, "{\"name\":\"l\\u006fok\",\"index\":0,\"arguments\":\"\\u007b}\"}");
  tap_ok(take(&to, HEADER CALLING("look") TOOL("0"), &effect, false)->status == CK_OUTCOME_OK,
         "the spelling of a string is no difference");
  tap_is_bytes(ck_value_bytes(to.outcome->result), ck_bytes_text("\"r\""),
               "the result is the recorded bytes");
  tap_ok(take(&to, HEADER CALLING("look") TOOL("0"), &effect, true)->status == CK_OUTCOME_OK,
         "a probe gives the same outcome");
  tap_is_bytes(ck_value_bytes(to.outcome->result), ck_bytes_text("\"r\""), "with the same result");
  drive_clear(&to);
}

static void test_endings(void) {
  drive to;
  drive_init(&to, loop);
  ck_effect effect = {
      .scope = "main", .kind = CK_EFFECT_ASK, .request = ck_bytes_text("{}"), .consumed = 1};
  tap_ok(take(&to, HEADER ASK, &effect, false)->status == CK_OUTCOME_ENDED,
         "an ask behind the last record ends");
  effect.consumed = UINT64_MAX;
  tap_ok(take(&to, HEADER ASK, &effect, false)->status == CK_OUTCOME_ENDED,
         "so does one far behind it");
  effect.kind = CK_EFFECT_MODEL;
  tap_ok(take(&to, HEADER, &effect, false)->status == CK_OUTCOME_ENDED,
         "an empty recording ends at once");
  tap_ok(take(&to, HEADER, &effect, true)->status == CK_OUTCOME_ABSENT,
         "a probe behind the end finds nothing");
  drive_clear(&to);

  ck_cassette *cassette = NULL;
  tap_must(ck_cassette_open(&cassette, "tests/data/scopes.jsonl", NULL) == CK_OK,
           "the cassette opens");
  tap_is_text(ck_cassette_scope(cassette, 1), "main/left", "scopes are listed in order");
  tap_ok(ck_cassette_scope(cassette, 3) == NULL, "and end");
  tap_is_int((int64_t)ck_cassette_left(cassette, "main", 1), 1,
             "what was not asked for is left over");
  tap_is_int((int64_t)ck_cassette_left(cassette, "main", 3), 0, "nothing is left behind the end");
  tap_is_int((int64_t)ck_cassette_left(cassette, "nowhere", 0), 0,
             "nothing is left of a scope that is not there");
  ck_cassette_close(cassette);
}

/* The model must refuse exactly at the first request that holds the changed message. */
static void test_spoilt_messages(void) {
  ck_cassette *cassette = NULL;
  tap_must(ck_cassette_open(&cassette, "tests/data/parallel.jsonl", NULL) == CK_OK,
           "the cassette opens");
  for (int64_t i = 0; i < 9; i++) {
    trip it;
    trip_init(&it, loop, cassette);
    it.spoil_message = i;
    trip_run(&it);
    char number[64];
    snprintf(number, sizeof number, "with message %lld ", (long long)i + 1);
    const char *error = it.last->error ? it.last->error : "";
    tap_ok(it.last->error_status == CK_E_DIVERGED && strstr(error, number) &&
               strstr(error, "\"spoilt\":true"),
           "a change of message %lld is found (%s)", (long long)i, error);
    trip_clear(&it);
  }
  trip it;
  trip_init(&it, loop, cassette);
  it.prompt = "Be rude.";
  trip_run(&it);
  tap_ok(it.last->error && strstr(it.last->error, "Be rude.") &&
             strstr(it.last->error, "You plan trips."),
         "another prompt is shown beside the recorded one (%s)",
         it.last->error ? it.last->error : "");
  trip_clear(&it);
  ck_cassette_close(cassette);
}

static void run_lines(const char *text, const char *prompt, const char *left_out,
                      const char *error) {
  ck_cassette *cassette = open_text(text);
  const char *const names[] = {left_out, NULL};
  if (left_out)
    tap_must(ck_cassette_leave_out(cassette, names, NULL) == CK_OK, "a tool can be left out");
  trip it;
  trip_init(&it, loop, cassette);
  it.prompt = prompt;
  trip_run(&it);
  if (!error)
    check_ended(&it, text);
  else
    tap_ok(it.last->error && strstr(it.last->error, error), "%s (%s)", error,
           it.last->error ? it.last->error : "no error");
  trip_clear(&it);
  ck_cassette_close(cassette);
}

/* A recorded digest counts instead of the messages before: here they hold a turn that is in no
 * record. */
static void test_request_digest(void) {
  ck_conversation *sent = NULL;
  ck_value *message = NULL;
  char hex[CK_DIGEST_HEX_SIZE], text[512];
  tap_must(ck_conversation_new(&sent, NULL) == CK_OK, "a conversation can begin");
  tap_must(ck_message_user(&message, ck_bytes_text("\"from the flow\""), NULL) == CK_OK,
           "a turn of the flow's own");
  tap_must(ck_conversation_append(sent, message, NULL) == CK_OK, "is sent");
  ck_value_free(message);
  ck_digest digest = ck_conversation_digest(sent);
  ck_digest_hex(hex, &digest);
  snprintf(text, sizeof text,
           HEADER
           "{\"scope\":\"main\",\"kind\":\"model\",\"message\":{},\"request_digest\":\"%s\"}\n",
           hex);
  drive to;
  drive_init(&to, loop);
  ck_effect effect = {.scope = "main",
                      .kind = CK_EFFECT_MODEL,
                      .conversation = sent,
                      .request = ck_bytes_text("{}")};
  tap_ok(take(&to, text, &effect, false)->status == CK_OUTCOME_OK,
         "the digest that was recorded fits");
  diverges(HEADER MODEL("{}"), &effect,
           "asks with message 1 {\"role\":\"user\",\"content\":\"from the flow\"}",
           "holds no message 1");
  drive_clear(&to);
  ck_conversation_free(sent);
}

static void test_open_ends(void) {
  run_lines(HEADER ASK MODEL("{\"content\":\"yes\"}") ASK MODEL("{\"content\":\"no\"}"),
            "Any prompt.", NULL, NULL);
  run_lines("{\"cassette\":1,\"prompt\":\"P\"}\n" ASK MODEL("{\"content\":\"yes\"}"), NULL, NULL,
            "message 1");
  run_lines(HEADER ASK CALLING("look") TOOL("0") MODEL("{\"content\":\"no\"}"), NULL, NULL, NULL);
  run_lines(HEADER ASK CALLING("look") TOOL("0") MODEL("{\"content\":\"no\"}"), NULL, "look",
            "the flow asks tool look");
  run_lines(HEADER ASK CALLING("look") TOOL("0") MODEL("{\"content\":\"no\"}"), NULL, "other",
            NULL);
  run_lines(HEADER ASK "{\"scope\":\"main\",\"kind\":\"model\",\"message\":{},\"request_digest\":"
                       "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}\n",
            NULL, NULL, "request_digest 00112233");
}

static void say(ck_conversation *to, ck_status made, ck_value *message) {
  tap_must(made == CK_OK && ck_conversation_append(to, message, NULL) == CK_OK,
           "a message is sent");
  ck_value_free(message);
}

/* What is sent behind a call that another driver carried out: any result fits, the answer to
 * another call does not. */
static void test_left_out(const char *call_id, ck_outcome_status want) {
  static const char *const names[] = {"look", NULL};
  static const char calling[] = "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c1\","
                                "\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]}";
  ck_cassette *cassette =
      open_text(HEADER ASK CALLING("look") TOOL("0") MODEL("{\"content\":\"no\"}"));
  tap_must(ck_cassette_leave_out(cassette, names, NULL) == CK_OK, "a tool can be left out");
  tap_is_int((int64_t)ck_cassette_count(cassette, "main"), 4, "its record keeps its place");

  ck_conversation *sent = NULL;
  ck_value *message = NULL;
  ck_status made = ck_conversation_new(&sent, NULL);
  tap_must(made == CK_OK, "a conversation can begin");
  made = ck_message_user(&message, ck_bytes_text("\"hi\""), NULL);
  say(sent, made, message);
  made = ck_value_new(&message, ck_bytes_text(calling), NULL);
  say(sent, made, message);
  made = ck_message_tool(&message, call_id, "look", ck_bytes_text("{\"n\":42}"), NULL);
  say(sent, made, message);

  ck_effect_driver *driver = NULL;
  tap_must(ck_cassette_driver_new(&driver, cassette, loop, NULL) == CK_OK,
           "a cassette has a driver");
  ck_effect effect = {
      .scope = "main", .kind = CK_EFFECT_MODEL, .consumed = 3, .conversation = sent};
  drive to;
  drive_init(&to, loop);
  tap_is_int(drive_effect(&to, driver, &effect, false)->status, want, "the answer to %s is judged",
             call_id);
  drive_clear(&to);
  driver->free(driver->self);
  ck_conversation_free(sent);
  ck_cassette_close(cassette);
}

/* A driver that is freed while outcomes wait delivers them to nobody. */
static void test_free_while_waiting(void) {
  ck_cassette *cassette = open_text(HEADER ASK);
  ck_effect_driver *driver = NULL;
  tap_must(ck_cassette_driver_new(&driver, cassette, loop, NULL) == CK_OK,
           "a cassette has a driver");
  drive first, second;
  drive_init(&first, loop);
  drive_init(&second, loop);
  ck_effect effect = {.scope = "main", .kind = CK_EFFECT_ASK, .request = ck_bytes_text("{}")};
  ck_effect_run *run = NULL;
  tap_must(drive_begin(&run, &first, driver, &effect, false) == CK_OK, "it starts");
  driver->cancel(driver->self, run);
  drive_wait(&first);
  tap_is_int(first.delivered, 1, "a cancelled effect is delivered once");
  tap_must(drive_begin(&run, &first, driver, &effect, false) == CK_OK, "it starts");
  tap_must(drive_begin(&run, &second, driver, &effect, false) == CK_OK, "another starts");
  driver->free(driver->self);
  ck_loop_run(loop);
  tap_is_int(first.delivered + second.delivered, 0, "a freed driver delivers nothing");
  drive_clear(&first);
  drive_clear(&second);
  ck_cassette_close(cassette);
}

static void test_tau_bench(void) {
  const char *data = tap_data_dir();
  if (!data) {
    tap_skip("the recorded sessions are not there (CKRUN_DATA)");
    return;
  }
  int64_t models = 0, tools = 0, asks = 0, bad = 0;
  for (int i = 0; i < 50; i++) {
    char spec[1024];
    snprintf(spec, sizeof spec, "%s/tau_bench/gpt-4o-airline.task00-24.trial0-1.json#%d", data, i);
    ck_cassette *cassette = NULL;
    ck_error err = CK_ERROR_INIT;
    tap_must(ck_cassette_open(&cassette, spec, &err) == CK_OK, "session %d opens: %s", i, err.text);
    trip it;
    trip_init(&it, loop, cassette);
    trip_run(&it);
    bool good =
        it.last->status == CK_OUTCOME_ENDED && ck_cassette_left(cassette, "main", it.consumed) == 0;
    if (!good) tap_diag("session %d: %s", i, it.last->error ? it.last->error : "left over");
    bad += !good;
    models += it.models;
    tools += it.tools;
    asks += it.asks;
    trip_clear(&it);
    ck_cassette_close(cassette);
  }
  tap_is_int(bad, 0, "all 50 recorded sessions replay against themselves");
  tap_is_int(models, 702, "with all model calls");
  tap_is_int(tools, 313, "all tool calls");
  tap_is_int(asks, 439, "and all turns of the users");
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  test_malformed();
  test_malformed_tau();
  test_spec();
  test_own_files();
  test_usage();
  test_tool_divergence();
  test_own_calls();
  test_spelling();
  test_endings();
  test_spoilt_messages();
  test_request_digest();
  test_open_ends();
  test_left_out("c1", CK_OUTCOME_OK);
  test_left_out("c2", CK_OUTCOME_FAILED);
  test_free_while_waiting();
  test_tau_bench();
  ck_loop_free(loop);
  return tap_done();
}
