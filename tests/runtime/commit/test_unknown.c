/* test_unknown.c - a run's commit ends without an answer. Whether it was made is looked up: a run
 * that was replaced takes the rows of the one behind it for none of its own. */
/* link: -Wl,--wrap=ck_store_commit -Wl,--wrap=ck_store_recover */
#include <stdio.h>
#include <unistd.h>

#include "core/runtime/session/session.h"
#include "core/store/maintenance.h"
#include "tests/tap.h"

static struct {
  ck_store *store; /* of which commits have no answer */
  bool writes;     /* and are made all the same */
  int lost;        /* recoveries that fail yet */
} fault;

ck_status __real_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err) {
  if (store != fault.store) return __real_ck_store_commit(store, batches, count, err);
  if (fault.writes && __real_ck_store_commit(store, batches, count, err) != CK_OK)
    tap_diag("the commit itself failed: %s", err->text);
  return ck_error_set(err, CK_E_UNKNOWN, "no answer");
}

ck_status __real_ck_store_recover(ck_store *store, ck_error *err);
ck_status __wrap_ck_store_recover(ck_store *store, ck_error *err);
ck_status __wrap_ck_store_recover(ck_store *store, ck_error *err) {
  if (store == fault.store && fault.lost-- > 0) return ck_error_set(err, CK_E_IO, "not yet");
  return __real_ck_store_recover(store, err);
}

typedef struct run {
  ck_runtime *runtime;
  ck_session *session;
} run;

static char url[512], lock[600];
static ck_profile *profile; /* checkpoints and what is free may wait */

static void open_run(run *self) {
  ck_error err = CK_ERROR_INIT;
  ck_store_options options = {.create = true};
  tap_must(ck_runtime_open(&self->runtime, url, &options, NULL, &err) == CK_OK, "%s", err.text);
}

static void begin(run *self, const char *name) {
  ck_error err = CK_ERROR_INIT;
  const char *path = tap_tmpfile(name);
  snprintf(url, sizeof url, "sqlite:%s", path);
  snprintf(lock, sizeof lock, "%s.sessions/s.lock", path);
  open_run(self);
  ck_session_options options = {.id = "s", .profile = profile};
  tap_must(ck_session_start(&self->session, self->runtime, &options, &err) == CK_OK, "start: %s",
           err.text);
}

/* Its lock is removed, and another run goes on with the session. */
static void replace(run *next) {
  ck_error err = CK_ERROR_INIT;
  ck_resume_options options = {.profile = profile};
  tap_must(unlink(lock) == 0, "the lock is removed");
  open_run(next);
  tap_must(ck_session_resume(&next->session, next->runtime, "s", &options, &err) == CK_OK,
           "resume: %s", err.text);
}

static void end(run *self) {
  ck_session_close(self->session);
  ck_runtime_close(self->runtime);
}

static ck_status step(const run *self, ck_error *err) {
  ck_saved saved;
  ck_boundary at = {.kind = CK_BOUNDARY_STEP_COMPLETE};
  ck_status status = ck_session_boundary(&saved, self->session, &at, err);
  return status == CK_OK ? ck_session_wait(self->session, saved.ticket, err) : status;
}

static bool count_step(void *to, const ck_event *event) {
  *(int *)to += event->kind == CK_EVENT_BOUNDARY;
  return true;
}

static int steps_in(const run *self) {
  ck_error err = CK_ERROR_INIT;
  int count = 0;
  ck_event_query query = {.session = 1};
  tap_must(ck_store_read_events(self->runtime->store, &query, count_step, &count, &err) == CK_OK,
           "events: %s", err.text);
  return count;
}

/* The commit was made, or not, and nobody else has come. */
static void test_alone(bool made) {
  run only = {0};
  ck_error err = CK_ERROR_INIT;
  begin(&only, made ? "made" : "not_made");
  fault.store = only.runtime->store;
  fault.writes = made;
  ck_status status = step(&only, &err);
  fault.store = NULL;
  tap_ok((status == CK_OK) == made, "a commit without an answer that was %s: %s",
         made ? "made" : "not made", ck_status_name(status));
  tap_is_int(steps_in(&only), made, "as the store has it");
  end(&only);
}

/* `lost` recoveries fail before the store can be asked: meanwhile the step is kept for later. */
static void test_replaced(const char *name, int lost) {
  run old = {0}, next = {0};
  ck_error err = CK_ERROR_INIT;
  begin(&old, name);
  fault.store = old.runtime->store;
  fault.writes = false;
  fault.lost = lost;
  if (lost > 0)
    tap_is_status(step(&old, &err), CK_OK, &err, "%s: the first one is kept for later", name);
  replace(&next);
  for (int i = 0; i < 3; i++) tap_must(step(&next, &err) == CK_OK, "a step: %s", err.text);
  tap_is_status(step(&old, &err), CK_E_FENCED, &err,
                "%s: who was replaced is told so, not that its step was saved", name);
  fault.store = NULL;
  tap_is_status(step(&next, &err), CK_OK, &err, "%s: the other goes on", name);
  tap_is_int(steps_in(&next), 4, "%s: the store has its steps alone", name);
  end(&next);
  end(&old);
}

/* Its lock is removed, and a person prunes what seems to be nobody's: an event of their own, under
 * the same epoch. */
static void prune_by_hand(int64_t seq) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store = NULL;
  ck_lease lease;
  ck_value *body = NULL;
  ck_store_options options = {.create = false};
  tap_must(unlink(lock) == 0, "the lock is removed");
  tap_must(ck_store_open(&store, url, &options, &err) == CK_OK &&
               ck_store_lock_session(&lease, store, "s", 1, &err) == CK_OK &&
               ck_value_copy(&body, ck_bytes_text("{\"ids\":[]}"), &err) == CK_OK,
           "lock: %s", err.text);
  ck_event event = {
      .seq = seq, .timeline = 1, .kind = CK_EVENT_PRUNE, .at_ms = 1, .scope = "main", .body = body};
  ck_event *events[] = {&event};
  ck_batch batch = {.lease = lease, .events = events, .event_count = 1};
  tap_must(ck_store_commit(store, &batch, 1, &err) == CK_OK && batch.status == CK_OK, "commit: %s",
           err.text);
  ck_value_free(body);
  ck_store_release(store, lease);
  ck_store_close(store);
}

static void test_pruned(void) {
  run old = {0};
  ck_error err = CK_ERROR_INIT;
  begin(&old, "pruned");
  tap_must(step(&old, &err) == CK_OK, "a step: %s", err.text);
  fault.store = old.runtime->store;
  fault.writes = false;
  prune_by_hand(ck_session_last_seq(old.session) + 1);
  ck_status status = step(&old, &err);
  fault.store = NULL;
  tap_ok(status != CK_OK, "a person's event of the same number is none of its own: %s",
         ck_status_name(status));
  tap_is_int(steps_in(&old), 1, "and the store has its first step alone");
  end(&old);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_new(&profile, "patient", &err) == CK_OK, "profile: %s", err.text);
  test_alone(true);
  test_alone(false);
  test_pruned();
  profile->continue_on_save_failure = true;
  profile->unsaved_checkpoints = 10;
  test_replaced("at_once", 0);
  test_replaced("later", 1);
  ck_profile_free(profile);
  return tap_done();
}
