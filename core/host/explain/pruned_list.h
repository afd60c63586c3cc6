/* pruned_list.h - which checkpoints of a session were pruned, and the events that tell of it. */
#ifndef CK_HOST_EXPLAIN_PRUNED_LIST_H
#define CK_HOST_EXPLAIN_PRUNED_LIST_H

#include "core/host/explain/said.h"
#include "core/host/inspect/inspect.h"

typedef struct ck_pruned_checkpoint {
  char id[CK_ID_SIZE];
  int64_t seq;     /* of the event */
  size_t droppers; /* place in `droppers` */
} ck_pruned_checkpoint;

typedef struct ck_pruned_list {
  ck_pruned_checkpoint *list; /* ascending by id once it is read */
  size_t count, cap;
  ck_value **droppers; /* of each event: who dropped something there, a JSON array of names */
  size_t dropper_count, dropper_cap;
  int64_t *there; /* seqs of the checkpoints that there are */
  size_t there_count, there_cap;
} ck_pruned_list;
void ck_pruned_list_clear(ck_pruned_list *self);

/* Of all timelines. */
CK_CHECKED ck_status ck_pruned_list_read(ck_pruned_list *out, const ck_inspection *of,
                                         ck_error *err);
/* The checkpoint that was taken at `seq` is gone. */
bool ck_pruned_list_has(const ck_pruned_list *self, int64_t seq);
/* seq of the event that tells of it; 0: none that the session sees, as in a fork. `by`, borrowed:
 * the policies that dropped checkpoints there, a JSON array of names; no bytes: not known. */
int64_t ck_pruned_list_get(const ck_pruned_list *self, const char *id, ck_bytes *by);

#endif
