/* saving_fixture.c - steps of a session over a VFS that fails, a clock that stands, and looks at
 * the rows. */
#include "tests/runtime/session/saving_fixture.h"

#include <stdio.h>

#include "tests/store/faulty.h"
#include "tests/tap.h"
#include "core/store/verify.h"

int64_t saving_now_us;
static int64_t read_mono(void *self) {
  (void)self;
  return saving_now_us;
}
static int64_t read_wall(void *self) {
  (void)self;
  return 1700000000000 + saving_now_us / 1000;
}

static void open_runtime(saving_fixture *self) {
  ck_error err = CK_ERROR_INIT;
  ck_clock clock = {.mono_us = read_mono, .wall_ms = read_wall};
  tap_must(ck_runtime_open(&self->runtime, self->url, &(ck_store_options){.create = true}, &clock,
                           &err) == CK_OK,
           "open: %s", err.text);
}

void saving_begin(saving_fixture *self, const char *id, int64_t checkpoints) {
  ck_error err = CK_ERROR_INIT;
  faulty_heal();
  snprintf(self->id, sizeof self->id, "%s", id);
  snprintf(self->url, sizeof self->url, "sqlite:%s", tap_tmpfile("saving.db"));
  tap_must(ck_profile_new(&self->profile, "brave", &err) == CK_OK, "profile");
  self->profile->continue_on_save_failure = checkpoints >= 0;
  self->profile->unsaved_checkpoints = checkpoints;
  open_runtime(self);
  ck_session_options options = {.id = id, .profile = self->profile};
  tap_must(ck_session_start(&self->session, self->runtime, &options, &err) == CK_OK, "start: %s",
           err.text);
}

void saving_end(saving_fixture *self) {
  faulty_heal();
  ck_session_close(self->session);
  ck_runtime_close(self->runtime);
  ck_profile_free(self->profile);
  *self = (saving_fixture){0};
}

void saving_die_and_resume(saving_fixture *self) {
  ck_error err = CK_ERROR_INIT;
  ck_session_close(self->session); /* what it still tries to write cannot be written */
  self->session = NULL;
  ck_runtime_close(self->runtime);
  faulty_heal();
  open_runtime(self);
  ck_resume_options options = {.profile = self->profile};
  tap_must(ck_session_resume(&self->session, self->runtime, self->id, &options, &err) == CK_OK,
           "resume: %s", err.text);
}

ck_status saving_put_number(saving_fixture *self, ck_error *err) {
  char text[32];
  ck_value *value;
  snprintf(text, sizeof text, "%lld", (long long)++self->number);
  tap_must(ck_value_new(&value, ck_bytes_text(text), err) == CK_OK, "value");
  ck_status status = ck_session_put(self->session, "memory.n", value, err);
  ck_value_free(value);
  return status;
}

ck_status saving_step_at(saving_fixture *self, ck_boundary_kind kind, ck_error *err) {
  ck_status status = saving_put_number(self, err);
  if (status == CK_OK)
    status = ck_session_boundary(&self->last, self->session, &(ck_boundary){.kind = kind}, err);
  return status == CK_OK ? ck_session_wait(self->session, self->last.ticket, err) : status;
}
ck_status saving_step(saving_fixture *self, ck_error *err) {
  return saving_step_at(self, CK_BOUNDARY_STEP_COMPLETE, err);
}

void saving_put_much(saving_fixture *self) {
  ck_buffer text = {0};
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  ck_buffer_append_char(&text, '"');
  for (int i = 0; i < 10000; i++) ck_buffer_append_char(&text, "ab c"[i % 4]);
  ck_buffer_append_char(&text, '"');
  tap_must(ck_value_new(&value, ck_buffer_bytes(&text), &err) == CK_OK, "value");
  tap_must(ck_session_put(self->session, "memory.much", value, &err) == CK_OK, "put: %s", err.text);
  ck_value_free(value);
  ck_buffer_clear(&text);
}

ck_saving saving_of(saving_fixture *self) {
  ck_saving out;
  ck_session_get_saving(&out, self->session);
  return out;
}

/* ---- what is in the store ---- */

static bool look_at_checkpoint(void *to, const ck_checkpoint_info *checkpoint) {
  saving_stored *self = to;
  self->chained &= checkpoint->parent == self->last;
  self->last = checkpoint->seq;
  self->keyframes += checkpoint->keyframe == checkpoint->seq;
  self->count++;
  return true;
}

saving_stored saving_look(saving_fixture *self) {
  saving_stored out = {.chained = true};
  ck_error err = CK_ERROR_INIT;
  int64_t no = ck_session_get_record(self->session)->no;
  tap_must(
      ck_store_list_checkpoints(self->runtime->store, no, look_at_checkpoint, &out, &err) == CK_OK,
      "list: %s", err.text);
  return out;
}

static bool keep_seq(void *to, const ck_event *event) {
  int64_t *last = to;
  if (event->seq != *last + 1) *last = -1000000;
  ++*last;
  return true;
}

int64_t saving_events_in(saving_fixture *self) {
  int64_t last = 0;
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = ck_session_get_record(self->session)->no};
  tap_must(ck_store_read_events(self->runtime->store, &query, keep_seq, &last, &err) == CK_OK,
           "events: %s", err.text);
  return last;
}

int64_t saving_problems_in(saving_fixture *self) {
  ck_verify_report report;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_store_verify(&report, self->runtime->store, self->id, NULL, NULL, &err) == CK_OK,
           "verify: %s", err.text);
  return report.problems;
}

int64_t saving_number_in(saving_fixture *self, int64_t checkpoint) {
  ck_state *state;
  ck_error err = CK_ERROR_INIT;
  int64_t number = -1;
  int64_t no = ck_session_get_record(self->session)->no;
  tap_must(ck_store_get_state(&state, self->runtime->store, no, checkpoint, &err) == CK_OK,
           "state: %s", err.text);
  const ck_value *value = ck_state_get(state, "memory.n");
  if (value) ck_json_read_int(&number, ck_value_bytes(value));
  ck_state_free(state);
  return number;
}

bool saving_watch(saving_fixture *self) {
  ck_saving now;
  bool changed;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_watch_saving(&now, &changed, self->session, &err) == CK_OK, "watch: %s",
           err.text);
  return changed;
}
