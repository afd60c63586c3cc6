/* test_mcp.c - a well-behaved MCP server: start, handshake, list, calls; its errors and progress
 * are passed on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/effect/mcp/mcp_fixture.h"
#include "tests/tap.h"

static ck_loop *loop;

static const char *result_of(const ck_outcome *outcome) {
  return outcome->result ? ck_value_bytes(outcome->result).data : "nothing";
}

static void open_good(mcp_fixture *it) {
  mcp_fixture_begin(it, NULL, NULL);
  mcp_fixture_open(it);
}

static void gives(mcp_fixture *it, const char *tool, const char *arguments, const char *want) {
  const ck_outcome *outcome = mcp_fixture_call(it, CK_EFFECT_ONCE, tool, arguments);
  tap_ok(outcome->status == CK_OUTCOME_OK && !outcome->error, "%s %s is ok", tool, arguments);
  tap_is_text(result_of(outcome), want, "%s %s: the result", tool, arguments);
}

static void test_results(void) {
  mcp_fixture it;
  open_good(&it);
  gives(&it, "echo", "{\"message\":\"a \\\"b\\\"\\n\\u00e9\"}", "\"a \\\"b\\\"\\né\"");
  gives(&it, "add", "{\"a\":2,\n\"b\":40}", "\"42\"");
  gives(&it, "add", "\"{\\\"a\\\":1,\\n\\\"b\\\":1}\"", "\"2\"");
  gives(&it, "add", "null", "\"0\"");
  gives(&it, "binary", "{}",
        "\"a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD"
        "c\xEF\xBF\xBD"
        "d\"");
  gives(&it, "add", "[]", "\"0\"");
  gives(&it, "picture", "{}",
        "[{\"type\":\"text\",\"text\":\"here\"},{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":"
        "\"image/png\"}]");
  gives(&it, "weather", "{}", "{\"content\":\"warm\",\"structuredContent\":{\"celsius\":22.50}}");
  gives(&it, "album", "{}",
        "[{\"type\":\"image\",\"data\":\"R0lGODlhAQABAAA=\",\"mimeType\":\"image/gif\"},"
        "{\"type\":\"text\",\"text\":\"{\\\"type\\\":\\\"resource_link\\\",\\\"uri\\\":\\\"file:///"
        "a\\\",\\\"name\\\":\\\"a\\\"}\"},"
        "{\"type\":\"text\",\"text\":\"[audio audio/wav: its bytes are left out]\"},"
        "{\"type\":\"image\",\"data\":\"R0lGODlhAQABAAA=\",\"mimeType\":\"image/gif\",\"name\":"
        "\"x:b\"},"
        "{\"type\":\"text\",\"text\":\"[image image/png: its bytes are left out]\"},"
        "{\"type\":\"text\",\"text\":\"{\\\"n\\\": 1}\"}]");
  gives(&it, "link", "{}", "[{\"type\":\"resource_link\",\"uri\":\"file:///a\",\"name\":\"a\"}]");
  gives(&it, "twice", "{}", "{\"structuredContent\":{\"a\":\"é\",\"b\":[1,2]}}");
  mcp_fixture_close(&it);
}

static void tells(mcp_fixture *it, const char *tool, const char *arguments, const char *line,
                  const char *result) {
  const ck_outcome *outcome = mcp_fixture_call(it, CK_EFFECT_ONCE, tool, arguments);
  tap_ok(outcome->status == CK_OUTCOME_ERROR, "%s %s is an error", tool, arguments);
  tap_is_text(outcome->error, line, "%s: what people see", tool);
  tap_is_text(result_of(outcome), result, "%s: what the model is told", tool);
}

static void test_errors(void) {
  mcp_fixture it;
  open_good(&it);
  tells(&it, "fail", "{}", "no such\ncity", "\"no such\\ncity\"");
  tells(&it, "refuse", "{}", "the MCP server 'box': not today (error -32602)",
        "\"the MCP server 'box': not today (error -32602)\"");
  tells(&it, "nonesuch", "{}", "the MCP server 'box': unknown tool (error -32602)",
        "\"the MCP server 'box': unknown tool (error -32602)\"");
  tells(&it, "echo", "[1]", "the arguments are not a JSON object",
        "\"the arguments are not a JSON object\"");
  tells(&it, "echo", "\"{oops\"", "the arguments are not a JSON object",
        "\"the arguments are not a JSON object\"");
  gives(&it, "add", "{\"a\":1}", "\"1\"");
  mcp_fixture_close(&it);
}

/* Two bytes a character, so that the bound falls into one. */
static void test_long(void) {
  enum { CHARACTERS = 1 << 20 };
  mcp_fixture it;
  ck_buffer arguments = {0};
  open_good(&it);
  ck_buffer_append_text(&arguments, "{\"message\":\"x");
  for (int i = 0; i < CHARACTERS; i++) ck_buffer_append_text(&arguments, "\xc3\xa9");
  ck_buffer_append_text(&arguments, "\"}");
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_PURE, "echo", arguments.data);
  const char *result = result_of(outcome);
  size_t len = strlen(result);
  tap_ok(outcome->status == CK_OUTCOME_OK && len > CK_MCP_TEXT_MAX && len < CK_MCP_TEXT_MAX + 100,
         "a long text is cut");
  tap_is_text(result + len - 68,
              "é\\n[1048578 more bytes are left out: a tool tells at most 1048576]\"",
              "behind a whole character, and the model is told");
  ck_buffer_clear(&arguments);
  mcp_fixture_close(&it);
}

static void test_list(void) {
  mcp_fixture it;
  open_good(&it);
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_PURE, NULL, NULL);
  tap_ok(outcome->status == CK_OUTCOME_OK, "the tools are listed");
  ck_bytes list = ck_json_get(ck_value_bytes(outcome->result), "tools");
  tap_is_int((int64_t)ck_json_count(list), 29,
             "those of all pages, without the one that must be a task");
  tap_ok(
      strstr(result_of(outcome), "{\"name\":\"echo\",\"description\":\"echo "
                                 "it\",\"parameters\":{\"type\":\"object\"},\"class\":\"pure\"}"),
      "read-only is pure");
  tap_ok(strstr(result_of(outcome),
                "{\"name\":\"add\",\"description\":\"add "
                "it\",\"parameters\":{\"type\":\"object\"},\"class\":\"idempotent\"}"),
         "idempotent is idempotent");
  tap_ok(
      strstr(result_of(outcome), "\"name\":\"fail\",\"description\":\"fail "
                                 "it\",\"parameters\":{\"type\":\"object\"},\"class\":\"once\"}"),
      "and what gives no hint is done once");
  mcp_fixture_close(&it);
}

static void test_progress(void) {
  mcp_fixture it;
  open_good(&it);
  gives(&it, "slow", "{}", "\"done\"");
  static const char want[] =
      "{\"method\":\"notifications/"
      "progress\",\"params\":{\"progressToken\":1,\"progress\":1,\"total\":3}}\n"
      "{\"method\":\"notifications/"
      "progress\",\"params\":{\"progressToken\":1,\"progress\":2,\"total\":3}}\n"
      "{\"method\":\"notifications/"
      "progress\",\"params\":{\"progressToken\":1,\"progress\":3,\"total\":3}}\n";
  tap_is_text(it.updates.data, want, "progress is told, that of other calls is not");
  mcp_fixture_close(&it);
}

/* The pid that the tool reports, and the number of the call. */
static void read_pid(mcp_fixture *it, int *pid, int *call) {
  const ck_outcome *outcome = mcp_fixture_call(it, CK_EFFECT_PURE, "pid", NULL);
  tap_must(
      outcome->status == CK_OUTCOME_OK && sscanf(result_of(outcome), "\"%d %d\"", pid, call) == 2,
      "the server tells its pid");
}

static void test_one_process(void) {
  mcp_fixture it;
  int first, second, call;
  open_good(&it);
  read_pid(&it, &first, &call);
  read_pid(&it, &second, &call);
  tap_ok(first == second && call == 2, "one process serves all calls");
  mcp_fixture_call(&it, CK_EFFECT_ONCE, "die", NULL);
  read_pid(&it, &second, &call);
  tap_ok(first != second && call == 1, "after its death it is started again");
  mcp_fixture_close(&it);
}

static void test_many_at_once(void) {
  enum { COUNT = 32 };
  mcp_fixture it;
  drive drives[COUNT];
  ck_effect effects[COUNT];
  ck_buffer requests[COUNT] = {{0}};
  open_good(&it);
  for (int i = 0; i < COUNT; i++) {
    ck_effect_run *run;
    drive_init(&drives[i], loop);
    mcp_fixture_set(&it, CK_EFFECT_ONCE, "add", "{}");
    ck_buffer_append_format(
        &requests[i], "{\"server\":\"box\",\"name\":\"add\",\"arguments\":{\"a\":%d,\"b\":1000}}",
        i);
    effects[i] = it.effect;
    effects[i].request = ck_buffer_bytes(&requests[i]);
    tap_must(drive_begin(&run, &drives[i], it.driver, &effects[i], false) == CK_OK,
             "call %d is taken", i);
  }
  int right = 0;
  for (int i = 0; i < COUNT; i++) {
    char want[16];
    snprintf(want, sizeof want, "\"%d\"", 1000 + i);
    drive_wait(&drives[i]);
    right += drives[i].outcome->status == CK_OUTCOME_OK &&
             strcmp(result_of(drives[i].outcome), want) == 0;
    drive_clear(&drives[i]);
    ck_buffer_clear(&requests[i]);
  }
  tap_is_int(right, COUNT, "calls side by side get their own results");
  mcp_fixture_close(&it);
}

static void test_revisions(void) {
  static const char *const spoken[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
  for (size_t i = 0; i < sizeof spoken / sizeof *spoken; i++) {
    mcp_fixture it;
    mcp_fixture_begin(&it, "revision", spoken[i]);
    mcp_fixture_open(&it);
    gives(&it, "add", "{\"a\":1}", "\"1\"");
    mcp_fixture_close(&it);
  }
  mcp_fixture it;
  mcp_fixture_begin(&it, "revision", "2099-01-01");
  mcp_fixture_open(&it);
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", NULL);
  tap_ok(outcome->status == CK_OUTCOME_FAILED && outcome->error_status == CK_E_UNAVAILABLE,
         "a revision from the future is refused");
  tap_ok(strstr(outcome->error, "it speaks revision \"2099-01-01\" of the protocol; 2024-11-05 to "
                                "2025-11-25 are understood"),
         "both are named (%s)", outcome->error);
  mcp_fixture_close(&it);
}

static void test_questions(void) {
  mcp_fixture it;
  open_good(&it);
  gives(&it, "ask", "{}", "\"\\\"q0\\\"{}\\\"q1\\\"-32601\\\"q2\\\"-32601\\\"q3\\\"-32601\"");
  mcp_fixture_close(&it);
}

static void test_environment(void) {
  static const char *const names[] = {"CKRUN_BOX", "CKRUN_NOT_SET", NULL};
  mcp_fixture it;
  setenv("CKRUN_BOX", "seen", 1);
  setenv("CKRUN_BOXES", "canary", 1);
  setenv("OPENAI_API_KEY", "canary", 1);
  mcp_fixture_begin(&it, NULL, NULL);
  it.process.environment = names;
  mcp_fixture_open(&it);
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "surroundings", NULL);
  tap_ok(strstr(result_of(outcome), "CKRUN_BOX=seen\\n") && strstr(result_of(outcome), "PATH="),
         "a server sees what is declared");
  tap_ok(!strstr(result_of(outcome), "canary"), "and nothing else");
  mcp_fixture_close(&it);
}

static void test_routing(void) {
  static const char *const others[] = {"{\"server\":\"Box\",\"name\":\"echo\"}",
                                       "{\"name\":\"echo\"}", "{\"server\":null}",
                                       "{\"server\":{}}"};
  mcp_fixture it;
  open_good(&it);
  mcp_fixture_set(&it, CK_EFFECT_ONCE, "echo", NULL);
  tap_ok(it.driver->serves(it.driver->self, &it.effect), "its server's calls are served");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    it.effect.request = ck_bytes_text(others[i]);
    tap_ok(!it.driver->serves(it.driver->self, &it.effect), "%s is not", others[i]);
  }
  ck_effect_run *run;
  it.effect.request = ck_bytes_text("{\"server\":\"box\"}");
  tap_is_status(drive_begin(&run, &it.drive, it.driver, &it.effect, false), CK_E_TYPE, NULL,
                "a request that wants nothing is refused");
  it.effect.kind = CK_EFFECT_EXEC;
  tap_ok(!it.driver->serves(it.driver->self, &it.effect), "nor is another kind");
  mcp_fixture_close(&it);
}

/* ---- probes ---- */

/* Of a call of `tool` with `arguments`; `mode` is the server's. */
static void probes(const char *mode, const char *tool, const char *arguments,
                   ck_outcome_status want, const char *say) {
  static const char *const pairs[] = {"count", "is-counted", "fail",    "fail", "die",
                                      "die",   "echo",       "picture", NULL};
  mcp_fixture it;
  const char *path = tap_tmpfile("probed");
  FILE *file = fopen(path, "w");
  tap_must(file && fputs("7\n", file) >= 0 && fclose(file) == 0, "7 is counted");
  mcp_fixture_begin(&it, mode, path);
  it.process.probes = pairs;
  mcp_fixture_open(&it);
  mcp_fixture_set(&it, CK_EFFECT_RECONCILABLE, tool, arguments);
  tap_ok(it.driver->probes(it.driver->self, &it.effect), "%s, %s %s can be probed", mode, tool,
         arguments);
  const ck_outcome *outcome = drive_effect(&it.drive, it.driver, &it.effect, true);
  tap_is_text(ck_outcome_status_name(outcome->status), ck_outcome_status_name(want),
              "%s, %s %s: what the probe found", mode, tool, arguments);
  const char *said = outcome->result  ? ck_value_bytes(outcome->result).data
                     : outcome->error ? outcome->error
                                      : "";
  tap_ok(strstr(said, say) != NULL, "it tells so (%s)", said);
  mcp_fixture_close(&it);
}

static void test_probes(void) {
  probes("good", "count", "{\"n\":7}", CK_OUTCOME_OK, "\"it was counted\"");
  probes("text", "count", "{\"n\":7}", CK_OUTCOME_OK, "\"it was counted\"");
  probes("bare", "count", "{\"n\":7}", CK_OUTCOME_OK,
         "done (its probe says so; what it gave is not known)");
  probes("good", "count", "{\"n\":8}", CK_OUTCOME_ABSENT, "");
  probes("text", "count", "{\"n\":8}", CK_OUTCOME_ABSENT, "");
  probes("shy", "count", "{\"n\":7}", CK_OUTCOME_UNKNOWN,
         "its probe does not say whether it is done");
  probes("exit", "count", "{\"n\":7}", CK_OUTCOME_UNKNOWN, "it ended with exit status 7");
  probes("good", "count", "5", CK_OUTCOME_UNKNOWN, "the arguments are not a JSON object");
  probes("good", "fail", "{}", CK_OUTCOME_UNKNOWN, "no such\ncity");
  probes("good", "die", "{}", CK_OUTCOME_UNKNOWN, "it ended with exit status 3");
  probes("good", "echo", "{}", CK_OUTCOME_UNKNOWN, "its probe does not say whether it is done");
  mcp_fixture it;
  open_good(&it);
  mcp_fixture_set(&it, CK_EFFECT_ONCE, "count", NULL);
  tap_ok(!it.driver->probes(it.driver->self, &it.effect),
         "a tool of which the flow says nothing cannot be probed");
  mcp_fixture_close(&it);
}

/* A probe that is cancelled before it is sent leaves the outcome unknown. */
static void test_cancelled_probe(void) {
  static const char *const pairs[] = {"count", "is-counted", NULL};
  mcp_fixture it;
  ck_effect_run *run;
  mcp_fixture_begin(&it, NULL, NULL);
  it.process.probes = pairs;
  mcp_fixture_open(&it);
  mcp_fixture_set(&it, CK_EFFECT_RECONCILABLE, "count", NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, true) == CK_OK, "it is begun");
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  tap_ok(it.drive.outcome->status == CK_OUTCOME_UNKNOWN &&
             it.drive.outcome->error_status == CK_E_INTERRUPTED,
         "a cancelled probe knows nothing");
  mcp_fixture_close(&it);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  mcp_fixture_init(loop);
  test_results();
  test_errors();
  test_list();
  test_long();
  test_progress();
  test_one_process();
  test_many_at_once();
  test_revisions();
  test_questions();
  test_environment();
  test_routing();
  test_probes();
  test_cancelled_probe();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
