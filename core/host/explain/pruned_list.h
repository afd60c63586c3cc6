/* pruned_list.h - which checkpoints of a session were pruned, and the events that tell of it. */
#ifndef CK_HOST_EXPLAIN_PRUNED_LIST_H
#define CK_HOST_EXPLAIN_PRUNED_LIST_H

#include "core/host/explain/said.h"
#include "core/host/inspect/inspect.h"

typedef struct ck_pruned_checkpoint {
  char id[CK_ID_SIZE];
  int64_t seq;  /* of the event */
  size_t event; /* place in `events` */
} ck_pruned_checkpoint;

typedef struct ck_pruned_list {
  ck_pruned_checkpoint *list; /* ascending by id once it is read */
  size_t count, cap;
  struct ck_pruning_told {
    int64_t seq;          /* of the event */
    ck_value *droppers;   /* who dropped something there, a JSON array of names */
    ck_value *candidates; /* see candidates.h; NULL: not recorded */
  } * events;
  size_t event_count, event_cap;
  int64_t *there; /* seqs of the checkpoints that there are, of those that are asked for */
  size_t there_count, there_cap;
} ck_pruned_list;
void ck_pruned_list_clear(ck_pruned_list *self);

/* Of all timelines. `seq`: only the checkpoint that was taken there is asked for; 0: any is. */
CK_CHECKED ck_status ck_pruned_list_read(ck_pruned_list *out, const ck_inspection *of, int64_t seq,
                                         ck_error *err);
/* The checkpoint that was taken at `seq` is gone. */
bool ck_pruned_list_has(const ck_pruned_list *self, int64_t seq);
/* What is told of one. All borrowed; JSON arrays of names. */
typedef struct ck_pruned_fate {
  int64_t seq; /* of the event that tells that it is gone; 0: none that the session sees, as in a
                * fork */
  ck_bytes by; /* the policies that dropped checkpoints there; no bytes: not known */
  bool each;   /* each of them dropped this very one */
  int64_t kept_at; /* seq of the last event at which it stayed, though some would drop it; 0 */
  /* who kept it there; no bytes: no policy, the store needs it; and who would have dropped it */
  ck_bytes kept_by, against;
} ck_pruned_fate;
/* Of the checkpoint that was taken at `seq`. */
void ck_pruned_list_get(ck_pruned_fate *out, const ck_pruned_list *self, const char *id,
                        int64_t seq);

#endif
