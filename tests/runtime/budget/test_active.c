/* test_active.c - the time of runs that were killed, added up from the events behind a checkpoint.
 */
#include "core/runtime/budget/active.h"

#include "tests/tap.h"

typedef struct step {
  int64_t timeline, at_ms;
  ck_event_kind kind;
} step;

static int64_t add_up(const ck_checkpoint_info *latest, const step *steps) {
  ck_active active;
  ck_active_begin(&active, latest);
  for (; steps->timeline; steps++) {
    const ck_event event = {
        .timeline = steps->timeline, .at_ms = steps->at_ms, .kind = steps->kind};
    ck_active_take(&active, &event);
  }
  return active.us;
}

int main(void) {
  const ck_checkpoint_info at_500 = {.timeline = 1, .created_ms = 500};
  const step none[] = {{0}};
  const step killed[] = {{1, 1000, CK_EVENT_SESSION_STARTED},
                         {1, 1010, CK_EVENT_INTENT},
                         {1, 2200, CK_EVENT_OUTCOME},
                         {2, 9000, CK_EVENT_SESSION_RESUMED},
                         {2, 9001, CK_EVENT_INTENT},
                         {2, 9300, CK_EVENT_OUTCOME},
                         {0}};
  const step person[] = {{1, 700, CK_EVENT_INTENT}, {1, 90000, CK_EVENT_RESOLUTION}, {0}};
  const step rests[] = {{1, 700, CK_EVENT_SESSION_PAUSED}, {1, 90000, CK_EVENT_MESSAGE}, {0}};
  const step back[] = {{1, 400, CK_EVENT_INTENT}, {1, 600, CK_EVENT_OUTCOME}, {0}};
  tap_is_int(add_up(NULL, none), 0, "no events, no time");
  tap_is_int(add_up(NULL, killed), (1200 + 300) * 1000, "each run up to its last event");
  tap_is_int(add_up(&at_500, killed), (1700 + 300) * 1000, "the first from its checkpoint on");
  tap_is_int(add_up(&at_500, person), 200 * 1000, "what a person does to a dead one is no time");
  tap_is_int(add_up(&at_500, rests), 200 * 1000, "nor what comes behind a run's end");
  tap_is_int(add_up(&at_500, back), 200 * 1000, "a wall clock that is set back takes nothing");
  return tap_done();
}
