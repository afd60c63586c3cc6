/* fixture.c - sessions, events and checkpoints of tests. */
#include "tests/store/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "core/store/verify.h"

static const int64_t now_ms = 1700000000000;

static ck_value *make_value(const char *json) {
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  if (ck_value_new(&value, ck_bytes_text(json), &err) != CK_OK)
    tap_must(false, "%s: %s", json, err.text);
  return value;
}

const ck_key *fixture_key;

ck_key *fixture_make_key(void) {
  ck_key *key;
  ck_error err = CK_ERROR_INIT;
  if (ck_key_new(&key, "the test", &err) != CK_OK) tap_must(false, "a key: %s", err.text);
  return key;
}

ck_store *fixture_open(const char *url) {
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  ck_status status =
      ck_store_open(&store, url, &(ck_store_options){.create = true, .key = fixture_key}, &err);
  if (status != CK_OK) tap_must(false, "%s opens: %s", url, err.text);
  return store;
}

static ck_event *make_event(const ck_event *from, const char *json) {
  ck_event *event;
  ck_event full = *from;
  ck_error err = CK_ERROR_INIT;
  full.body = make_value(json);
  full.at_ms = now_ms + from->seq;
  if (!full.scope) full.scope = "main";
  if (ck_event_new(&event, &full, &err) != CK_OK)
    tap_must(false, "an event can be made: %s", err.text);
  ck_value_free(full.body);
  return event;
}

ck_status fixture_create(fixture *self, ck_store *store, const char *id, ck_error *err) {
  *self = (fixture){.store = store, .seq = 1, .timeline = 1};
  snprintf(self->id, sizeof self->id, "%s", id);
  char profile[] = "default", flow[] = "flow.lua";
  ck_session_record record = {
      .run = "run_first", .created_ms = now_ms, .profile = profile, .flow = flow};
  memcpy(record.id, self->id, sizeof record.id);
  record.input = make_value("{\"input\": 1}");
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1, .run = "run_first"};
  ck_event *event =
      make_event(&(ck_event){.seq = 1, .timeline = 1, .kind = CK_EVENT_SESSION_STARTED}, "{}");
  ck_opening opening = {.timeline = &timeline, .events = &event, .event_count = 1};
  ck_status status = ck_store_create_session(&self->lease, store, &record, &opening, err);
  ck_event_free(event);
  ck_value_free(record.input);
  return status;
}

ck_status fixture_acquire_at(fixture *self, ck_store *store, const char *id, uint64_t epoch,
                             ck_error *err) {
  ck_head head;
  *self = (fixture){.store = store};
  ck_status status = ck_store_get_head(&head, store, id, err);
  if (status != CK_OK) return status;
  snprintf(self->id, sizeof self->id, "%s", id);
  self->timeline = (int64_t)head.timeline_count + 1;
  self->parent = head.has_latest ? head.latest.seq : 0;
  self->seq = head.last_seq + 1;
  ck_timeline timeline = {.no = self->timeline,
                          .parent = head.session.timeline,
                          .cut = head.last_seq,
                          .begin = self->seq,
                          .checkpoint = self->parent,
                          .attempt = 1,
                          .run = "run_next",
                          .parent_run = "run_first"};
  ck_event *event = make_event(
      &(ck_event){.seq = self->seq, .timeline = self->timeline, .kind = CK_EVENT_SESSION_RESUMED},
      "{}");
  ck_opening opening = {.timeline = &timeline, .events = &event, .event_count = 1};
  status = ck_store_acquire(&self->lease, store, id, epoch, &opening, err);
  ck_event_free(event);
  ck_head_clear(&head);
  return status;
}

ck_status fixture_acquire(fixture *self, ck_store *store, const char *id, ck_error *err) {
  ck_session_record record;
  ck_status status = ck_store_get_session(&record, store, id, err);
  if (status != CK_OK) return status;
  uint64_t epoch = record.epoch;
  ck_session_record_clear(&record);
  return fixture_acquire_at(self, store, id, epoch, err);
}

static ck_checkpoint *make_checkpoint(const fixture *session, int64_t seq,
                                      const fixture_step *step) {
  ck_checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
  ck_change *changes = calloc(1, sizeof *changes);
  if (!checkpoint || !changes) tap_must(false, "there is memory");
  changes->key = strdup(step->key);
  changes->value = step->value ? make_value(step->value) : NULL;
  *checkpoint = (ck_checkpoint){.seq = seq,
                                .parent = session->parent,
                                .kind = CK_BOUNDARY_TOOL_ROUND,
                                .created_ms = now_ms,
                                .clean = true,
                                .resumable = true,
                                .totals = {.cost_micros = seq, .model_calls = 1},
                                .info = make_value("{\"node\":\"n\"}"),
                                .changes = changes,
                                .change_count = 1};
  ck_id_make_checkpoint(checkpoint->id, now_ms);
  return checkpoint;
}

void fixture_batch_init(fixture_batch *self, const fixture *session, const fixture_step *step) {
  *self = (fixture_batch){0};
  int64_t seq = session->seq;
  size_t count = 0;
  char body[256];
  if (step->text) {
    snprintf(body, sizeof body, "{\"message\":{\"role\":\"user\",\"content\":\"%s\"}}", step->text);
    ck_event event = {.seq = ++seq,
                      .timeline = session->timeline,
                      .kind = CK_EVENT_MESSAGE,
                      .scope = step->scope,
                      .agent = step->agent};
    self->events[count++] = make_event(&event, body);
  }
  if (step->key) {
    ck_event event = {.seq = ++seq, .timeline = session->timeline, .kind = CK_EVENT_BOUNDARY};
    self->checkpoint = make_checkpoint(session, seq, step);
    snprintf(body, sizeof body, "{\"kind\":\"tool_round\",\"checkpoint\":\"%s\"}",
             self->checkpoint->id);
    self->events[count++] = make_event(&event, body);
  }
  self->batch = (ck_batch){.lease = session->lease,
                           .events = self->events,
                           .event_count = count,
                           .checkpoint = self->checkpoint,
                           .update = step->update,
                           .durability = step->process ? CK_DURABLE_PROCESS : CK_DURABLE_POWER};
}

void fixture_batch_clear(fixture_batch *self) {
  ck_event_free(self->events[0]);
  ck_event_free(self->events[1]);
  ck_checkpoint_free(self->checkpoint);
}

ck_status fixture_commit(fixture *self, const fixture_step *step, ck_error *err) {
  fixture_batch made;
  fixture_batch_init(&made, self, step);
  ck_status status = ck_store_commit(self->store, &made.batch, 1, err);
  if (status == CK_OK) status = made.batch.status;
  if (status == CK_OK) {
    self->seq += (int64_t)made.batch.event_count;
    if (step->key) self->parent = self->seq;
  }
  fixture_batch_clear(&made);
  return status;
}

static bool count_event(void *to, const ck_event *event) {
  int64_t *count = to;
  if (event->seq == *count + 1) ++*count;
  return true;
}

int64_t fixture_count_events(ck_store *store, int64_t session) {
  int64_t count = 0;
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = session};
  return ck_store_read_events(store, &query, count_event, &count, &err) == CK_OK ? count : -1;
}

/* Each problem has a session's id, "" for one of the store itself, a status and a line. */
static void take_problem(void *to, const char *session_id, int64_t seq, ck_status status,
                         const char *text) {
  (void)to, (void)seq;
  if (!session_id || status == CK_OK || !*text)
    tap_ok(false, "a problem without a session, a status or a text");
}

static void show_problem(void *to, const char *session_id, int64_t seq, ck_status status,
                         const char *text) {
  take_problem(to, session_id, seq, status, text);
  tap_diag("%s seq %lld: %s: %s", session_id && *session_id ? session_id : "store", (long long)seq,
           ck_status_name(status), text);
}

static int64_t verify(ck_store *store, ck_problem_visit visit) {
  ck_verify_report report;
  ck_error err = CK_ERROR_INIT;
  if (ck_store_verify(&report, store, NULL, visit, NULL, &err) == CK_OK) return report.problems;
  tap_diag("verify: %s", err.text);
  return -1;
}

int64_t fixture_verify(ck_store *store) { return verify(store, show_problem); }

int64_t fixture_count_problems(ck_store *store) { return verify(store, take_problem); }

void fixture_copy_file(const char *from, const char *to, const char *suffix) {
  char command[1200];
  snprintf(command, sizeof command, "cp '%s%s' '%s%s'", from, suffix, to, suffix);
  tap_must(system(command) == 0, "%s", command);
}

void fixture_copy_store(const char *from, const char *to) {
  fixture_copy_file(from, to, "");
  fixture_copy_file(from, to, "-wal");
  fixture_copy_file(from, to, ".lock");
}
