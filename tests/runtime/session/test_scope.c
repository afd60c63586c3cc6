/* test_scope.c - what a scope's context was made of does not become more trusted when a report
 * takes the place of its messages; a resume folds a transcript of any length page by page, to what
 * was said, and holds no more of it in clear than it may. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/session/scopes.h"
#include "core/runtime/session/session_private.h"
#include "tests/tap.h"

static ck_value *value_of(const char *json) {
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "a value: %s", err.text);
  return value;
}

static void apply(ck_scope *scope, const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *body = value_of(json);
  tap_must(ck_scope_apply(scope, body, &err) == CK_OK, "apply: %s", err.text);
  ck_value_free(body);
}

static void test_rewound(void) {
  ck_scope *scope;
  ck_error err = CK_ERROR_INIT;
  ck_value *rewind = value_of("{\"to\":0,\"report\":\"It says so.\"}");
  tap_must(ck_scope_new(&scope, "main", &err) == CK_OK, "scope");
  apply(scope, "{\"message\":{\"role\":\"user\",\"content\":\"Go.\"}}");
  tap_is_int((int64_t)ck_scope_untrusted(scope).len, 0, "what a person says is trusted");
  apply(scope, "{\"untrusted\":[\"web\"],\"message\":{\"role\":\"tool\",\"content\":\"page\"}}");
  tap_is_bytes(ck_scope_untrusted(scope), ck_bytes_text("[\"web\"]"), "what the web says is not");
  tap_is_status(ck_scope_rewind(scope, rewind, &err), CK_OK, &err, "it is rewound");
  tap_is_int((int64_t)ck_conversation_count(ck_scope_conversation(scope)), 1, "to a report");
  tap_is_bytes(ck_scope_untrusted(scope), ck_bytes_text("[\"web\"]"),
               "which is made of what was read, and as untrusted");
  ck_value_free(rewind);
  ck_scope_free(scope);
}

/* ---- a transcript that is longer than a page ---- */

enum { MESSAGE_BYTES = 50000, SHORT = 40, LONG = 700 };

/* What is to be the conversation, made without a store. */
static ck_conversation *expected;

static void say(ck_session *session, ck_event_kind kind, const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *body = value_of(json);
  tap_must(ck_session_append(session, kind, NULL, NULL, body, &err) == CK_OK, "%s", err.text);
  ck_value_free(body);
}

static void expect(const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *message = value_of(json);
  tap_must(ck_conversation_append(expected, message, &err) == CK_OK, "%s", err.text);
  ck_value_free(message);
}

/* Message number `n`; each fifth is one of a call, and replayed by the next. */
static void say_one(ck_session *session, int n, bool counts) {
  static char text[MESSAGE_BYTES + 1], message[MESSAGE_BYTES + 100];
  static int64_t called;
  char body[sizeof message + 100];
  memset(text, 'a' + n % 26, MESSAGE_BYTES);
  switch (n % 5) {
    case 1: /* the message is the one before */
      snprintf(body, sizeof body, "{\"of\":%lld}", (long long)called);
      say(session, CK_EVENT_REPLAY, body);
      break;
    case 0:
      snprintf(message, sizeof message, "{\"role\":\"tool\",\"content\":\"%s\"}", text);
      snprintf(body, sizeof body,
               "{\"key\":\"k\",\"kind\":\"tool\",\"status\":\"ok\",\"message\":%s}", message);
      say(session, CK_EVENT_OUTCOME, body);
      called = ck_session_last_seq(session);
      break;
    default:
      snprintf(message, sizeof message, "{\"role\":\"user\",\"content\":\"%s\"}", text);
      snprintf(body, sizeof body, "{\"message\":%s}", message);
      say(session, CK_EVENT_MESSAGE, body);
  }
  if (counts) expect(message);
}

static void rewind_both(ck_session *session) {
  ck_error err = CK_ERROR_INIT;
  static const char json[] = "{\"to\":3,\"keep\":4,\"report\":\"It was left.\"}";
  ck_value *body = value_of(json);
  say(session, CK_EVENT_REWIND, json);
  tap_must(ck_conversation_rewind(expected, body, &err) == CK_OK, "%s", err.text);
  ck_value_free(body);
}

static void reach(ck_session *session) {
  ck_error err = CK_ERROR_INIT;
  ck_saved saved;
  tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND},
                               &err) == CK_OK &&
               saved.taken && ck_session_wait(session, saved.ticket, &err) == CK_OK,
           "a checkpoint: %s", err.text);
}

/* What is said behind the checkpoint is lost with its process. */
static void write_and_die(ck_runtime *runtime, const char *id, int messages) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = id}, &err) == CK_OK,
           "%s", err.text);
  for (int n = 0; n < messages; n++) {
    say_one(session, n, true);
    if (n == messages / 2) rewind_both(session);
  }
  reach(session);
  for (int n = 0; n < 7; n++) say_one(session, n, false);
  tap_must(ck_session_flush(session, CK_DURABLE_PROCESS, &err) == CK_OK, "%s", err.text);
  ck_session_close(session);
}

static bool is_expected(const ck_conversation *got) {
  ck_digest a = ck_conversation_digest(got), b = ck_conversation_digest(expected);
  return ck_conversation_count(got) == ck_conversation_count(expected) && ck_digest_equal(&a, &b);
}

static void test_length(ck_runtime *runtime, const char *id, int messages) {
  ck_session *session;
  ck_conversation *got = NULL;
  ck_error err = CK_ERROR_INIT;
  size_t bytes = (size_t)messages / 2 * MESSAGE_BYTES;
  tap_must(ck_conversation_new(&expected, &err) == CK_OK, "%s", err.text);
  write_and_die(runtime, id, messages);
  for (int attempt = 0; attempt < 2; attempt++) { /* its own pages hold the first one's return */
    tap_must(ck_session_resume(&session, runtime, id, &(ck_resume_options){0}, &err) == CK_OK, "%s",
             err.text);
    tap_is_status(ck_session_conversation(&got, session, "main", &err), CK_OK, &err,
                  "a conversation of %zu KB is folded", bytes / 1024);
    size_t loose = got ? ck_conversation_loose(got) : 0, /* its first digest unpacks it */
        most = CK_CONVERSATION_READ + MESSAGE_BYTES;
    tap_ok(got && is_expected(got), "to what was said");
    tap_ok(loose <= most && loose >= (bytes < most ? bytes : CK_CONVERSATION_LOOSE / 4),
           "and %zu KB of it lie there in clear", loose / 1024);
    say_one(session, 2, false);
    ck_session_close(session);
  }
  ck_conversation_free(expected);
}

int main(void) {
  ck_runtime *runtime;
  ck_error err = CK_ERROR_INIT;
  test_rewound();
  tap_must(ck_runtime_open(&runtime, "memory:test_scope", &(ck_store_options){.create = true}, NULL,
                           &err) == CK_OK,
           "%s", err.text);
  test_length(runtime, "short", SHORT);
  test_length(runtime, "long", LONG);
  ck_runtime_close(runtime);
  return tap_done();
}
