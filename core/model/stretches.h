/* stretches.h - the ranges of a transcript in which events of some kinds lie: few of them, so that
 * whoever looks for such events leaves out most of what lies between. */
#ifndef CK_MODEL_STRETCHES_H
#define CK_MODEL_STRETCHES_H

#include "core/base/json.h"

enum {
  CK_STRETCHES_MAX = 24, /* beyond it the two that are nearest to each other become one */
  CK_STRETCHES_GAP = 64  /* events: nearer ones are of the same stretch */
};

typedef struct ck_stretch {
  int64_t first, last; /* seqs */
} ck_stretch;

/* Ascending, disjoint. Zero-initialise: there are no such events. */
typedef struct ck_stretches {
  ck_stretch list[CK_STRETCHES_MAX];
  size_t count;
} ck_stretches;

/* Such an event; ascending by seq. The same ones make the same stretches. */
void ck_stretches_take(ck_stretches *self, int64_t seq);
/* As a JSON array, with a check of its own. */
void ck_stretches_write(ck_json_writer *w, const ck_stretches *self);
/* False: not written by ck_stretches_write. */
bool ck_stretches_read(ck_stretches *out, ck_bytes json);

#endif
