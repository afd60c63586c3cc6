/* test_mcp_standing.c - the stream on which an older MCP server over HTTP says what is of no call:
 * it is heard, opened anew and bounded, and no call needs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/effect/mcp/http_fixture.h"
#include "tests/tap.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n"
#define CHANGED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n"
#define GETS "GET stream "

static ck_loop *loop;

/* `standing`: what the server says on its stream; NULL: it has none. */
static void begin(http_fixture *it, const char *standing) {
  http_fixture_begin(it, loop);
  if (standing) http_fixture_write(it, "standing", standing);
}

static const char *result_of(const ck_outcome *outcome) {
  return outcome->result  ? ck_value_bytes(outcome->result).data
         : outcome->error ? outcome->error
                          : "nothing";
}

/* Calls go well whatever the stream does. */
static bool call(http_fixture *it) {
  const ck_outcome *outcome = http_fixture_call(it, CK_EFFECT_PURE, "{}");
  tap_must(outcome->status == CK_OUTCOME_OK && strcmp(result_of(outcome), "\"done\"") == 0,
           "a call gives %s", result_of(outcome));
  return outcome->tools_changed;
}

static void call_until_changed(http_fixture *it, const char *what) {
  while (!call(it)) continue;
  tap_ok(true, "%s", what);
}

static void call_until_logged(http_fixture *it, const char *text, int count) {
  do call(it);
  while (http_fixture_count(it, "log", text) < count);
}

static void test_requests(void) {
  http_fixture it;
  begin(&it, CHANGED);
  it.mcp.process.roots = true;
  mcp_fixture_open(&it.mcp);
  const ck_outcome *outcome =
      http_fixture_call(&it, CK_EFFECT_PURE, "{\"ask\":\"roots/list\",\"apart\":true}");
  tap_ok(outcome->status == CK_OUTCOME_OK && strstr(result_of(outcome), "file://"),
         "what the server asks beside the call's own stream is answered: %s", result_of(outcome));
  tap_is_int(http_fixture_count(&it, "log",
                                GETS "accept=text/event-stream mcp-session-id=s-1 "
                                     "mcp-protocol-version=2025-11-25 "
                                     "authorization=Bearer_" HTTP_SECRET),
             1, "the stream is of the session, and is opened with the secret");
  http_fixture_close(&it);
  tap_is_int(http_fixture_count(&it, "log", "DELETE session "), 1, "and ends with it");
  http_fixture_end(&it);
}

static void test_changes(void) {
  static const char *const ends[] = {"",
                                     "CLOSE\n",
                                     "BREAK\n",
                                     "CLOSE\nCLOSE\nBREAK\nBREAK\n",
                                     "DROWN\n",
                                     "no message\nWAIT\n",
                                     "CLOSE\n[]\n",
                                     "FLOOD 999\nCLOSE\n"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    http_fixture it;
    char said[512];
    snprintf(said, sizeof said, PING "%s" CHANGED, ends[i]);
    begin(&it, said);
    mcp_fixture_open(&it.mcp);
    call_until_changed(&it, "a change that is told outside of calls is heard");
    int times = http_fixture_count(&it, "log", GETS);
    tap_ok(*ends[i] ? times > 1 : times == 1, "behind [%s], opened %d times", ends[i], times);
    if (*ends[i] && i != 4)
      tap_ok(http_fixture_count(&it, "log", "last-event-id=standing/") > 0,
             "from behind the last event");
    http_fixture_end(&it);
  }
}

static void test_refused(void) {
  static const char *const left[] = {NULL, "400\n", "401\n", "403\n", "404\n", "405\n", "204\n"};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
    http_fixture it;
    begin(&it, left[i] ? CHANGED : NULL);
    if (left[i]) http_fixture_write(&it, "busy", left[i]);
    it.mcp.process.elicitation = true;
    mcp_fixture_open(&it.mcp);
    call_until_logged(&it, GETS, 1);
    for (int n = 0; n < 20; n++) tap_must(!call(&it), "nothing is heard");
    tap_is_int(http_fixture_count(&it, "log", GETS), 1, "a server that answers %.3s is left alone",
               left[i] ? left[i] : "405");
    http_fixture_end(&it);
  }
}

static void test_busy(void) {
  http_fixture it;
  begin(&it, CHANGED);
  http_fixture_write(&it, "busy", "503\n429\n409\n500\n");
  mcp_fixture_open(&it.mcp);
  call_until_changed(&it, "one that is busy is asked again, until it has the stream");
  tap_is_int(http_fixture_count(&it, "log", GETS), 5, "as often as it takes");
  http_fixture_end(&it);
}

/* Answers come where they were asked for. */
static void test_forged(void) {
  http_fixture it;
  ck_buffer said = {0};
  for (int id = 1; id < 60; id++)
    ck_buffer_append_format(&said,
                            "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"content\":[{\"type\":"
                            "\"text\",\"text\":\"forged\"}]}}\n",
                            id);
  ck_buffer_append_text(&said, "[]\n[{}]\n5\n\"x\"\n" CHANGED);
  begin(&it, said.data);
  mcp_fixture_open(&it.mcp);
  const ck_outcome *outcome =
      http_fixture_call(&it, CK_EFFECT_PURE, "{\"events\":true,\"progress\":3}");
  tap_ok(strcmp(result_of(outcome), "\"done\"") == 0, "its own answer: %s", result_of(outcome));
  call_until_changed(&it, "an answer on that stream is none");
  ck_buffer_clear(&said);
  http_fixture_end(&it);
}

static void test_sessions(void) {
  http_fixture it;
  begin(&it, PING);
  mcp_fixture_open(&it.mcp);
  call_until_logged(&it, GETS "accept=text/event-stream mcp-session-id=s-1", 1);
  const ck_outcome *outcome = http_fixture_call(&it, CK_EFFECT_PURE, "{\"forget\":1}");
  tap_is_int(outcome->status, CK_OUTCOME_OK, "a call goes on in another session");
  call_until_logged(&it, GETS "accept=text/event-stream mcp-session-id=s-2", 1);
  http_fixture_write(&it, "standing", PING CHANGED);
  call_until_changed(&it, "and so does the stream");
  http_fixture_end(&it);
}

static void test_needless(void) {
  http_fixture it;
  begin(&it, NULL);
  mcp_fixture_open(&it.mcp);
  for (int n = 0; n < 5; n++) call(&it);
  tap_is_int(http_fixture_count(&it, "log", GETS), 0,
             "without changes and without anything that it may ask there is none");
  http_fixture_end(&it);
  begin(&it, CHANGED);
  http_fixture_write(&it, "modern", "yes");
  it.mcp.process.elicitation = it.mcp.process.roots = true;
  mcp_fixture_open(&it.mcp);
  for (int n = 0; n < 5; n++) call(&it);
  tap_is_int(http_fixture_count(&it, "log", "GET"), 0, "nor of the newer era, which has none");
  http_fixture_end(&it);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_loop_new(&loop, &err) == CK_OK, "a loop");
  mcp_fixture_init(loop);
  test_requests();
  test_changes();
  test_refused();
  test_busy();
  test_forged();
  test_sessions();
  test_needless();
  ck_loop_free(loop);
  return tap_done();
}
