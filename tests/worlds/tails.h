/* tails.h - the tails of agents: worked out from the transcript (tails.c), and compared with those
 * that the runtime reads (tails_check.c). */
#ifndef CK_TESTS_WORLDS_TAILS_H
#define CK_TESTS_WORLDS_TAILS_H

#include "tests/worlds/world.h"

enum { TAILS_EVENTS = 2048, TAILS_POINTS = 512 };

typedef struct tails_list {
  uint16_t at[TAILS_EVENTS]; /* places of events, by seq */
  size_t count;
} tails_list;

extern struct tails_transcript {
  ck_event *events[TAILS_EVENTS];
  size_t count;
  tails_list living;
  struct tails_point {
    char id[CK_ID_SIZE];
    tails_list living;
  } points[TAILS_POINTS]; /* checkpoints */
  size_t point_count;
  const struct tails_point *newest; /* that lives */
  size_t newest_at;
  int64_t attempt; /* of a resume; 0: a new one */
  bool over, too_long;
} the_tails;

/* Takes the session's next event. */
bool tails_take(void *to, const ck_event *event);
/* Behind the last one: where a resume goes on. */
void tails_find_newest(void);
/* All of the agent's, oldest first. */
void tails_work_out(tails_list *out, const char *agent);
void tails_clear(void);

#endif
