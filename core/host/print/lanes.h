/* lanes.h - draws a tree beside its rows, newest first, as `git log --graph` does. */
#ifndef CK_HOST_PRINT_LANES_H
#define CK_HOST_PRINT_LANES_H

#include "core/base/buffer.h"

enum { CK_LANES_DRAWN = 12 }; /* lanes further to the right are drawn as one "…" */

/* Each lane waits for the node that its line leads down to; 0: the lane is free. Nodes are numbers
 * from 1 and come in descending order, a parent's number is lower than its children's. */
typedef struct ck_lanes {
  int64_t *waits;
  size_t count, cap;
  bool failed; /* for want of memory: nothing more is drawn */
} ck_lanes;

/* Zero-initialise. Keeps the first lane for a node, so that its line is the leftmost. */
void ck_lanes_keep(ck_lanes *self, int64_t node);
/* Of a node at which several lines meet: appends the row above it that joins them. False: one line
 * at most leads to it. */
bool ck_lanes_join(ck_buffer *out, ck_lanes *self, int64_t node);
/* Appends the row of a node: `mark`, one column wide, in its lane, which then waits for `parent`
 * (0: the tree begins here). Lines that meet at it were joined before. */
void ck_lanes_draw(ck_buffer *out, ck_lanes *self, int64_t node, int64_t parent, const char *mark);
void ck_lanes_clear(ck_lanes *self);

#endif
