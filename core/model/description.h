/* description.h - a checkpoint in words: one line for people, from its kind and where it lies. */
#ifndef CK_MODEL_DESCRIPTION_H
#define CK_MODEL_DESCRIPTION_H

#include "core/base/buffer.h"
#include "core/model/checkpoint.h"

/* What a checkpoint is made of, as far as it is known. Borrowed. */
typedef struct ck_described {
  ck_boundary_kind kind;
  const char *node, *next, *agent; /* NULL: none */
  const char *tool;                /* that is called next; NULL: none, or not known */
  const char *error;               /* what has failed before it; NULL: nothing */
  const char *reason;              /* why the run ends here; NULL: not known */
  int64_t number, of;              /* which round, turn or visit, and of how many; 0: not known */
} ck_described;

/* "completed collector", "before publish (visit 2)", "round 3 of 5 completed", "paused:
 * user_requested". The keys of effects are left out of errors and reasons: the node says where it
 * was. */
void ck_description_append(ck_buffer *out, const ck_described *what);
/* Of a stored checkpoint: what it was described as, or what can be said of it by its kind and info
 * (JSON, may be NULL), when it is of a version that described none. */
void ck_description_append_stored(ck_buffer *out, ck_boundary_kind kind, const ck_value *info);
/* It was made by a version that describes checkpoints. */
bool ck_description_is_stored(const ck_value *info);

#endif
