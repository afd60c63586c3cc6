/* test_mcp_http.c - an MCP server over HTTP: sessions, headers, streams; what arrived is never sent
 * twice, wherever the connection is cut. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/effect/mcp/http_fixture.h"
#include "tests/tap.h"

static ck_loop *loop;

static void open_one(http_fixture *it) {
  http_fixture_begin(it, loop);
  mcp_fixture_open(&it->mcp);
}

static const char *result_of(const ck_outcome *outcome) {
  return outcome->result  ? ck_value_bytes(outcome->result).data
         : outcome->error ? outcome->error
                          : "nothing";
}

static void gives(http_fixture *it, const char *arguments, const char *want) {
  const ck_outcome *outcome = http_fixture_call(it, CK_EFFECT_ONCE, arguments);
  tap_ok(outcome->status == CK_OUTCOME_OK && strcmp(result_of(outcome), want) == 0,
         "%s gives %s, not %s", arguments, want, result_of(outcome));
}

static void test_good(void) {
  http_fixture it;
  open_one(&it);
  http_fixture_write(&it, "slow", "yes");
  const ck_outcome *list = mcp_fixture_call(&it.mcp, CK_EFFECT_PURE, NULL, NULL);
  tap_ok(list->status == CK_OUTCOME_OK && strstr(result_of(list), "\"class\":\"pure\""),
         "the tools are listed: %s", result_of(list));
  gives(&it, "{\"text\":\"one\"}", "\"one\"");
  gives(&it, "{\"text\":\"two\",\"events\":true,\"progress\":2}", "\"two\"");
  tap_is_int(it.mcp.drive.updates, 0, "its progress goes to the sink of the fixture");
  tap_ok(strstr(ck_buffer_bytes(&it.mcp.updates).data, "\"progress\":2"), "and is told");
  gives(&it, "{\"text\":\"three\",\"events\":true,\"ids\":true,\"polls\":2,\"retry\":1}",
        "\"three\"");
  tap_is_int(http_fixture_count(&it, "log", "GET stream accept=text/event-stream "), 2,
             "a stream that the server closed is taken up by GET");
  tap_is_int(http_fixture_count(&it, "log", "last-event-id=6/2/"), 1, "behind the last event");
  http_fixture_close(&it);
  tap_is_int(http_fixture_count(&it, "log", "POST initialize "), 1, "it is initialized once");
  tap_is_int(http_fixture_count(&it, "log", "too early"), 0, "and told so before the first call");
  tap_is_int(http_fixture_count(&it, "log", "DELETE session "), 1, "the session is given back");
  int all = http_fixture_count(&it, "log", " ");
  tap_is_int(http_fixture_count(&it, "log", "authorization=Bearer_" HTTP_SECRET " x-tenant=acme"),
             all, "each request has the secret");
  tap_is_int(http_fixture_count(&it, "log", "mcp-session-id=s-1 mcp-protocol-version=2025-11-25"),
             all - 2, "all but the first two have session and revision");
  tap_is_int(http_fixture_count(&it, "log", "accept=application/json,_text/event-stream"), all - 3,
             "each POST takes both kinds of answers");
  tap_is_int(http_fixture_count(&it, "done", ""), 3, "each call was made once");
  http_fixture_end(&it);
}

static void test_no_session(void) {
  http_fixture it;
  open_one(&it);
  http_fixture_write(&it, "fixed", "none");
  gives(&it, "{\"text\":\"one\"}", "\"one\"");
  http_fixture_close(&it);
  tap_is_int(http_fixture_count(&it, "log", "DELETE"), 0, "no session, nothing to give back");
  tap_is_int(http_fixture_count(&it, "log", "mcp-session-id=-"),
             http_fixture_count(&it, "log", " "), "and none is named");
  http_fixture_end(&it);
}

static void test_bad_sessions(void) {
  static const char *const bad[] = {"a b", "a\tb", "a\xc3\xa9"};
  for (size_t i = 0; i < 3; i++) {
    http_fixture it;
    open_one(&it);
    http_fixture_write(&it, "fixed", bad[i]);
    const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{}");
    tap_ok(outcome->status == CK_OUTCOME_FAILED && strstr(outcome->error, "an id of a session"),
           "a session '%s' is refused: %s", bad[i], result_of(outcome));
    tap_is_int(http_fixture_count(&it, "done", ""), 0, "and nothing is called");
    http_fixture_end(&it);
  }
}

/* The server has forgotten the session; what it answers so was not done. */
static void test_forgotten(void) {
  http_fixture it;
  open_one(&it);
  gives(&it, "{\"text\":\"one\"}", "\"one\"");
  gives(&it, "{\"text\":\"two\",\"forget\":1}", "\"two\"");
  gives(&it, "{\"text\":\"three\",\"forget\":2}", "\"three\"");
  tap_is_int(http_fixture_count(&it, "log", "POST initialize "), 4, "each time it begins anew");
  const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{\"forget\":9}");
  tap_is_int(outcome->status, CK_OUTCOME_FAILED, "one that forgets all the time: %s",
             result_of(outcome));
  tap_ok(strstr(outcome->error, "HTTP 404"), "it says why");
  tap_is_int(http_fixture_count(&it, "done", ""), 3, "no call was made twice");
  gives(&it, "{\"text\":\"four\"}", "\"four\"");
  http_fixture_write(&it, "says-400", "yes");
  gives(&it, "{\"text\":\"five\",\"forget\":1}", "\"five\"");
  http_fixture_end(&it);
}

/* The same, told as an error of the request itself. */
static void test_forgotten_by_id(void) {
  http_fixture it;
  open_one(&it);
  http_fixture_write(&it, "own-id", "yes");
  gives(&it, "{\"text\":\"one\"}", "\"one\"");
  gives(&it, "{\"text\":\"two\",\"forget\":1}", "\"two\"");
  gives(&it, "{\"text\":\"three\"}", "\"three\"");
  tap_is_int(http_fixture_count(&it, "log", "POST initialize "), 2, "it begins anew, once");
  http_fixture_write(&it, "says-400", "yes");
  gives(&it, "{\"text\":\"four\",\"forget\":1}", "\"four\"");
  tap_is_int(http_fixture_count(&it, "done", ""), 4, "no call was made twice");
  http_fixture_write(&it, "says-code", "-32602");
  const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{\"forget\":9}");
  tap_ok(outcome->status == CK_OUTCOME_ERROR && strstr(outcome->error, "no such session"),
         "an error of what was given is no end of the session: %s", result_of(outcome));
  tap_is_int(http_fixture_count(&it, "log", "POST initialize "), 3, "and begins none");
  http_fixture_end(&it);
}

/* Cuts the answer to a call of class `once` behind its bytes; where the first one is answered, all
 * that are cut later are, too. Gives that place. */
static size_t cut_all(http_fixture *it, const char *name, const char *how, size_t step) {
  int calls = 0, wrong = 0;
  size_t first = 0;
  char arguments[200];
  for (size_t at = 0; at < 450; at += at < 3 ? 1 : step, calls++) {
    snprintf(arguments, sizeof arguments, "{\"text\":\"%s%zu\",\"cut\":%zu%s}", name, at, at, how);
    /* The connection is kept, so that the next call could use it, and libcurl would send that one
     * again. */
    http_fixture_call(it, CK_EFFECT_ONCE, "{\"act\":false}");
    const ck_outcome *outcome = http_fixture_call(it, CK_EFFECT_ONCE, arguments);
    bool answered = outcome->status == CK_OUTCOME_OK;
    if (answered && !first) first = at;
    snprintf(arguments, sizeof arguments, "%s%zu\n", name, at);
    bool right = (answered || (outcome->status == CK_OUTCOME_UNKNOWN && !first)) &&
                 http_fixture_count(it, "done", arguments) == 1;
    if (!right) tap_diag("cut at %zu: %s", at, result_of(outcome));
    wrong += !right;
  }
  tap_is_int(wrong, 0, "%s: %d cuts: each call is made once, and answered or in doubt", name,
             calls);
  tap_ok(first > 0, "%s: from byte %zu on it is answered", name, first);
  return first;
}

static void test_cuts(void) {
  http_fixture it;
  open_one(&it);
  cut_all(&it, "body", "", 29);
  size_t whole = cut_all(&it, "events", ",\"events\":true,\"progress\":2", 31);
  size_t taken =
      cut_all(&it, "ids", ",\"events\":true,\"ids\":true,\"progress\":2,\"retry\":1", 23);
  tap_ok(taken < whole, "a stream with ids is taken up behind its first: %zu, not %zu", taken,
         whole);
  tap_is_int(http_fixture_count(&it, "log", "POST initialize "), 1, "the session goes on");
  http_fixture_write(&it, "no-streams", "yes");
  const ck_outcome *outcome = http_fixture_call(
      &it, CK_EFFECT_ONCE, "{\"events\":true,\"ids\":true,\"retry\":1,\"polls\":1}");
  tap_ok(outcome->status == CK_OUTCOME_UNKNOWN && strstr(outcome->error, "HTTP 405"),
         "where it cannot be taken up, it is in doubt: %s", result_of(outcome));
  http_fixture_end(&it);
}

static void test_statuses(void) {
  static const struct {
    const char *arguments;
    ck_outcome_status want;
    const char *say;
    int calls;
  } cases[] = {
      {"{\"status\":307}", CK_OUTCOME_FAILED, "redirects are not followed", 1},
      {"{\"status\":302}", CK_OUTCOME_FAILED, "HTTP 302", 1},
      {"{\"status\":400,\"body\":{\"code\":-1,\"message\":\"no such city\"}}", CK_OUTCOME_ERROR,
       "no such city", 1},
      {"{\"status\":401,\"body\":\"{}\"}", CK_OUTCOME_FAILED, "the secrets that its 'key'", 1},
      {"{\"status\":403}", CK_OUTCOME_FAILED, "HTTP 403", 1},
      {"{\"status\":405}", CK_OUTCOME_FAILED, "not that of an MCP endpoint", 1},
      {"{\"status\":429}", CK_OUTCOME_FAILED, "HTTP 429", 4},
      {"{\"status\":500,\"body\":\"oh\",\"type\":\"text/plain\"}", CK_OUTCOME_UNKNOWN,
       "HTTP 500: \"oh\"", 1},
      {"{\"status\":502}", CK_OUTCOME_UNKNOWN, "HTTP 502", 1},
      {"{\"status\":500,\"body\":{\"code\":-1,\"message\":\"broken\"}}", CK_OUTCOME_ERROR, "broken",
       1},
      {"{\"status\":202}", CK_OUTCOME_UNKNOWN, "answers nothing", 1},
      {"{\"status\":200,\"type\":\"text/html\",\"body\":\"<html>\"}", CK_OUTCOME_UNKNOWN,
       "neither JSON nor a stream", 1},
      {"{\"junk\":\"oops\"}", CK_OUTCOME_UNKNOWN, "no JSON: \"oops\"", 1},
      {"{\"junk\":\"oops\",\"events\":true}", CK_OUTCOME_UNKNOWN, "no JSON: \"oops\"", 1},
      {"{\"junk\":\"{\\\"id\\\":77,\\\"result\\\":{}}\"}", CK_OUTCOME_UNKNOWN, "another request",
       1},
      {"{\"junk\":\"{\\\"id\\\":77,\\\"result\\\":{}}\",\"events\":true}", CK_OUTCOME_UNKNOWN,
       "broke off", 1},
  };
  http_fixture it;
  open_one(&it);
  gives(&it, "{\"text\":\"one\"}", "\"one\"");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int before = http_fixture_count(&it, "log", "POST tools/call ");
    const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_ONCE, cases[i].arguments);
    tap_is_int(outcome->status, cases[i].want, "%s", cases[i].arguments);
    tap_ok(strstr(outcome->error, cases[i].say), "it says so: %s", outcome->error);
    tap_is_int(http_fixture_count(&it, "log", "POST tools/call ") - before, cases[i].calls,
               "it was sent so often");
  }
  gives(&it, "{\"text\":\"two\",\"status\":429,\"times\":2}", "\"two\"");
  gives(&it,
        "{\"text\":\"dated\",\"status\":429,\"times\":1,"
        "\"retry_at\":\"Sun, 06 Nov 1994 08:49:37 GMT\"}",
        "\"dated\"");
  gives(&it, "{\"text\":\"three\"}", "\"three\"");
  http_fixture_end(&it);
}

static void test_unreached(void) {
  http_fixture it;
  http_fixture_begin(&it, loop);
  it.mcp.process.url = "http://127.0.0.1:1/mcp?x=y";
  mcp_fixture_open(&it.mcp);
  const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{}");
  tap_is_int(outcome->status, CK_OUTCOME_FAILED, "nobody is there: %s", outcome->error);
  tap_ok(strstr(outcome->error, "the MCP server 'box': it cannot be reached at http://127.0.0.1:1/"
                                "mcp: "),
         "it says where");
  http_fixture_end(&it);
  http_fixture_begin(&it, loop);
  it.mcp.process.headers = (const char *const[]){"Authorization", "bearer", "nobody", NULL};
  mcp_fixture_open(&it.mcp);
  outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{}");
  tap_ok(outcome->status == CK_OUTCOME_FAILED && strstr(outcome->error, "no nobody"),
         "a secret that there is not: %s", outcome->error);
  tap_is_int(http_fixture_count(&it, "log", ""), 0, "nothing is sent");
  http_fixture_end(&it);
}

static void test_limits(void) {
  http_fixture it;
  http_fixture_begin(&it, loop);
  it.mcp.options.silence_ms = 1;
  mcp_fixture_open(&it.mcp);
  const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{\"hang\":true}");
  tap_ok(outcome->status == CK_OUTCOME_UNKNOWN && strstr(outcome->error, "did not answer within"),
         "silence ends a call: %s", outcome->error);
  http_fixture_end(&it);
  http_fixture_begin(&it, loop);
  it.mcp.options.service.line_max = 1 << 16;
  mcp_fixture_open(&it.mcp);
  static char big[1 << 17];
  for (int events = 0; events < 2; events++) {
    int len = snprintf(big, 64, "{\"events\":%s,\"text\":\"", events ? "true" : "false");
    memset(big + len, 'x', 100000);
    snprintf(big + len + 100000, 8, "\"}");
    outcome = http_fixture_call(&it, CK_EFFECT_ONCE, big);
    tap_ok(outcome->status == CK_OUTCOME_UNKNOWN && strstr(outcome->error, "more than 65536 bytes"),
           "what is too large is not taken: %s", outcome->error);
  }
  gives(&it, "{\"text\":\"one\"}", "\"one\"");
  http_fixture_end(&it);
}

static void test_asks(void) {
  http_fixture it;
  open_one(&it);
  gives(&it, "{\"ask\":\"ping\"}", "\"{}\"");
  const ck_outcome *outcome =
      http_fixture_call(&it, CK_EFFECT_ONCE, "{\"ask\":\"sampling/createMessage\"}");
  tap_ok(strstr(result_of(outcome), "-32601"), "what is not offered is refused: %s",
         result_of(outcome));
  outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{\"ask\":\"roots/list\"}");
  tap_ok(strstr(result_of(outcome), "-32601"), "the folder is not told of unasked");
  tap_is_text(http_fixture_read(&it, "offers"), "{}", "and nothing is offered");
  http_fixture_end(&it);
}

static void test_roots(void) {
  http_fixture it;
  char folder[512], want[600];
  http_fixture_begin(&it, loop);
  snprintf(folder, sizeof folder, "%s/a b%%\"c", it.folder);
  tap_must(mkdir(folder, 0700) == 0, "a folder of an odd name");
  it.mcp.process.roots = true;
  it.mcp.options.service.directory = folder;
  mcp_fixture_open(&it.mcp);
  const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{\"ask\":\"roots/list\"}");
  snprintf(want, sizeof want, "/a%%20b%%25%%22c\\\"}]}\"");
  tap_ok(strstr(result_of(outcome), "\"{\\\"roots\\\":[{\\\"uri\\\":\\\"file:///") &&
             strstr(result_of(outcome), want),
         "where the flow says so it is: %s", result_of(outcome));
  tap_is_text(http_fixture_read(&it, "offers"), "{\"roots\":{}}", "and was offered");
  http_fixture_end(&it);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  mcp_fixture_init(loop);
  test_good();
  test_no_session();
  test_bad_sessions();
  test_forgotten();
  test_forgotten_by_id();
  test_cuts();
  test_statuses();
  test_unreached();
  test_limits();
  test_asks();
  test_roots();
  ck_loop_free(loop);
  return tap_done();
}
