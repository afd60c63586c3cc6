/* test_cassette.c - recordings are read exactly, and replay against themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/effect/cassette/cassette_fixture.h"
#include "tests/effect/trip.h"
#include "tests/tap.h"

static ck_loop *loop;

static void refuses(const char *spec, ck_status want, const char *part, const char *what) {
  ck_cassette *cassette = (ck_cassette *)&loop;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_cassette_open(&cassette, spec, &err), want, &err, "%s: the status", what);
  tap_ok(strstr(err.text, part) && !cassette, "%s: told (%s)", what, err.text);
}

static void refuses_text(const char *text, ck_status want, const char *part, const char *what) {
  refuses(cassette_write_file(text), want, part, what);
}

static void test_malformed(void) {
  refuses("/nowhere/at.all", CK_E_NOT_FOUND, "/nowhere/at.all: cannot open: No such file",
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
      cassette_write_file("[{\"traj\":[{\"role\":\"user\",\"content\":\"a\"}]},{\"traj\":[]}]");
  char spec[512];
  snprintf(spec, sizeof spec, "%s#2", array);
  refuses(spec, CK_E_USAGE, "session #2 is out of range: the file holds 2 sessions",
          "an index behind the last");
  snprintf(spec, sizeof spec, "%s#99999999999999999999999", array);
  refuses(spec, CK_E_USAGE, "the file holds 2 sessions", "an index beyond all numbers");
  snprintf(spec, sizeof spec, "%s#x", array);
  refuses(spec, CK_E_NOT_FOUND, "#x: cannot open", "a mark without a number belongs to the name");
  snprintf(spec, sizeof spec, "%s#1", cassette_write_file(HEADER));
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
  ck_cassette *cassette = cassette_open_text(text);
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
  test_spoilt_messages();
  test_open_ends();
  test_tau_bench();
  ck_loop_free(loop);
  return tap_done();
}
