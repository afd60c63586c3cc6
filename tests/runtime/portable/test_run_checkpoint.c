/* test_run_checkpoint.c - a failed run is told by what was seen of it, refused where another would
 * fail alike, and read field by field. */
#include "core/runtime/portable/run_checkpoint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static ck_runtime *runtime;

/* ---- writing ---- */

static void append(ck_session *session, ck_event_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(ck_session *session, ck_event_kind kind, const char *format, ...) {
  char text[512];
  ck_value *body = NULL;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_value_new(&body, ck_bytes_text(text), &err);
  if (status == CK_OK) status = ck_session_append(session, kind, "main", "ann", body, &err);
  tap_must(status == CK_OK, "an event is appended: %s", err.text);
  ck_value_free(body);
}

static void reach(ck_session *session, ck_boundary_kind kind, const char *node) {
  ck_saved saved;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = kind, .node = node}, &err) ==
               CK_OK,
           "a boundary: %s", err.text);
}

static ck_session *start(const char *input) {
  ck_session *session = NULL;
  ck_value *given = NULL;
  ck_error err = CK_ERROR_INIT;
  if (input && ck_value_new(&given, ck_bytes_text(input), NULL) != CK_OK) abort();
  tap_must(
      ck_session_start(&session, runtime, &(ck_session_options){.input = given}, &err) == CK_OK,
      "a session: %s", err.text);
  append(session, CK_EVENT_MESSAGE, "{\"message\":{\"role\":\"user\",\"content\":\"hi\"}}");
  ck_value_free(given);
  return session;
}

/* Ends and closes the session; the document, or the refusal's text. */
static ck_status finish(ck_buffer *out, ck_session *session, ck_session_status how, ck_error *err) {
  ck_head head = {0};
  ck_redactor *redactor = NULL;
  char id[CK_ID_SIZE];
  snprintf(id, sizeof id, "%s", ck_session_id(session));
  if (ck_session_end(session, how, "because", NULL, err) != CK_OK) abort();
  ck_session_close(session);
  if (ck_store_get_head(&head, runtime->store, id, err) != CK_OK ||
      ck_redactor_new(&redactor, err) != CK_OK)
    abort();
  ck_status status = ck_run_checkpoint_write(out, runtime->store, &head, redactor, err);
  ck_redactor_free(redactor);
  ck_head_clear(&head);
  return status;
}

static void is_written(ck_session *session, const char *member, const char *want,
                       const char *what) {
  ck_buffer text = {0};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(finish(&text, session, CK_SESSION_FAILED, &err), CK_OK, &err, "%s: it is written",
                what);
  tap_is_status(ck_json_check(ck_buffer_bytes(&text), NULL), CK_OK, NULL, "%s: as JSON", what);
  ck_run_checkpoint read;
  tap_is_status(ck_run_checkpoint_read(&read, ck_buffer_bytes(&text), &err), CK_OK, &err,
                "%s: that can be read", what);
  tap_is_bytes(ck_json_get(ck_buffer_bytes(&text), member), ck_bytes_text(want), "%s: its %s", what,
               member);
  ck_buffer_clear(&text);
}

static void is_refused(ck_session *session, ck_session_status how, const char *why) {
  ck_buffer text = {0};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(finish(&text, session, how, &err), CK_E_REFUSED, &err, "it is refused");
  tap_ok(strstr(err.text, why) != NULL, "and says why: %s (%s)", why, err.text);
  ck_buffer_clear(&text);
}

#define INTENT(kind, request)                       \
  "{\"key\":\"k%d\",\"attempt\":1,\"kind\":\"" kind \
  "\",\"class\":\"pure\",\"digest\":\"d\",\"request\":" request "}"
#define FAILED(kind, cause)                                                                    \
  "{\"key\":\"k%d\",\"attempt\":1,\"kind\":\"" kind                                            \
  "\",\"status\":\"failed\",\"via\":\"t\",\"digest\":\"d\",\"error\":\"e\",\"cause\":\"" cause \
  "\"}"

static void test_phases(void) {
  ck_session *s = start(NULL);
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  append(s, CK_EVENT_INTENT, INTENT("model", "{\"model\":\"m\"}"), 1);
  is_written(s, "failurePoint", "{\"iteration\":2,\"phase\":\"llm\"}",
             "a model call without an outcome");
  s = start(NULL);
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  append(s, CK_EVENT_INTENT, INTENT("model", "{\"model\":\"m\"}"), 1);
  append(s, CK_EVENT_OUTCOME, FAILED("model", "CK_E_UNAVAILABLE"), 1);
  is_written(s, "failurePoint", "{\"iteration\":2,\"phase\":\"llm\"}", "a model call that failed");
  s = start(NULL);
  reach(s, CK_BOUNDARY_NODE_COMPLETE, "search");
  reach(s, CK_BOUNDARY_NODE_START, "collect");
  append(s, CK_EVENT_INTENT, INTENT("model", "{\"model\":\"m\"}"), 1);
  is_written(s, "failurePoint", "{\"iteration\":2,\"phase\":\"llm\",\"stage\":\"collect\"}",
             "in a node");
  s = start(NULL);
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  append(s, CK_EVENT_INTENT,
         INTENT("tool", "{\"name\":\"look_up\",\"arguments\":\"https://x/?key=1\"}"), 1);
  is_written(s, "failurePoint", "{\"iteration\":2,\"phase\":\"tool\",\"stage\":\"look_up\"}",
             "a tool");
  s = start(NULL);
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  append(s, CK_EVENT_INTENT,
         INTENT("tool", "{\"name\":\"https://user:pw@host/x\",\"arguments\":1}"), 1);
  is_written(s, "failurePoint", "{\"iteration\":2,\"phase\":\"tool\"}",
             "a tool whose name is none");
  s = start(NULL);
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  append(s, CK_EVENT_INTENT, INTENT("exec", "{\"argv\":[\"sh\",\"-c\",\"secret\"]}"), 1);
  is_written(s, "failurePoint", "{\"iteration\":2,\"phase\":\"tool\"}", "a program");
  s = start(NULL);
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  append(s, CK_EVENT_INTENT, INTENT("ask", "{}"), 1);
  is_written(s, "failurePoint", "{\"iteration\":2,\"phase\":\"unknown\"}", "a question");
  s = start(NULL);
  append(s, CK_EVENT_INTENT, INTENT("model", "{\"model\":\"m\"}"), 1);
  append(s, CK_EVENT_OUTCOME, FAILED("model", "CK_E_UNAVAILABLE"), 1);
  reach(s, CK_BOUNDARY_LOOP_ITERATION, NULL);
  reach(s, CK_BOUNDARY_LOOP_ITERATION, NULL);
  is_written(s, "failurePoint", "{\"iteration\":3,\"phase\":\"iteration\"}",
             "nothing was open: the flow itself");
}

static void test_fields(void) {
  ck_session *s = start(NULL);
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  append(s, CK_EVENT_MESSAGE, "{\"message\":{\"role\":\"assistant\",\"content\":\"half\"}}");
  is_written(s, "history", "[{\"role\":\"user\",\"content\":\"hi\"}]",
             "what lies behind the last boundary");
  s = start("{\"input\":\"do it\"}");
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  is_written(s, "originalInput", "{\"message\":\"do it\"}", "an input that is a text");
  s = start("{\"input\":{\"message\":\"do it\",\"n\":1}}");
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  is_written(s, "originalInput", "{\"message\":\"do it\"}", "an input with a message");
  s = start("{\"input\":{\"n\":1}}");
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  is_written(s, "originalInput", "{\"message\":\"{\\\"n\\\":1}\"}", "any other input");
  s = start(NULL);
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  is_written(s, "originalInput", "{\"message\":\"hi\"}", "no input: what the user said first");
  s = start(NULL);
  for (int i = 0; i < 4; i++) reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  reach(s, CK_BOUNDARY_SAFE_POINT, NULL);
  is_written(s, "lastCompletedIteration", "4", "boundaries that end an iteration");
}

static void test_refusals(void) {
  static const struct {
    const char *cause, *why;
  } causes[] = {
      {"CK_E_CONTEXT", "is not resumable: the conversation is longer than the model takes; another "
                       "run would meet the same"},
      {"CK_E_REQUEST", "is not resumable: the provider refused the request as malformed"},
      {"CK_E_CREDENTIALS",
       "is not resumable elsewhere: the provider refused the credentials; here `ckrun resume"}};
  is_refused(start(NULL), CK_SESSION_FAILED, "failed before it completed an iteration");
  ck_session *s = start(NULL);
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  is_refused(s, CK_SESSION_COMPLETED,
             "is completed: a run checkpoint is made of a run that failed");
  is_refused(start(NULL), CK_SESSION_PAUSED, "stopped before it completed an iteration");
  s = start(NULL);
  reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
  is_refused(s, CK_SESSION_CANCELLED, "is cancelled: ");
  for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
    char failed[256];
    s = start(NULL);
    reach(s, CK_BOUNDARY_TOOL_ROUND, NULL);
    append(s, CK_EVENT_INTENT, INTENT("model", "{\"model\":\"m\"}"), 1);
    snprintf(failed, sizeof failed, FAILED("model", "%s"), 1, causes[i].cause);
    append(s, CK_EVENT_OUTCOME, "%s", failed);
    is_refused(s, CK_SESSION_FAILED, causes[i].why);
  }
}

/* ---- reading ---- */

#define MESSAGE "{\"role\":\"user\",\"content\":\"hi\"}"
#define DOCUMENT(version, history, last, input, at, more)                                        \
  "{\"version\":" version ",\"runId\":\"r\",\"history\":" history                                \
  ",\"lastCompletedIteration\":" last ",\"originalInput\":" input ",\"checkpointedAt\":" at more \
  "}"
#define GOOD(history, more) \
  DOCUMENT("1", history, "3", "{\"message\":\"hi\"}", "1700000000000", more)
#define CALL(id) \
  "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}"
#define CALLING "{\"role\":\"assistant\",\"tool_calls\":[" CALL("1") "," CALL("2") "]}"
#define RESULT(id) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"x\"}"
#define CAMEL_RESULT "{\"role\":\"tool\",\"toolCallId\":\"1\",\"toolName\":\"n\",\"content\":\"x\"}"
#define CAMEL(calls) \
  "[" MESSAGE ",{\"role\":\"assistant\",\"content\":\"\",\"toolCalls\":" calls "}"

static const struct {
  const char *document, *want; /* want NULL: it is read */
} documents[] = {
    {GOOD("[]", ""), NULL},
    {GOOD("[" MESSAGE "," CALLING "," RESULT("1") "," RESULT("2") "," MESSAGE "]", ""), NULL},
    {GOOD("[" MESSAGE "," CALLING "," RESULT("2") "," RESULT("1") "]", ""), NULL},
    {GOOD("[{\"role\":\"system\",\"content\":\"s\"}," MESSAGE "]", ""), NULL},
    {GOOD(CAMEL("[{\"id\":\"1\",\"name\":\"n\",\"args\":{}}]") "," CAMEL_RESULT "]", ""), NULL},
    {GOOD(CAMEL("[]") "]", ",\"agent\":{\"id\":\"a\"},\"flow\":{\"name\":\"f\"}"), NULL},
    {GOOD("[]", ",\"failurePoint\":{\"iteration\":4,\"phase\":\"llm\"},\"more\":1"), NULL},
    {DOCUMENT("1", "[]", "0", "{\"message\":\"m\",\"x\":1}", "0", ""), NULL},
    {DOCUMENT("1", "[" MESSAGE "]", "0", "{\"message\":\"\"}", "0", ""), NULL},
    {DOCUMENT("1", "[]", "0", "{\"message\":\"\"}", "0", ""),
     "field originalInput.message must not be empty when history is"},
    {"[]", "a run checkpoint is a JSON object"},
    {"{}", "missing required field: version"},
    {DOCUMENT("2", "[]", "1", "{\"message\":\"\"}", "0", ""),
     "unsupported version 2: this program reads version 1"},
    {DOCUMENT("0", "[]", "1", "{\"message\":\"\"}", "0", ""), "unsupported version 0"},
    {DOCUMENT("\"1\"", "[]", "1", "{\"message\":\"\"}", "0", ""),
     "field version must be a whole number"},
    {DOCUMENT("1.5", "[]", "1", "{\"message\":\"\"}", "0", ""),
     "field version must be a whole number"},
    {"{\"version\":1}", "missing required field: runId"},
    {"{\"version\":1,\"runId\":7}", "field runId must be a string"},
    {"{\"version\":1,\"runId\":\"r\"}", "missing required field: history"},
    {"{\"version\":1,\"runId\":\"r\",\"history\":{}}", "field history must be an array"},
    {"{\"version\":1,\"runId\":\"r\",\"history\":[]}",
     "missing required field: lastCompletedIteration"},
    {DOCUMENT("1", "[]", "-1", "{\"message\":\"\"}", "0", ""),
     "field lastCompletedIteration must be a whole number from 0 to 1000000"},
    {DOCUMENT("1", "[]", "1e3", "{\"message\":\"\"}", "0", ""),
     "field lastCompletedIteration must be a whole number"},
    {DOCUMENT("1", "[]", "1000001", "{\"message\":\"\"}", "0", ""),
     "field lastCompletedIteration must be a whole number from 0 to 1000000"},
    {"{\"version\":1,\"runId\":\"r\",\"history\":[],\"lastCompletedIteration\":1}",
     "missing required field: originalInput"},
    {DOCUMENT("1", "[]", "1", "\"hi\"", "0", ""), "field originalInput must be an object"},
    {DOCUMENT("1", "[]", "1", "{}", "0", ""), "missing required field: originalInput.message"},
    {DOCUMENT("1", "[]", "1", "{\"message\":1}", "0", ""),
     "field originalInput.message must be a string"},
    {"{\"version\":1,\"runId\":\"r\",\"history\":[],\"lastCompletedIteration\":1,\"originalInput\":"
     "{\"message\":\"\"}}",
     "missing required field: checkpointedAt"},
    {DOCUMENT("1", "[]", "1", "{\"message\":\"\"}", "null", ""),
     "field checkpointedAt must be a whole number"},
    {GOOD("[]", ",\"failurePoint\":1"), "field failurePoint must be an object"},
    {GOOD("[]", ",\"failurePoint\":{}"), "missing required field: failurePoint.iteration"},
    {GOOD("[]", ",\"failurePoint\":{\"iteration\":1}"),
     "missing required field: failurePoint.phase"},
    {GOOD("[]", ",\"failurePoint\":{\"iteration\":1,\"phase\":\"model\"}"),
     "field failurePoint.phase must be iteration, tool, llm or unknown"},
    {GOOD("[]", ",\"failurePoint\":{\"iteration\":1,\"phase\":\"llm\",\"stage\":1}"),
     "field failurePoint.stage must be a string"},
    {GOOD("[1]", ""), "field history[0] must be a message with a role"},
    {GOOD("[{\"role\":\"critic\"}]", ""), "field history[0] must be a message with a role"},
    {GOOD("[{\"role\":\"user\"}]", ""), "missing required field: history[0].content"},
    {GOOD("[{\"role\":\"user\",\"content\":null}]", ""),
     "field history[0].content must be a string"},
    {GOOD("[{\"role\":\"user\",\"content\":7}]", ""), "field history[0].content must be a string"},
    {GOOD("[{\"role\":\"user\",\"content\":{}}]", ""), "field history[0].content must be a string"},
    {GOOD("[{\"role\":\"user\",\"content\":[1]}]", ""),
     "field history[0].content must be a string"},
    {GOOD("[" MESSAGE ",{\"role\":\"assistant\"}]", ""),
     "missing required field: history[1].content"},
    {GOOD("[" MESSAGE ",{\"role\":\"assistant\",\"tool_calls\":[]}]", ""),
     "missing required field: history[1].content"},
    {GOOD("[" CALLING "]", ""), "field history[0] must be the user's: the first who speaks"},
    {GOOD("[" MESSAGE "," RESULT("1") "]", ""),
     "field history[1] answers no call of the message before it"},
    {GOOD("[" MESSAGE "," CALLING "," RESULT("1") "," MESSAGE "]", ""),
     "field history[3] stands where the result of a tool call is missing"},
    {GOOD("[" MESSAGE "," CALLING "," RESULT("1") "]", ""),
     "field history[3] is missing: the result of a tool call"},
    {GOOD("[" MESSAGE "," CALLING "," RESULT("1") "," RESULT("1") "]", ""),
     "field history[3] answers no call"},
    {GOOD("[" MESSAGE "," CALLING "," RESULT("1") "," RESULT("3") "]", ""),
     "field history[3] answers no call"},
    {GOOD("[" MESSAGE "," CALLING "," RESULT("1") "," RESULT("2") "," CALLING "]", ""),
     "field history[4].tool_calls[0].id is that of another call"},
    {GOOD("[" MESSAGE "," CALLING ",{\"role\":\"tool\",\"content\":\"x\"}]", ""),
     "missing required field: history[2].tool_call_id"},
    {GOOD("[" MESSAGE "," CALLING ",{\"role\":\"tool\",\"tool_call_id\":\"1\"}]", ""),
     "missing required field: history[2].content"},
    {GOOD("[" MESSAGE ",{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"name\":\"n\","
          "\"arguments\":\"{}\"}}]}]",
          ""),
     "missing required field: history[1].tool_calls[0].id"},
    {GOOD("[" MESSAGE ",{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"function\":{"
          "\"arguments\":\"{}\"}}]}]",
          ""),
     "missing required field: history[1].tool_calls[0].function.name"},
    {GOOD("[" MESSAGE ",{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"function\":{"
          "\"name\":\"n\",\"arguments\":\"[]\"}}]}]",
          ""),
     "field history[1].tool_calls[0].function.arguments must be an object, or the text of one"},
    {GOOD(CAMEL("[{\"name\":\"n\",\"args\":{}}]") "]", ""),
     "missing required field: history[1].toolCalls[0].id"},
    {GOOD(CAMEL("[{\"id\":\"1\",\"args\":{}}]") "]", ""),
     "missing required field: history[1].toolCalls[0].name"},
    {GOOD(CAMEL("[{\"id\":\"1\",\"name\":\"n\"}]") "]", ""),
     "missing required field: history[1].toolCalls[0].args"},
    {GOOD(CAMEL("[{\"id\":\"1\",\"name\":\"n\",\"args\":3}]") "]", ""),
     "field history[1].toolCalls[0].args must be an object, or the text of one"},
    {GOOD("[]", ",\"agent\":\"a\""), "field agent must be an object"},
    {GOOD("[]", ",\"agent\":{}"), "missing required field: agent.id"},
    {GOOD("[]", ",\"agent\":{\"id\":1}"), "field agent.id must be a string"},
    {GOOD("[]", ",\"flow\":[]"), "field flow must be an object"},
    {GOOD("[]", ",\"flow\":{\"digest\":1}"), "field flow.digest must be a string"},
};

static void test_reading(void) {
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
    ck_run_checkpoint read;
    ck_error err = CK_ERROR_INIT;
    ck_bytes text = ck_bytes_text(documents[i].document);
    ck_status status = ck_json_check(text, &err);
    if (status == CK_OK) status = ck_run_checkpoint_read(&read, text, &err);
    const char *want = documents[i].want;
    if (!want)
      tap_is_status(status, CK_OK, &err, "%s is read", documents[i].document);
    else
      tap_ok(status != CK_OK && !strncmp(err.text, want, strlen(want)) && !read.run.len, "%s (%s)",
             want, err.text);
  }
  tap_ok(ck_run_checkpoint_is(ck_bytes_text("{\"runId\":1,\"history\":2}")),
         "a document that means to be one is recognised");
  tap_ok(!ck_run_checkpoint_is(ck_bytes_text("{\"history\":[]}")), "one that does not is not");
  tap_ok(!ck_run_checkpoint_is(ck_bytes_text("[]")), "an array is none");
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "a runtime: %s", err.text);
  test_phases();
  test_fields();
  test_refusals();
  test_reading();
  ck_runtime_close(runtime);
  return tap_done();
}
