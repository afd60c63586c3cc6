/* test_no_memory.c - whichever allocation fails, the store says so, writes nothing of it, goes on
 * and leaks nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc */
/* link: -Wl,--wrap=strdup,--wrap=strndup,--wrap=aligned_alloc,--wrap=reallocarray */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/store/history.h"
#include "tests/starve.h"
#include "tests/tap.h"
#include "core/store/request.h"
#include "core/store/verify.h"

enum { TRIES_MAX = 3000, STEPS = 8 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(strdup, (const char *text), (text))
WRAP(strndup, (const char *text, size_t len), (text, len))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

/* One use of the store, from a fresh one each time. True when what was promised for a failure
 * held. */
typedef struct use {
  history past;
  ck_store *store;
  ck_error err;
} use;
typedef ck_status (*use_call)(use *self, long allow, bool *held);

static bool sound(use *self) {
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report;
  history_must(ck_store_verify(&report, self->store, NULL, NULL, NULL, &err), &err, "verify");
  bool loads = true;
  for (size_t i = 0; i < self->past.count; i++) loads = loads && history_loads(&self->past, i);
  return loads && report.problems == 0;
}

static ck_status use_open(use *self, long allow, bool *held) {
  ck_store *store;
  budget = allow;
  ck_status status =
      ck_store_open(&store, "memory:named", &(ck_store_options){.create = true}, &self->err);
  budget = -1;
  *held = (store == NULL) == (status != CK_OK);
  ck_store_close(store);
  return status;
}

static ck_status use_create(use *self, long allow, bool *held) {
  ck_value *body;
  ck_lease lease;
  history_must(ck_value_copy(&body, ck_bytes_text("{\"run\":\"r\"}"), &self->err), &self->err,
               "make a value");
  ck_event event = {1, 1, CK_EVENT_SESSION_STARTED, 1, "main", "agent", body, {NULL, 0}},
           *events[] = {&event};
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1, .run = "run"};
  ck_session_record record = {
      .id = "made", .run = "run", .profile = (char[]){"default"}, .flow = (char[]){"flow"}};
  ck_opening opening = {.timeline = &timeline, .events = events, .event_count = 1};
  budget = allow;
  ck_status status = ck_store_create_session(&lease, self->store, &record, &opening, &self->err);
  budget = -1;
  if (status)
    *held = ck_store_create_session(&lease, self->store, &record, &opening, &self->err) == CK_OK;
  *held = *held && sound(self);
  ck_value_free(body);
  return status;
}

static ck_status use_commit(use *self, long allow, bool *held) {
  history_step step;
  self->past.value_max = 4000;
  history_prepare(&self->past, &step, 4);
  budget = allow;
  ck_status status = ck_store_commit(self->store, &step.batch, 1, &self->err);
  budget = -1;
  *held = step.batch.status == status;
  if (status)
    *held = *held && ck_store_commit(self->store, &step.batch, 1, &self->err) == CK_OK &&
            !step.batch.status;
  history_apply(&self->past, &step);
  history_go(&self->past, 2);
  *held = *held && sound(self);
  return status;
}

/* The chain must be loaded from the store first. */
static ck_status use_resumed_commit(use *self, long allow, bool *held) {
  history_resume(&self->past, STEPS / 2);
  return use_commit(self, allow, held);
}

static ck_status use_state(use *self, long allow, bool *held) {
  ck_state *state;
  budget = allow;
  ck_status status = ck_store_get_state(&state, self->store, 1, self->past.seq, &self->err);
  budget = -1;
  *held = (state == NULL) == (status != CK_OK);
  ck_state_free(state);
  return status;
}

static ck_status use_head(use *self, long allow, bool *held) {
  ck_head head;
  budget = allow;
  ck_status status = ck_store_get_head(&head, self->store, self->past.id, &self->err);
  budget = -1;
  *held = status == CK_OK || (!head.timelines && !head.checkpoint.info);
  ck_head_clear(&head);
  return status;
}

static bool see(void *to, const ck_event *event) {
  (void)event;
  ++*(int *)to;
  return true;
}

static ck_status use_events(use *self, long allow, bool *held) {
  int count = 0;
  budget = allow;
  ck_status status = ck_store_read_events(self->store, &(ck_event_query){.session = 1, .last = 5},
                                          see, &count, &self->err);
  budget = -1;
  *held = status ? count == 0 : count == 5;
  return status;
}

static ck_status use_verify(use *self, long allow, bool *held) {
  ck_verify_report report;
  budget = allow;
  ck_status status = ck_store_verify(&report, self->store, NULL, NULL, NULL, &self->err);
  budget = -1;
  *held = report.problems == 0;
  return status;
}

static ck_status use_request(use *self, long allow, bool *held) {
  ck_request request = {.session = 1, .kind = (char[]){"pause"}}, got;
  bool found;
  budget = allow;
  ck_status status = ck_store_put_request(self->store, &request, &self->err);
  budget = -1;
  *held =
      ck_store_get_request(&got, &found, self->store, self->past.lease, 0, &self->err) == CK_OK &&
      found == (status == CK_OK) &&
      (!found || ck_store_drop_request(self->store, self->past.lease, got.no, &self->err) == CK_OK);
  ck_request_clear(&got);
  return status;
}

/* All or nothing: then it can be had again. */
static ck_status use_prune(use *self, long allow, bool *held) {
  ck_prune_report report;
  budget = allow;
  ck_status status = ck_store_prune(self->store, self->past.lease, self->past.seqs, STEPS / 2,
                                    &report, &self->err);
  budget = -1;
  *held = status ? sound(self) && !report.seqs : report.count == STEPS / 2;
  ck_prune_report_clear(&report);
  if (status)
    *held = *held &&
            ck_store_prune(self->store, self->past.lease, self->past.seqs, STEPS / 2, &report,
                           &self->err) == CK_OK &&
            report.count == STEPS / 2;
  if (status) ck_prune_report_clear(&report);
  history_go(&self->past, 2);
  ck_verify_report found;
  *held = *held && ck_store_verify(&found, self->store, NULL, NULL, NULL, &self->err) == CK_OK &&
          found.problems == 0;
  for (size_t i = STEPS / 2; i < self->past.count; i++)
    *held = *held && history_loads(&self->past, i);
  return status;
}

/* Not made: then it can be made, and what it inherits be read. */
static ck_status use_fork(use *self, long allow, bool *held) {
  ck_head head;
  ck_state *state;
  history_step step;
  ck_error err = CK_ERROR_INIT;
  int64_t cut = self->past.seqs[3];
  history_must(ck_state_copy(&state, self->past.states[3], &err), &err, "copy a state");
  history child = {.store = self->store,
                   .random = {5},
                   .keys = 20,
                   .value_max = 200,
                   .id = "child",
                   .timeline = 2,
                   .parent = cut,
                   .seq = cut,
                   .state = state};
  ck_timeline timeline = {.no = 2,
                          .parent = 1,
                          .cut = cut,
                          .begin = cut + 1,
                          .checkpoint = cut,
                          .attempt = 1,
                          .run = "run_fork"};
  ck_session_record record = {
      .id = "child", .run = "run_fork", .origin = {self->past.lease.session, cut}};
  history_prepare(&child, &step, 3);
  ck_opening opening = {.timeline = &timeline,
                        .events = step.batch.events,
                        .event_count = 2,
                        .checkpoint = step.batch.checkpoint};
  budget = allow;
  ck_status status =
      ck_store_create_session(&child.lease, self->store, &record, &opening, &self->err);
  budget = -1;
  if (status)
    *held = ck_store_create_session(&child.lease, self->store, &record, &opening, &err) == CK_OK;
  history_apply(&child, &step);
  budget = allow;
  if (!status) status = ck_store_get_head(&head, self->store, "child", &self->err);
  budget = -1;
  if (!status) ck_head_clear(&head);
  *held = *held && sound(self) && history_loads(&child, 0);
  history_clear(&child);
  return status;
}

static ck_status use_pin(use *self, long allow, bool *held) {
  ck_prune_report report;
  budget = allow;
  ck_status status =
      ck_store_pin(self->store, self->past.lease, self->past.seqs[2], true, &self->err);
  if (!status)
    status = ck_store_plan_prune(self->store, self->past.id, self->past.seqs, STEPS, &report,
                                 &self->err);
  budget = -1;
  *held = status ? true : report.kept_count == 2 && report.kept[0].reason == CK_KEPT_PINNED;
  if (!status) ck_prune_report_clear(&report);
  *held = *held && sound(self);
  return status;
}

static ck_status use_delete(use *self, long allow, bool *held) {
  history child, grandchild;
  ck_verify_report found;
  ck_error err = CK_ERROR_INIT;
  history_must(history_fork(&child, &self->past, 4, "child", 5, &err), &err, "fork");
  history_must(history_fork(&grandchild, &child, 0, "grandchild", 6, &err), &err, "fork");
  ck_store_release(self->store, child.lease);
  ck_store_release(self->store, grandchild.lease);
  budget = allow;
  ck_status status = ck_store_delete_session(self->store, self->past.lease, true, &self->err);
  budget = -1;
  if (status)
    *held =
        sound(self) && ck_store_delete_session(self->store, self->past.lease, true, &err) == CK_OK;
  *held = *held && ck_store_verify(&found, self->store, NULL, NULL, NULL, &err) == CK_OK &&
          found.problems == 0 && found.sessions == 2;
  *held = *held && history_loads(&child, 0) && history_loads(&grandchild, 0);
  history_clear(&child);
  history_clear(&grandchild);
  return status;
}

static void attack(const char *what, use_call call) {
  int broken = 0, untyped = 0, tries = 0;
  ck_status status = CK_E_NO_MEMORY;
  for (; tries < TRIES_MAX && status != CK_OK; tries++) {
    use one = {.err = CK_ERROR_INIT};
    bool held = true;
    history_must(
        ck_store_open(&one.store, "memory:", &(ck_store_options){.create = true}, &one.err),
        &one.err, "open");
    history_begin(&one.past, one.store, "past", 41);
    one.past.value_max = 1000;
    for (int i = 0; i < STEPS; i++) history_go(&one.past, 2);
    status = call(&one, tries, &held);
    broken += !held;
    untyped += status != CK_OK && status != CK_E_NO_MEMORY;
    history_clear(&one.past);
    ck_store_close(one.store);
  }
  tap_is_int(status, CK_OK, "%s: with enough memory it succeeds", what);
  tap_is_int(broken, 0, "%s: each of %d failed allocations leaves the store sound", what,
             tries - 1);
  tap_is_int(untyped, 0, "%s: and is reported as out of memory", what);
}

int main(void) {
  attack("opening", use_open);
  attack("creating", use_create);
  attack("committing", use_commit);
  attack("committing after a resume", use_resumed_commit);
  attack("loading a state", use_state);
  attack("reading a head", use_head);
  attack("reading events", use_events);
  attack("verifying", use_verify);
  attack("leaving a request", use_request);
  attack("pruning", use_prune);
  attack("forking", use_fork);
  attack("pinning", use_pin);
  attack("deleting", use_delete);
  return tap_done();
}
