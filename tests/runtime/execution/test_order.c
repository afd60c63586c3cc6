/* test_order.c - an async checkpoint that is still queued when a sync one follows: once the later
 * is acknowledged both are there, in their order, and a process that dies right then goes on from
 * the later. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/runtime/session/session.h"
#include "tests/tap.h"

enum { QUEUED = 20 };

/* Every boundary is checkpointed; only a safe point is waited for. */
static ck_status decide(ck_decision *out, void *self, const ck_boundary *at, ck_error *err) {
  (void)self, (void)err;
  *out = (ck_decision){.take = true, .sync = at->kind == CK_BOUNDARY_SAFE_POINT};
  return CK_OK;
}

static void put_number(ck_session *session, int number) {
  char text[16];
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  snprintf(text, sizeof text, "%d", number);
  tap_must(ck_value_new(&value, ck_bytes_text(text), &err) == CK_OK, "value");
  tap_must(ck_session_put(session, "memory.n", value, &err) == CK_OK, "put: %s", err.text);
  ck_value_free(value);
}

/* Many that nobody waits for, then one that somebody does; then the process is gone without another
 * word. */
static void live(const char *url) {
  ck_runtime *runtime;
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  const ck_policy_engine policies = {.checkpoint = decide};
  if (ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) != CK_OK)
    _exit(1);
  if (ck_session_start(&session, runtime,
                       &(ck_session_options){.id = "order", .policies = &policies}, &err) != CK_OK)
    _exit(2);
  ck_saved saved;
  for (int i = 1; i <= QUEUED; i++) {
    put_number(session, i);
    ck_boundary_kind kind = i < QUEUED ? CK_BOUNDARY_TOOL_ROUND : CK_BOUNDARY_SAFE_POINT;
    if (ck_session_boundary(&saved, session, &(ck_boundary){.kind = kind}, &err) != CK_OK) _exit(3);
    if (saved.sync != (i == QUEUED)) _exit(4);
  }
  if (ck_session_wait(session, saved.ticket, &err) != CK_OK) _exit(5);
  _exit(0);
}

typedef struct order {
  int64_t count, last_seq;
  bool ascending;
} order;

static bool look(void *to, const ck_checkpoint_info *checkpoint) {
  order *self = to;
  self->ascending &= checkpoint->seq > self->last_seq &&
                     (self->count == 0 || checkpoint->parent == self->last_seq);
  self->last_seq = checkpoint->seq;
  self->count++;
  return true;
}

int main(void) {
  char url[512];
  int status;
  ck_error err = CK_ERROR_INIT;
  ck_runtime *runtime;
  ck_session *session;
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("order.db"));
  pid_t child = fork();
  if (child == 0) live(url);
  tap_must(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
               WEXITSTATUS(status) == 0,
           "the first life");
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){0}, NULL, &err) == CK_OK, "open: %s",
           err.text);
  order seen = {.ascending = true};
  ck_head head;
  tap_must(ck_store_get_head(&head, runtime->store, "order", &err) == CK_OK, "head: %s", err.text);
  tap_must(ck_store_list_checkpoints(runtime->store, head.session.no, look, &seen, &err) == CK_OK,
           "list: %s", err.text);
  ck_head_clear(&head);
  tap_is_int(seen.count, QUEUED, "all that were queued before it are there");
  tap_ok(seen.ascending, "in their order, each on the one before");
  tap_must(ck_session_resume(&session, runtime, "order", &(ck_resume_options){0}, &err) == CK_OK,
           "resume: %s", err.text);
  const ck_value *n = ck_session_get(session, "memory.n");
  tap_is_bytes(n ? ck_value_bytes(n) : (ck_bytes){0}, ck_bytes_text("20"),
               "the session goes on from the last");
  ck_session_close(session);
  ck_runtime_close(runtime);
  return tap_done();
}
