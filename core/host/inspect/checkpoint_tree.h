/* checkpoint_tree.h - the checkpoints of a session as a tree, newest first. */
#ifndef CK_HOST_INSPECT_CHECKPOINT_TREE_H
#define CK_HOST_INSPECT_CHECKPOINT_TREE_H

#include "core/host/inspect/inspect.h"
#include "core/host/inspect/lineage.h"

/* Zero-initialise; set output, inspection and view. */
typedef struct ck_checkpoint_tree {
  ck_output *output;
  const ck_inspection *inspection;
  const ck_view *view;      /* of the live timeline: what it does not have was left behind */
  struct ck_tree_row *rows; /* owned; ascending by seq */
  size_t count, cap, shown;
} ck_checkpoint_tree;

/* Copies a checkpoint; they come ascending by seq, all of the session. `shown`: it has a row of its
 * own, and is not only a knot that the lines of others go through. */
CK_CHECKED ck_status ck_checkpoint_tree_add(ck_checkpoint_tree *self,
                                            const ck_checkpoint_info *checkpoint, bool shown,
                                            ck_error *err);
/* Prints the rows, newest first, no more than `limit` (0: all): the line that the session goes on
 * along at the left, pins, forks and branches that were left as such; per row the short id, kind,
 * node or agent, dollars so far, reasons of policies. */
CK_CHECKED ck_status ck_checkpoint_tree_print(ck_checkpoint_tree *self, int64_t limit,
                                              ck_error *err);
/* Of a session with few checkpoints: how many boundaries there were without one, and what that
 * means. */
CK_CHECKED ck_status ck_checkpoint_tree_tell_rest(const ck_checkpoint_tree *self, ck_error *err);
void ck_checkpoint_tree_clear(ck_checkpoint_tree *self);

#endif
