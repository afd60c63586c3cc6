/* test_saving.c - on_save_failure = "continue": a session goes on while its store takes nothing,
 * within its bounds and no further; it catches up without a gap, or stops without a lie; what costs
 * money or cannot be repeated never runs ahead of the disk. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/commit/backlog.h"
#include "core/runtime/session/session_private.h"
#include "tests/runtime/session/saving_fixture.h"
#include "tests/store/faulty.h"
#include "tests/tap.h"

enum { EVER = 1000000000 };

typedef struct reported {
  const char *what;
  int64_t count, checkpoints;
} reported;

static bool look_at_event(void *to, const ck_event *event) {
  reported *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (!ck_json_is_text(ck_json_get(body, "what"), self->what)) return true;
  self->count++;
  ck_json_read_int(&self->checkpoints, ck_json_get(body, "checkpoints"));
  return true;
}

static reported find_reported(saving_fixture *self, const char *what) {
  reported out = {.what = what};
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = ck_session_get_record(self->session)->no,
                          .kinds = 1ull << CK_EVENT_SAVING};
  tap_must(ck_store_read_events(self->runtime->store, &query, look_at_event, &out, &err) == CK_OK,
           "events: %s", err.text);
  return out;
}

/* ---- a checkpoint is power-durable ---- */

static void test_synced(void) {
  saving_fixture s = {0};
  ck_error err = CK_ERROR_INIT;
  saving_begin(&s, "synced", -1);
  tap_must(saving_step(&s, &err) == CK_OK, "a first step");
  for (int i = 0; i < 2; i++) {
    faulty_take(FAULTY_WAL);
    tap_must(saving_step(&s, &err) == CK_OK, "a step");
    tap_ok(faulty_take(FAULTY_WAL).syncs > 0,
           "a checkpoint that was waited for is on the disk, not only with the system: step %d", i);
  }
  saving_end(&s);
}

/* ---- it goes on, and catches up ---- */

static void test_catches_up(void) {
  saving_fixture s = {0};
  ck_error err = CK_ERROR_INIT;
  saving_begin(&s, "catch", 10);
  saving_put_much(&s);
  tap_must(saving_step(&s, &err) == CK_OK && !saving_watch(&s), "a first step");
  int64_t saved = s.last.seq;
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  for (int i = 0; i < 3; i++)
    tap_is_status(saving_step(&s, &err), CK_OK, &err, "the disk is full: step %d goes on", i);
  ck_saving now = saving_of(&s);
  tap_ok(now.failing && now.checkpoints == 3 && strstr(now.cause, "No space"),
         "it is known: 3 checkpoints wait, %s", now.cause);
  tap_ok(ck_session_is_unsaved(s.session, s.last.ticket), "the last one is not called saved");
  tap_ok(saving_watch(&s) && !saving_watch(&s), "that saving fails is reported once");
  tap_is_int(saving_look(&s).last, saved, "the store is what it was");
  tap_is_status(ck_session_flush(s.session, CK_DURABLE_PROCESS, &err), CK_E_IO, &err,
                "a flush does not say that it has flushed");
  faulty_heal();
  tap_is_status(saving_step(&s, &err), CK_OK, &err, "the disk has room: the next step is saved");
  now = saving_of(&s);
  tap_ok(!now.failing && now.late == 3 && now.times == 1, "and with it all that waited");
  tap_ok(saving_watch(&s) && !saving_watch(&s), "that it works again is reported once");
  saving_stored all = saving_look(&s);
  tap_is_int(all.count, 5, "all five checkpoints are there");
  tap_ok(all.chained && all.last == s.last.seq, "each on the one before");
  tap_is_int(all.keyframes, 2, "the first that came late is a keyframe, the others follow it");
  tap_must(ck_session_flush(s.session, CK_DURABLE_PROCESS, &err) == CK_OK, "flush: %s", err.text);
  tap_is_int(saving_events_in(&s), ck_session_last_seq(s.session),
             "no event is missing, none is twice");
  tap_is_int(find_reported(&s, "failing").count, 1, "the transcript says when it began");
  tap_is_int(find_reported(&s, "saved").checkpoints, 3, "and what came late");
  tap_is_int(saving_number_in(&s, s.last.seq), s.number, "the state is whole");
  tap_is_int(saving_problems_in(&s), 0, "and the store is sound");
  saving_end(&s);
}

/* ---- bounds ---- */

static void test_too_many(void) {
  saving_fixture s = {0};
  ck_error err = CK_ERROR_INIT;
  saving_begin(&s, "many", 2);
  tap_must(saving_step(&s, &err) == CK_OK, "a first step");
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  tap_must(saving_step(&s, &err) == CK_OK && saving_step(&s, &err) == CK_OK, "two may wait");
  tap_is_status(saving_step(&s, &err), CK_E_FULL, &err, "the third is one too many");
  tap_ok(strstr(err.text, "No space") && strstr(err.text, "2 checkpoints and"),
         "what is lost is said: %s", err.text);
  faulty_heal();
  tap_is_status(saving_step(&s, &err), CK_E_FULL, &err, "and that is final for this process");
  saving_die_and_resume(&s);
  tap_is_int(saving_number_in(&s, ck_session_resumed_from(s.session)), 1,
             "a resume goes on from what was saved");
  tap_must(saving_step(&s, &err) == CK_OK, "step: %s", err.text);
  tap_is_int(saving_problems_in(&s), 0, "in a sound store");
  saving_end(&s);
  saving_begin(&s, "none", 0);
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  tap_is_status(saving_step(&s, &err), CK_E_FULL, &err,
                "unsaved.checkpoints = 0: the first failure ends it");
  saving_end(&s);
  saving_begin(&s, "pause", -1);
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  tap_is_status(saving_step(&s, &err), CK_E_FULL, &err, "on_save_failure = \"pause\": so it does");
  saving_end(&s);
}

static void test_too_long(void) {
  saving_fixture s = {0};
  ck_error err = CK_ERROR_INIT;
  saving_begin(&s, "long", 100);
  s.profile->unsaved_ms = 60000;
  saving_die_and_resume(&s); /* the bounds are those of the profile when the session is opened */
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  tap_is_status(saving_step(&s, &err), CK_OK, &err, "a step that is not saved");
  saving_now_us += 60000000;
  tap_is_status(saving_step(&s, &err), CK_OK, &err, "a minute may pass");
  saving_now_us += 1;
  tap_is_status(saving_step(&s, &err), CK_E_FULL, &err, "and no longer");
  saving_end(&s);
}

static void test_too_large(void) {
  saving_fixture s = {0};
  ck_error err = CK_ERROR_INIT;
  ck_buffer text = {0};
  ck_value *value;
  saving_begin(&s, "large", 100);
  ck_buffer_append_char(&text, '"');
  for (size_t i = 0; i < (size_t)CK_BACKLOG_BYTES_MAX / 3; i++)
    ck_buffer_append_char(&text, "ab c"[i % 4]);
  ck_buffer_append_char(&text, '"');
  tap_must(ck_value_new(&value, ck_buffer_bytes(&text), &err) == CK_OK, "value");
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  ck_status status = CK_OK;
  int steps = 0;
  for (; steps < 10 && status == CK_OK; steps++) {
    char key[24];
    snprintf(key, sizeof key, "memory.k%d", steps);
    tap_must(ck_session_put(s.session, key, value, &err) == CK_OK, "put: %s", err.text);
    status = saving_step(&s, &err);
  }
  tap_ok(status == CK_E_FULL && steps == 3, "what waits is bounded in memory, too: %d large steps",
         steps);
  ck_value_free(value);
  ck_buffer_clear(&text);
  saving_end(&s);
}

/* ---- what may not wait ---- */

static void test_must_be_saved(void) {
  static const ck_boundary_kind kinds[] = {CK_BOUNDARY_PAUSE, CK_BOUNDARY_USER_CHECKPOINT,
                                           CK_BOUNDARY_EDIT, CK_BOUNDARY_FINAL};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char id[32];
    saving_fixture s = {0};
    ck_error err = CK_ERROR_INIT;
    snprintf(id, sizeof id, "must-%zu", i);
    saving_begin(&s, id, 10);
    faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
    tap_must(saving_step(&s, &err) == CK_OK, "a step that waits");
    tap_is_status(saving_step_at(&s, kinds[i], &err), CK_E_FULL, &err, "a %s does not wait",
                  ck_boundary_kind_name(kinds[i]));
    saving_end(&s);
  }
  saving_fixture s = {0};
  ck_error err = CK_ERROR_INIT;
  uint64_t ticket;
  saving_begin(&s, "power", 10);
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  tap_must(saving_step(&s, &err) == CK_OK, "a step that waits");
  tap_must(saving_put_number(&s, &err) == CK_OK && saving_watch(&s), "an event");
  tap_must(ck_session_push(&ticket, s.session, CK_DURABLE_POWER, &err) == CK_OK, "push: %s",
           err.text);
  tap_is_status(ck_session_wait(s.session, ticket, &err), CK_E_FULL, &err,
                "nor does what must be durable: money, what is done once");
  saving_end(&s);
}

static void test_ends(void) {
  saving_fixture s = {0};
  ck_error err = CK_ERROR_INIT;
  saving_begin(&s, "ends", 10);
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  tap_must(saving_step(&s, &err) == CK_OK && saving_step(&s, &err) == CK_OK && saving_watch(&s),
           "two steps that wait");
  faulty_heal();
  tap_is_status(ck_session_end(s.session, CK_SESSION_COMPLETED, NULL, NULL, &err), CK_OK, &err,
                "the disk has room: it ends well");
  tap_is_int(saving_look(&s).count, 3, "with all its checkpoints");
  tap_is_int(find_reported(&s, "saved").checkpoints, 2, "and says that two came late");
  tap_is_int(saving_events_in(&s), ck_session_last_seq(s.session), "no event is missing");
  saving_end(&s);
  saving_begin(&s, "fails", 10);
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  tap_must(saving_step(&s, &err) == CK_OK && saving_watch(&s), "a step that waits");
  tap_is_status(ck_session_end(s.session, CK_SESSION_COMPLETED, NULL, NULL, &err), CK_E_FULL, &err,
                "the disk is full: it is not called completed");
  ck_session_park(s.session, CK_E_FULL, NULL);
  saving_die_and_resume(&s);
  tap_is_int(find_reported(&s, "saved").count, 0, "and nothing is called saved");
  saving_end(&s);
}

/* ---- commits of which nobody knows ---- */

/* The sync fails and so does the recovery, for a while: some rows may be in the log, or none. */
static void test_unknown(void) {
  for (int way = 0; way < 4; way++) {
    char id[32];
    saving_fixture s = {0};
    ck_error err = CK_ERROR_INIT;
    snprintf(id, sizeof id, "unknown-%d", way);
    saving_begin(&s, id, 10);
    tap_must(saving_step(&s, &err) == CK_OK, "a first step");
    if (way % 2)
      faulty_fail_sync(FAULTY_WAL, SQLITE_IOERR_FSYNC, EVER);
    else
      faulty_fail_write(FAULTY_WAL, SQLITE_IOERR_WRITE, EVER);
    if (way >= 2) faulty_fail_write(FAULTY_DATABASE, SQLITE_IOERR_WRITE, EVER);
    for (int i = 0; i < 3; i++)
      tap_is_status(saving_step(&s, &err), CK_OK, &err, "way %d: step %d goes on", way, i);
    faulty_heal();
    tap_is_status(saving_step(&s, &err), CK_OK, &err, "way %d: the disk is well again", way);
    saving_stored all = saving_look(&s);
    tap_ok(all.count == 5 && all.chained && all.last == s.last.seq,
           "way %d: every checkpoint is there once (%lld)", way, (long long)all.count);
    tap_is_int(saving_events_in(&s), s.last.seq, "way %d: and so is every event", way);
    tap_is_int(saving_problems_in(&s), 0, "way %d: in a sound store", way);
    saving_end(&s);
  }
}

/* ---- others see it ---- */

static void test_trouble(void) {
  saving_fixture s = {0};
  ck_store *other;
  ck_error err = CK_ERROR_INIT;
  char text[CK_STORE_FAULT_MAX];
  saving_begin(&s, "trouble", 10);
  tap_must(ck_store_open(&other, s.url, &(ck_store_options){.read_only = true}, &err) == CK_OK,
           "open: %s", err.text);
  ck_store_get_fault(text, other, "trouble");
  tap_is_text(text, "", "all is well");
  faulty_fail_write(FAULTY_WAL, SQLITE_FULL, EVER);
  tap_must(saving_step(&s, &err) == CK_OK, "a step that waits");
  ck_store_get_fault(text, other, "trouble");
  tap_ok(strstr(text, "No space"), "who looks from elsewhere sees what is wrong: %s", text);
  tap_is_status(ck_store_check_owner(other, "trouble", &err), CK_E_OWNED, &err,
                "and still who owns it");
  faulty_heal();
  tap_must(saving_step(&s, &err) == CK_OK, "a step that is saved");
  ck_store_get_fault(text, other, "trouble");
  tap_is_text(text, "", "and that it is over");
  ck_store_get_fault(text, other, "nobody");
  tap_is_text(text, "", "a session that is not there has no trouble");
  ck_store_close(other);
  saving_end(&s);
}

int main(void) {
  faulty_install();
  test_synced();
  test_catches_up();
  test_too_many();
  test_too_long();
  test_too_large();
  test_must_be_saved();
  test_ends();
  test_unknown();
  test_trouble();
  return tap_done();
}
