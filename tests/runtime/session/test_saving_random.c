/* test_saving_random.c - runs whose disk fails at random while they go on: what was called saved
 * is there after a crash, and what is there is a beginning of what was done. */
#include <sqlite3.h>
#include <stdio.h>

#include "tests/runtime/session/saving_fixture.h"
#include "tests/store/faulty.h"
#include "tests/tap.h"

enum { EVER = 1000000000, LIVES = 60, STEPS_MAX = 30 };

static uint64_t dice = 42;
static uint64_t roll(uint64_t sides) {
  dice = dice * 6364136223846793005u + 1442695040888963407u;
  return (dice >> 33) % sides;
}

static void fail_somehow(void) {
  static const int codes[] = {SQLITE_FULL, SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC};
  faulty_file file = roll(3) ? FAULTY_WAL : FAULTY_DATABASE;
  int times = roll(3) ? (int)(1 + roll(12)) : EVER;
  if (roll(3))
    faulty_fail_write(file, codes[roll(2)], times);
  else
    faulty_fail_sync(file, codes[2], times);
}

/* What was called saved is there, and what is there is a beginning of what was done. */
static bool live_once(int life, int64_t *late, int64_t *failed) {
  char id[32];
  saving_fixture s = {0};
  ck_error err = CK_ERROR_INIT;
  snprintf(id, sizeof id, "life-%d", life);
  saving_begin(&s, id, (int64_t)roll(8));
  int64_t acknowledged = 0, acknowledged_number = 0, steps = 5 + (int64_t)roll(STEPS_MAX - 5);
  ck_status status = CK_OK;
  for (int64_t i = 0; i < steps && status == CK_OK; i++) {
    if (roll(4) == 0) fail_somehow();
    if (roll(4) == 0) faulty_heal();
    saving_watch(&s);
    status =
        saving_step_at(&s, roll(6) ? CK_BOUNDARY_STEP_COMPLETE : CK_BOUNDARY_USER_CHECKPOINT, &err);
    if (status != CK_OK || ck_session_is_unsaved(s.session, s.last.ticket)) continue;
    acknowledged = s.last.seq;
    acknowledged_number = s.number;
  }
  *late += saving_of(&s).late;
  *failed += status != CK_OK;
  saving_die_and_resume(&s);
  int64_t from = ck_session_resumed_from(s.session), number = from ? saving_number_in(&s, from) : 0;
  bool good = from >= acknowledged && number >= acknowledged_number && number <= s.number &&
              saving_problems_in(&s) == 0 && saving_look(&s).chained;
  s.number = number;
  good &= saving_step(&s, &err) == CK_OK && saving_events_in(&s) == s.last.seq;
  if (!good)
    tap_diag("life %d: from %lld, acknowledged %lld, number %lld of %lld: %s", life,
             (long long)from, (long long)acknowledged, (long long)number, (long long)s.number,
             err.text);
  saving_end(&s);
  return good;
}

static void test_random(void) {
  int64_t good = 0, late = 0, failed = 0;
  for (int life = 0; life < LIVES; life++) good += live_once(life, &late, &failed);
  tap_is_int(
      good, LIVES,
      "runs with failures at random: nothing that was called saved is lost, no row is wrong");
  tap_ok(late > 0 && failed > 0 && failed < LIVES,
         "checkpoints came late (%lld), and some runs ended for it (%lld)", (long long)late,
         (long long)failed);
}

int main(void) {
  faulty_install();
  test_random();
  return tap_done();
}
