/* test_history_edit.c - fork, rewind and undo through the C API; whichever allocation fails in
 * them, nothing was done, and it can be. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/history/fork.h"
#include "core/runtime/history/rewind.h"
#include "core/store/verify.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { STEPS = 4, TRIES_MAX = 3000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))

static ck_error err;

static void must(ck_status status, const char *what) {
  tap_must(status == CK_OK, "%s: %s", what, err.text);
}

/* A paused session with four checkpoints, each of which counts, and its ids. */
static ck_runtime *make(char ids[STEPS][CK_ID_SIZE]) {
  ck_runtime *runtime;
  ck_session *session;
  must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err),
       "open");
  must(ck_session_start(&session, runtime, &(ck_session_options){.id = "s"}, &err), "start");
  ck_value *said;
  must(ck_value_copy(&said, ck_bytes_text("{\"message\":{\"role\":\"user\",\"content\":\"go\"}}"),
                     &err),
       "value");
  must(ck_session_append(session, CK_EVENT_MESSAGE, NULL, NULL, said, &err), "message");
  ck_value_free(said);
  for (int i = 0; i < STEPS; i++) {
    char text[64];
    ck_value *value;
    ck_saved saved;
    snprintf(text, sizeof text, "%d", i + 1);
    must(ck_value_copy(&value, ck_bytes_text(text), &err), "value");
    must(ck_session_put(session, "memory.n", value, &err), "put");
    ck_value_free(value);
    snprintf(text, sizeof text, "{\"at\":{\"path\":\"n#%d\"},\"cut\":%d}", i + 1, i + 3);
    must(ck_value_copy(&value, ck_bytes_text(text), &err), "value");
    must(ck_session_put(session, "position.main", value, &err), "put");
    ck_value_free(value);
    must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND}, &err),
         "boundary");
    memcpy(ids[i], saved.id, CK_ID_SIZE);
  }
  must(ck_session_end(session, CK_SESSION_PAUSED, "user_requested", NULL, &err), "end");
  ck_session_close(session);
  return runtime;
}

/* The number in the state that a resume would go on from; -1: there is none. */
static int64_t number_of(ck_runtime *runtime, const char *id) {
  ck_head head;
  ck_state *state = NULL;
  ck_error failure = CK_ERROR_INIT;
  int64_t number = -1;
  if (ck_store_get_head(&head, runtime->store, id, &failure) != CK_OK) return -1;
  if (head.has_checkpoint && ck_store_get_state(&state, runtime->store, head.session.no,
                                                head.checkpoint.seq, &failure) == CK_OK) {
    const ck_value *value = ck_state_get(state, "memory.n");
    if (value) ck_json_read_int(&number, ck_value_bytes(value));
  }
  ck_state_free(state);
  ck_head_clear(&head);
  return number;
}

static bool sound(ck_runtime *runtime) {
  ck_verify_report report;
  ck_error failure = CK_ERROR_INIT;
  return ck_store_verify(&report, runtime->store, NULL, NULL, NULL, &failure) == CK_OK &&
         report.problems == 0;
}

static char conversation_end[200];

/* The last message that the main scope of a resumed session has. */
static const char *last_message(ck_runtime *runtime, const char *id) {
  ck_session *session;
  ck_conversation *conversation;
  conversation_end[0] = 0;
  if (ck_session_resume(&session, runtime, id, &(ck_resume_options){0}, &err) != CK_OK)
    return err.text;
  must(ck_session_conversation(&conversation, session, "main", &err), "conversation");
  size_t count = ck_conversation_count(conversation);
  ck_bytes last =
      count ? ck_value_bytes(ck_conversation_get(conversation, count - 1)) : ck_bytes_text("");
  snprintf(conversation_end, sizeof conversation_end, "%.*s", (int)last.len, last.data);
  ck_session_close(session);
  return conversation_end;
}

static void test_steps(void) {
  char ids[STEPS][CK_ID_SIZE];
  ck_history_edit_result made;
  ck_runtime *runtime = make(ids);
  ck_history_edit_options fork = {.checkpoint = ids[1], .fork = "f"},
                          rewind = {.checkpoint = ids[0], .report = "It was \"nothing\"."};
  must(ck_session_fork(&made, runtime, "s", &fork, &err), "fork");
  tap_ok(strcmp(made.session, "f") == 0 && strcmp(made.from, ids[1]) == 0 && made.timeline == 2,
         "a fork says what it came to");
  tap_ok(number_of(runtime, "f") == 2 && number_of(runtime, "s") == STEPS,
         "its state is the checkpoint's, the origin's stays");
  tap_is_status(ck_session_undo(&made, runtime, "f", &err), CK_E_REFUSED, &err,
                "it has nothing to undo");
  must(ck_session_rewind(&made, runtime, "s", &rewind, &err), "rewind");
  tap_ok(number_of(runtime, "s") == 1 && made.left == 1 && made.timeline == 2,
         "a rewind goes back");
  must(ck_session_undo(&made, runtime, "s", &err), "undo");
  tap_is_int(number_of(runtime, "s"), STEPS, "an undo goes back to where it was left");
  must(ck_session_undo(&made, runtime, "s", &err), "undo");
  tap_is_int(number_of(runtime, "s"), 1, "its undo to the rewind");
  tap_is_text(last_message(runtime, "s"),
              "{\"role\":\"user\",\"content\":\"<rewind-report>\\nIt was \\\"nothing\\\".\\n"
              "</rewind-report>\"}",
              "whose report ends the conversation");
  tap_is_status(
      ck_session_rewind(&made, runtime, "s",
                        &(ck_history_edit_options){.checkpoint = "none", .report = "x"}, &err),
      CK_E_NOT_FOUND, &err, "a checkpoint that is not there");
  tap_ok(sound(runtime), "verify is clean");
  ck_runtime_close(runtime);
}

typedef ck_status (*act)(ck_history_edit_result *out, ck_runtime *runtime,
                         char ids[STEPS][CK_ID_SIZE], ck_error *failure);

static ck_status do_fork(ck_history_edit_result *out, ck_runtime *runtime,
                         char ids[STEPS][CK_ID_SIZE], ck_error *failure) {
  return ck_session_fork(out, runtime, "s",
                         &(ck_history_edit_options){.checkpoint = ids[1], .fork = "f"}, failure);
}

static ck_status do_rewind(ck_history_edit_result *out, ck_runtime *runtime,
                           char ids[STEPS][CK_ID_SIZE], ck_error *failure) {
  return ck_session_rewind(
      out, runtime, "s", &(ck_history_edit_options){.checkpoint = ids[1], .report = "x"}, failure);
}

static ck_status do_undo(ck_history_edit_result *out, ck_runtime *runtime,
                         char ids[STEPS][CK_ID_SIZE], ck_error *failure) {
  (void)ids;
  return ck_session_undo(out, runtime, "s", failure);
}

static void starve(const char *name, act what, const char *id, int64_t want, bool rewound) {
  ck_status status = CK_E_NO_MEMORY;
  int broken = 0, untyped = 0;
  long tries = 0;
  for (; tries < TRIES_MAX && status != CK_OK; tries++) {
    char ids[STEPS][CK_ID_SIZE];
    ck_history_edit_result made;
    ck_error failure = CK_ERROR_INIT;
    ck_runtime *runtime = make(ids);
    if (rewound) must(do_rewind(&made, runtime, ids, &err), "rewind");
    int64_t before = number_of(runtime, id);
    budget = tries;
    status = what(&made, runtime, ids, &failure);
    budget = -1;
    untyped += status != CK_OK && status != CK_E_NO_MEMORY;
    if (status != CK_OK) {
      broken += number_of(runtime, id) != before || !sound(runtime);
      broken += what(&made, runtime, ids, &failure) != CK_OK;
    }
    broken += number_of(runtime, id) != want || !sound(runtime);
    ck_runtime_close(runtime);
  }
  tap_is_int(status, CK_OK, "%s: with enough memory it succeeds", name);
  tap_is_int(broken, 0,
             "%s: each of %ld failed allocations leaves all as it was, and it can be done", name,
             tries - 1);
  tap_is_int(untyped, 0, "%s: and is reported as out of memory", name);
}

int main(void) {
  test_steps();
  starve("fork", do_fork, "f", 2, false);
  starve("rewind", do_rewind, "s", 2, false);
  starve("undo", do_undo, "s", STEPS, true);
  return tap_done();
}
