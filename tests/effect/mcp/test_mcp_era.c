/* test_mcp_era.c - servers of both eras: who has no handshake is asked without one, who is older is
 * initialized, however it answers what it does not know. */
#include <stdio.h>
#include <string.h>

#include "tests/effect/mcp/http_fixture.h"
#include "tests/tap.h"

static ck_loop *loop;

static const char *result_of(const ck_outcome *outcome) {
  return outcome->result  ? ck_value_bytes(outcome->result).data
         : outcome->error ? outcome->error
                          : "nothing";
}

static void adds(mcp_fixture *it, const char *mode) {
  const ck_outcome *outcome = mcp_fixture_call(it, CK_EFFECT_ONCE, "add", "{\"a\":1,\"b\":1}");
  tap_ok(outcome->status == CK_OUTCOME_OK, "%s: the call is made", mode);
  tap_is_text(result_of(outcome), "\"2\"", "%s: its result", mode);
}

static void test_programs(void) {
  static const char *const modes[] = {"good", "strict", "silent", "sloppy", "dual", "modern"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    mcp_fixture it;
    mcp_fixture_begin(&it, modes[i], NULL);
    if (strcmp(modes[i], "silent") == 0) it.options.service.start_ms = 4000;
    mcp_fixture_open(&it);
    adds(&it, modes[i]);
    const ck_outcome *list = mcp_fixture_call(&it, CK_EFFECT_PURE, NULL, NULL);
    tap_ok(list->status == CK_OUTCOME_OK, "%s: its tools are listed: %.80s", modes[i],
           result_of(list));
    mcp_fixture_close(&it);
  }
}

static void test_restart(void) {
  mcp_fixture it;
  mcp_fixture_begin(&it, "modern", NULL);
  mcp_fixture_open(&it);
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "die", NULL);
  tap_ok(outcome->status == CK_OUTCOME_UNKNOWN, "a call that a new server dies of is in doubt");
  adds(&it, "a new one that was started again");
  mcp_fixture_close(&it);
}

static void test_future(void) {
  mcp_fixture it;
  mcp_fixture_begin(&it, "future", NULL);
  mcp_fixture_open(&it);
  const ck_outcome *outcome = mcp_fixture_call(&it, CK_EFFECT_ONCE, "add", NULL);
  tap_ok(outcome->status == CK_OUTCOME_FAILED && strstr(result_of(outcome), "unsupported"),
         "a server of revisions that nobody here knows is not initialized: %s", result_of(outcome));
  mcp_fixture_close(&it);
}

static void open_http(http_fixture *it, const char *file, const char *text) {
  http_fixture_begin(it, loop);
  mcp_fixture_open(&it->mcp);
  http_fixture_write(it, file, text);
}

static void test_http(void) {
  http_fixture it;
  open_http(&it, "modern", "yes");
  const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{\"text\":\"one\"}");
  tap_is_text(result_of(outcome), "\"one\"", "over HTTP: a call");
  outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{\"text\":\"two\",\"events\":true}");
  tap_is_text(result_of(outcome), "\"two\"", "over HTTP: a stream");
  outcome = mcp_fixture_call(&it.mcp, CK_EFFECT_ONCE, "d\xc3\xb6 ", "{\"text\":\"three\"}");
  tap_is_text(result_of(outcome), "\"three\"", "a name that no header has travels as base64");
  outcome = http_fixture_call(&it, CK_EFFECT_ONCE,
                              "{\"text\":\"four\",\"events\":true,\"ids\":true,\"polls\":1,"
                              "\"retry\":1}");
  tap_ok(outcome->status == CK_OUTCOME_UNKNOWN, "a stream that ends early is not taken up: %s",
         result_of(outcome));
  http_fixture_close(&it);
  int all = http_fixture_count(&it, "log", " ");
  tap_is_int(http_fixture_count(&it, "log", "POST initialize"), 0, "nothing is initialized");
  tap_is_int(http_fixture_count(&it, "log", "POST notifications"), 0, "nothing is announced");
  tap_is_int(http_fixture_count(&it, "log", "GET ") + http_fixture_count(&it, "log", "DELETE "), 0,
             "no stream is asked for, no session given back");
  tap_is_int(http_fixture_count(&it, "log", "mcp-session-id=- mcp-protocol-version=2026-07-28"),
             all, "each request has the revision, and no session");
  tap_is_int(http_fixture_count(&it, "done", ""), 4, "each call was made once");
  http_fixture_end(&it);
}

/* How older servers over HTTP refuse what they do not know. */
static void test_older_http(void) {
  static const char *const codes[] = {"400", "404", "405", "500", "501"};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    http_fixture it;
    open_http(&it, "refuses", codes[i]);
    const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{\"text\":\"one\"}");
    tap_is_text(result_of(outcome), "\"one\"", "who answers HTTP %s is initialized", codes[i]);
    http_fixture_close(&it);
    tap_is_int(http_fixture_count(&it, "log", "POST server/discover"), 1, "HTTP %s: asked once",
               codes[i]);
    tap_is_int(http_fixture_count(&it, "log", "POST initialize"), 1, "HTTP %s: initialized once",
               codes[i]);
    http_fixture_end(&it);
  }
  http_fixture it;
  open_http(&it, "refuses", "401");
  const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_ONCE, "{\"text\":\"one\"}");
  tap_ok(outcome->status == CK_OUTCOME_FAILED && strstr(result_of(outcome), "HTTP 401"),
         "a key that is not taken says nothing of the revision: %s", result_of(outcome));
  http_fixture_close(&it);
  tap_is_int(http_fixture_count(&it, "log", "POST initialize"), 0, "and is not sent once more");
  http_fixture_end(&it);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  mcp_fixture_init(loop);
  test_programs();
  test_restart();
  test_future();
  test_http();
  test_older_http();
  ck_loop_free(loop);
  return tap_done();
}
