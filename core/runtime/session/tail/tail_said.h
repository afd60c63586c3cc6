/* tail_said.h - who said what of each event that an agent's tail could have, as it is kept in the
 * event by which the agent is told its tail. */
#ifndef CK_RUNTIME_SESSION_TAIL_TAIL_SAID_H
#define CK_RUNTIME_SESSION_TAIL_TAIL_SAID_H

#include "core/base/clock.h"
#include "core/model/answers.h"
#include "core/model/value.h"

/* Events of which it is kept, the newest: what is said of older ones is counted alone. */
enum { CK_TAIL_SAID_MAX = 256 };

typedef struct ck_tail_said_event {
  int64_t seq;
  uint64_t in, out, failed; /* bit i: policy i */
} ck_tail_said_event;

/* Zero but for `clock`: nothing was asked. */
typedef struct ck_tail_said {
  const ck_clock *clock;    /* borrowed */
  ck_tail_said_event *list; /* of each event that policies were asked about */
  size_t count, cap;
  ck_answers all;   /* of all of them, with the time that it took */
  ck_error failure; /* the first one; status CK_OK: there was none */
} ck_tail_said;
void ck_tail_said_clear(ck_tail_said *self);
/* Asked anew, from the beginning. */
void ck_tail_said_reset(ck_tail_said *self);
CK_CHECKED ck_status ck_tail_said_add(ck_tail_said *self, int64_t seq, const ck_answers *said,
                                      ck_error *err);

/* {agent, said: [{events, in?, out?, failed?}], more?}: the seqs of those of whom the same was
 * said, and the places of the policies that said it; more: of how many older ones it is not kept.
 * NULL in *out: nobody was asked. Sorts the list. */
CK_CHECKED ck_status ck_tail_said_write(ck_value **out, ck_tail_said *self, const char *agent,
                                        ck_error *err);

#endif
