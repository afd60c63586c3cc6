/* test_candidates.c - the list of a worker holds each session once, however often those that run
 * are looked at while a long queue is worked off. */
#include <stdio.h>
#include <string.h>

#include "core/host/worker/candidates.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

enum { RUNNING = 3, QUEUED = 5, LOOKS = 50 };

typedef struct bed {
  ck_store *store;
  fixture sessions[RUNNING + QUEUED];
  ck_words labels;
  ck_worker_limits limits;
  ck_candidates candidates;
} bed;

static void set_status(fixture *session, ck_session_status status) {
  ck_error err = CK_ERROR_INIT;
  const ck_session_update update = {.status = status, .reason = "queued"};
  const fixture_step step = {.text = "word", .update = &update};
  tap_must(fixture_commit(session, &step, &err) == CK_OK, "a session's status: %s", err.text);
}

/* The first run; the others wait for a worker. */
static void begin(bed *self) {
  ck_error err = CK_ERROR_INIT;
  *self = (bed){.store = fixture_open("memory:")};
  self->candidates =
      (ck_candidates){.store = self->store, .labels = &self->labels, .limits = &self->limits};
  for (int i = 0; i < RUNNING + QUEUED; i++) {
    char id[32];
    snprintf(id, sizeof id, "s%d", i);
    tap_must(fixture_create(&self->sessions[i], self->store, id, &err) == CK_OK, "a session: %s",
             err.text);
    if (i >= RUNNING) set_status(&self->sessions[i], CK_SESSION_PAUSED);
  }
  tap_must(ck_candidates_look(&self->candidates, 0, &err) == CK_OK, "a look: %s", err.text);
}

static void end(bed *self) {
  ck_candidates_clear(&self->candidates);
  for (int i = 0; i < RUNNING + QUEUED; i++) ck_store_release(self->store, self->sessions[i].lease);
  ck_store_close(self->store);
}

static void look_running(bed *self, size_t *at) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_candidates_look_running(&self->candidates, at, &err) == CK_OK, "a look: %s",
           err.text);
}

/* How often the list has a session from its `from`th on. */
static int count(const bed *self, size_t from, const char *id) {
  int found = 0;
  for (size_t i = from; i < self->candidates.count; i++)
    found += strcmp(self->candidates.list[i]->id, id) == 0;
  return found;
}

/* From `at` on: those that run, each once and before all others; of the others those that were left
 * there. */
static void check_list(const bed *self, const char *when, size_t at, int left) {
  int running = 0, others = 0;
  for (int i = 0; i < RUNNING; i++)
    running +=
        count(self, at, self->sessions[i].id) == 1 && count(self, 0, self->sessions[i].id) == 1;
  for (int i = RUNNING; i < RUNNING + QUEUED; i++) others += count(self, at, self->sessions[i].id);
  bool first = true;
  for (size_t i = at; i < at + RUNNING && i < self->candidates.count; i++)
    first &= self->candidates.list[i]->runs;
  tap_is_int(running, RUNNING, "%s: each session that runs is in the list once", when);
  tap_ok(first, "%s: before what waits in the queue", when);
  tap_is_int(others, left, "%s: of which nothing is lost", when);
}

static void test_looks_again(void) {
  bed self;
  begin(&self);
  size_t at = 0;
  tap_is_int((int64_t)self.candidates.count, RUNNING + QUEUED, "a look lists each session");
  for (int i = 0; i < LOOKS; i++) look_running(&self, &at);
  tap_is_int((int64_t)self.candidates.count, RUNNING + QUEUED, "many looks at those that run, too");
  check_list(&self, "many looks", at, QUEUED);
  end(&self);
}

/* Those that run lie before and behind the place, by what was begun meanwhile. */
static void test_between(void) {
  bed self;
  begin(&self);
  size_t at = 0;
  look_running(&self, &at);
  at = RUNNING + 2; /* all that run were seen to, and two of the queue */
  for (int i = 0; i < LOOKS; i++) look_running(&self, &at);
  check_list(&self, "in the midst of the queue", at, QUEUED - 2);
  at += 1;
  look_running(&self, &at);
  check_list(&self, "and a step further", at, QUEUED - 2);
  at = self.candidates.count;
  look_running(&self, &at);
  check_list(&self, "at its end", at, 0);
  end(&self);
}

/* What ran and is gone does not stay among what is known. */
static void test_forgets(void) {
  bed self;
  begin(&self);
  ck_error err = CK_ERROR_INIT;
  size_t at = 0;
  set_status(&self.sessions[0], CK_SESSION_COMPLETED);
  look_running(&self, &at);
  tap_is_int(count(&self, 0, "s0"), 0, "one that has ended is not listed");
  tap_must(ck_candidates_look(&self.candidates, 0, &err) == CK_OK, "a look: %s", err.text);
  tap_ok(!ck_map_get(&self.candidates.known, "s0"), "and forgotten by the next look at all");
  end(&self);
}

int main(void) {
  test_looks_again();
  test_between();
  test_forgets();
  return tap_done();
}
