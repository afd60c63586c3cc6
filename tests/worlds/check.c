/* check.c - what a store holds when its history is over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/verify.h"
#include "tests/worlds/cover.h"
#include "tests/worlds/disk.h"
#include "tests/worlds/money.h"
#include "tests/worlds/requests.h"
#include "tests/worlds/world.h"

typedef struct walk {
  world_model *model;
  int64_t seq, timeline;
  bool ended, cancelled;
  char result[64];
} walk;

static bool look_at_event(void *to, const ck_event *event) {
  walk *self = to;
  if (event->seq != self->seq + 1)
    model_fail(self->model, "event %lld follows event %lld", (long long)event->seq,
               (long long)self->seq);
  if (event->timeline < self->timeline)
    model_fail(self->model, "event %lld is written on timeline %lld, and %lld had begun",
               (long long)event->seq, (long long)event->timeline, (long long)self->timeline);
  self->seq = event->seq;
  self->timeline = event->timeline;
  requests_check_event(self->model, event);
  self->cancelled |= event->kind == CK_EVENT_SESSION_CANCELLED;
  if (event->kind != CK_EVENT_SESSION_COMPLETED) return true;
  ck_bytes result = ck_json_get(ck_value_bytes(event->body), "result");
  snprintf(self->result, sizeof self->result, "%.*s", (int)result.len, result.data);
  self->ended = true;
  return true;
}

static void keep_problem(void *to, const char *session, int64_t seq, ck_status status,
                         const char *text) {
  (void)session, (void)status;
  model_fail(to, "verify: event %lld: %s", (long long)seq, text);
}

static void check_money(world_model *self, ck_store *store, const ck_head *head) {
  ck_error err = CK_ERROR_INIT;
  ck_state *state = NULL;
  if (head->checkpoint.seq == 0 && self->cancelled) return;
  if (ck_store_get_state(&state, store, head->session.no, head->checkpoint.seq, &err) != CK_OK)
    model_fail(self, "load the last checkpoint: %s", err.text);
  else
    money_check_end(self, head, state);
  ck_state_free(state);
}

static void check_events(world_model *self, ck_store *store, const ck_head *head) {
  ck_error err = CK_ERROR_INIT;
  char want[64];
  walk walked = {.model = self};
  ck_event_query query = {.session = head->session.no};
  if (ck_store_read_events(store, &query, look_at_event, &walked, &err) != CK_OK)
    model_fail(self, "read the events: %s", err.text);
  snprintf(want, sizeof want, "\"%llx\"", (unsigned long long)self->result);
  if (walked.ended == self->cancelled || walked.cancelled != self->cancelled)
    model_fail(self, "the session's end is not in its transcript, or another one is");
  if (!self->cancelled && strcmp(walked.result, want) != 0)
    model_fail(self, "the result is %s, not %s", walked.result, want);
}

/* ---- checkpoints ---- */

typedef struct listing {
  world_model *model;
  ck_store *store;
  int64_t session;
  int64_t seqs[WORLD_PLACES];
  size_t count;
} listing;

static void check_state(listing *self, int64_t seq, int64_t as) {
  ck_error err = CK_ERROR_INIT;
  ck_state *state = NULL;
  const world_place *place = model_place(self->model, 0, as);
  int64_t step = 0;
  if (ck_store_get_state(&state, self->store, self->session, seq, &err) != CK_OK) {
    model_fail(self->model, "load checkpoint %lld: %s", (long long)seq, err.text);
    return;
  }
  const ck_value *value = ck_state_get(state, "memory.step");
  if (value) ck_json_read_int(&step, ck_value_bytes(value));
  if (step != (place ? place->step : 0))
    model_fail(self->model, "checkpoint %lld holds step %lld, not %d", (long long)seq,
               (long long)step, place ? place->step : 0);
  ck_state_free(state);
}

static bool keep_seq(void *to, const ck_checkpoint_info *checkpoint) {
  listing *self = to;
  if (self->count < WORLD_PLACES) self->seqs[self->count++] = checkpoint->seq;
  return true;
}

static bool is_listed(const listing *self, int64_t seq) {
  for (size_t i = 0; i < self->count; i++)
    if (self->seqs[i] == seq) return true;
  return false;
}

static void check_checkpoints(world_model *self, ck_store *store, const ck_head *head) {
  static listing list;
  ck_error err = CK_ERROR_INIT;
  list = (listing){.model = self, .store = store, .session = head->session.no};
  if (ck_store_list_checkpoints(store, head->session.no, keep_seq, &list, &err) != CK_OK)
    model_fail(self, "list the checkpoints: %s", err.text);
  for (size_t i = 0; i < list.count; i++) check_state(&list, list.seqs[i], list.seqs[i]);
  for (size_t i = 0; i < self->checkpoint_count; i++) {
    const world_checkpoint *known = &self->checkpoints[i];
    bool listed = is_listed(&list, known->seq);
    if (listed && known->pruned)
      model_fail(self, "checkpoint %lld is there, and was pruned", (long long)known->seq);
    if (!listed && !known->pruned && !known->doubtful)
      model_fail(self, "checkpoint %lld is not there, and was %s", (long long)known->seq,
                 known->pinned ? "pinned" : "saved");
  }
}

static void check_fork(world_model *self, ck_store *store, const struct world_fork *fork) {
  ck_error err = CK_ERROR_INIT;
  ck_head head;
  if (ck_store_get_head(&head, store, fork->id, &err) != CK_OK) {
    model_fail(self, "find fork %s: %s", fork->id, err.text);
  } else {
    listing at = {.model = self, .store = store, .session = head.session.no};
    check_state(&at, head.checkpoint.seq, fork->from);
  }
  ck_head_clear(&head);
}

static void check_secret(world_model *self) {
  if (disk_holds(WORLD_SECRET, strlen(WORLD_SECRET)))
    model_fail(self, "the secret is in the store's files");
  bool holds = disk_holds(WORLD_WORD, strlen(WORLD_WORD));
  if (the_world.key && holds)
    model_fail(self, "what the flow says is in the files of a store with a key");
  else
    cover("what the flow says is in the files %s a key: %s", the_world.key ? "with" : "without",
          holds ? "yes" : "no");
}

void model_check_end(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store;
  ck_head head;
  ck_verify_report report;
  ck_store_options options = world_store(false);
  if (ck_store_open(&store, self->url, &options, &err) != CK_OK) {
    model_fail(&self->model, "open it at last: %s", err.text);
    return;
  }
  if (ck_store_get_head(&head, store, "s", &err) != CK_OK) {
    model_fail(&self->model, "find it at last: %s", err.text);
  } else {
    check_money(&self->model, store, &head);
    check_events(&self->model, store, &head);
    check_checkpoints(&self->model, store, &head);
    tails_check(self, store, &head);
    requests_check_end(&self->model);
  }
  for (size_t i = 0; i < self->model.fork_count; i++)
    check_fork(&self->model, store, &self->model.forks[i]);
  ck_head_clear(&head);
  if (ck_store_verify(&report, store, NULL, keep_problem, &self->model, &err) != CK_OK)
    model_fail(&self->model, "verify: %s", err.text);
  check_secret(&self->model);
  ck_store_close(store);
  check_secret(&self->model);
}
