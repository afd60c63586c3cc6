/* test_export_no_memory.c - whichever allocation fails, an export or a tail says so, gives nothing
 * out and leaks nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc */
/* link: -Wl,--wrap=reallocarray,--wrap=strdup,--wrap=aligned_alloc */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/portable/cassette_export.h"
#include "core/runtime/portable/loop_document.h"
#include "core/runtime/portable/run_checkpoint.h"
#include "core/runtime/portable/workflow_document.h"
#include "core/runtime/session/tail/tail_section.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { ALLOCATIONS_MAX = 20000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))
WRAP(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

static ck_runtime *runtime;
static ck_redactor *redactor;
static ck_head head;

static void append(ck_session *session, ck_event_kind kind, const char *scope, const char *json) {
  ck_value *body = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_value_new(&body, ck_bytes_text(json), &err);
  if (status == CK_OK) status = ck_session_append(session, kind, scope, "ann", body, &err);
  tap_must(status == CK_OK, "an event: %s", err.text);
  ck_value_free(body);
}

/* A turn of a model with a call, its result, and a call of the flow's own in a second scope; then a
 * failure. */
static void make_session(void) {
  ck_session *session = NULL;
  ck_saved saved;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = "s"}, &err) == CK_OK,
           "a session: %s", err.text);
  append(session, CK_EVENT_MESSAGE, "main",
         "{\"message\":{\"role\":\"system\",\"content\":\"p\"}}");
  append(session, CK_EVENT_INTENT, "main",
         "{\"key\":\"m\",\"attempt\":1,\"kind\":\"model\",\"class\":\"pure\",\"digest\":\"d\","
         "\"request\":{}}");
  append(session, CK_EVENT_OUTCOME, "main",
         "{\"key\":\"m\",\"attempt\":1,\"kind\":\"model\",\"status\":\"ok\",\"via\":\"t\","
         "\"digest\":\"d\",\"input_tokens\":1,\"message\":"
         "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\","
         "\"arguments\":\"{}\"}}]}}");
  append(session, CK_EVENT_INTENT, "main",
         "{\"key\":\"t\",\"attempt\":1,\"kind\":\"tool\",\"class\":\"pure\",\"digest\":\"d\","
         "\"request\":{\"name\":\"f\",\"index\":0,\"arguments\":\"{}\"}}");
  append(session, CK_EVENT_OUTCOME, "main",
         "{\"key\":\"t\",\"attempt\":1,\"kind\":\"tool\",\"status\":\"ok\",\"via\":\"t\","
         "\"digest\":\"d\",\"message\":"
         "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"name\":\"f\",\"content\":\"r\\n\"}}");
  append(session, CK_EVENT_INTENT, "side",
         "{\"key\":\"o\",\"attempt\":1,\"kind\":\"tool\",\"class\":\"pure\",\"digest\":\"d\","
         "\"request\":{\"name\":\"g\",\"arguments\":1}}");
  append(session, CK_EVENT_OUTCOME, "side",
         "{\"key\":\"o\",\"attempt\":1,\"kind\":\"tool\",\"status\":\"error\",\"via\":\"t\","
         "\"digest\":\"d\",\"error\":\"no\"}");
  tap_must(ck_session_boundary(
               &saved, session,
               &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND, .node = "n", .agent = "ann"},
               &err) == CK_OK,
           "a boundary");
  append(session, CK_EVENT_INTENT, "main",
         "{\"key\":\"u\",\"attempt\":1,\"kind\":\"tool\",\"class\":\"pure\",\"digest\":\"d\","
         "\"request\":{\"name\":\"f\",\"index\":0}}");
  tap_must(ck_session_end(session, CK_SESSION_FAILED, "why", NULL, &err) == CK_OK, "its end: %s",
           err.text);
  ck_session_close(session);
  tap_must(ck_store_get_head(&head, runtime->store, "s", &err) == CK_OK, "its head: %s", err.text);
}

static void put(ck_session *session, const char *key, const char *json) {
  ck_value *value = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_value_new(&value, ck_bytes_text(json), &err);
  if (status == CK_OK) status = ck_session_put(session, key, value, &err);
  tap_must(status == CK_OK, "a key: %s", err.text);
  ck_value_free(value);
}

/* A step in a scope of its own is completed; the main scope holds no conversation. */
static void make_steps(void) {
  ck_session *session = NULL;
  ck_saved saved;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = "steps"}, &err) == CK_OK,
           "a session: %s", err.text);
  append(session, CK_EVENT_INTENT, "main.one",
         "{\"key\":\"e\",\"attempt\":1,\"kind\":\"exec\",\"class\":\"pure\",\"digest\":\"d\","
         "\"request\":{}}");
  append(session, CK_EVENT_OUTCOME, "main.one",
         "{\"key\":\"e\",\"attempt\":1,\"kind\":\"exec\",\"status\":\"ok\",\"via\":\"t\","
         "\"digest\":\"d\",\"result\":{\"exit\":0}}");
  put(session, "outputs.one", "{\"exit\":0}");
  put(session, "memory.m", "1");
  put(session, "position.main", "{\"cut\":3,\"at\":{\"done\":{\"one\":true}}}");
  ck_boundary at = {.kind = CK_BOUNDARY_STEP_COMPLETE, .node = "one"};
  if (ck_session_boundary(&saved, session, &at, &err) != CK_OK ||
      ck_session_end(session, CK_SESSION_FAILED, "because", NULL, &err) != CK_OK)
    abort();
  ck_session_close(session);
  tap_must(ck_store_get_head(&head, runtime->store, "steps", &err) == CK_OK, "its head: %s",
           err.text);
}

static ck_status export_cassette(ck_buffer *out, ck_error *err) {
  return ck_cassette_export(out, runtime->store, &head, redactor, err);
}

static ck_status export_run(ck_buffer *out, ck_error *err) {
  return ck_run_checkpoint_write(out, runtime->store, &head, redactor, err);
}

/* What was written, read again field by field. */
static ck_status read_run(ck_buffer *out, ck_error *err) {
  ck_buffer text = {0};
  ck_run_checkpoint read;
  ck_status status = export_run(&text, err);
  if (status == CK_OK) status = ck_run_checkpoint_read(&read, ck_buffer_bytes(&text), err);
  if (status == CK_OK) ck_buffer_append_bytes(out, read.input);
  if (status == CK_OK) status = ck_buffer_check(out, err);
  ck_buffer_clear(&text);
  return status;
}

static const ck_totals totals = {.cost_micros = 1500000, .input_tokens = 1};

static ck_status export_loop(ck_buffer *out, ck_error *err) {
  return ck_loop_document_write(out, runtime->store, &head, &totals, redactor, err);
}

static ck_status read_loop(ck_buffer *out, ck_error *err) {
  ck_buffer text = {0};
  ck_carried carried;
  ck_status status = export_loop(&text, err);
  if (status == CK_OK) status = ck_loop_document_read(&carried, out, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  return status;
}

static ck_status export_workflow(ck_buffer *out, ck_error *err) {
  return ck_workflow_document_write(
      out, runtime->store, &(ck_workflow_source){.head = &head, .totals = &totals}, redactor, err);
}

static ck_status read_workflow(ck_buffer *out, ck_error *err) {
  ck_buffer text = {0};
  ck_workflow_document read;
  ck_status status = export_workflow(&text, err);
  if (status == CK_OK) status = ck_workflow_document_read(&read, ck_buffer_bytes(&text), err);
  if (status == CK_OK) ck_buffer_append_bytes(out, read.steps);
  if (status == CK_OK) status = ck_buffer_check(out, err);
  ck_buffer_clear(&text);
  return status;
}

static ck_status write_tail(ck_buffer *out, ck_error *err) {
  return ck_tail_section(out, runtime->store,
                         &(ck_tail_query){.session = head.session.no, .agent = "ann", .n = 50},
                         err);
}

static void starve(const char *what, ck_status (*write)(ck_buffer *out, ck_error *err)) {
  ck_buffer whole = {0};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(write(&whole, &err), CK_OK, &err, "%s is written", what);
  ck_status status = CK_E_NO_MEMORY;
  long refused = 0, odd = 0;
  for (long n = 0; status != CK_OK && n < ALLOCATIONS_MAX; n++) {
    ck_buffer out = {0};
    ck_error failure = CK_ERROR_INIT;
    budget = n;
    status = write(&out, &failure);
    budget = -1;
    if (status == CK_OK)
      odd += !ck_bytes_equal(ck_buffer_bytes(&out), ck_buffer_bytes(&whole));
    else
      refused++, odd += status != CK_E_NO_MEMORY;
    if (status != CK_OK && status != CK_E_NO_MEMORY) tap_diag("%ld: %s", n, failure.text);
    ck_buffer_clear(&out);
  }
  tap_is_status(status, CK_OK, NULL, "%s: with enough memory it is the same", what);
  tap_ok(refused > 10 && odd == 0, "%s: without it says so, each of %ld times (%ld odd)", what,
         refused, odd);
  ck_buffer_clear(&whole);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "a runtime: %s", err.text);
  tap_must(ck_redactor_new(&redactor, &err) == CK_OK, "a redactor: %s", err.text);
  make_session();
  starve("a recording", export_cassette);
  starve("a run checkpoint", export_run);
  starve("a run checkpoint that is read", read_run);
  starve("a loop checkpoint", export_loop);
  starve("a loop checkpoint that is read", read_loop);
  starve("a tail", write_tail);
  ck_head_clear(&head);
  make_steps();
  starve("a run checkpoint of steps", export_run);
  starve("a workflow checkpoint", export_workflow);
  starve("a workflow checkpoint that is read", read_workflow);
  ck_head_clear(&head);
  ck_redactor_free(redactor);
  ck_runtime_close(runtime);
  return tap_done();
}
