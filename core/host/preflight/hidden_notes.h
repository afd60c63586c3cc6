/* hidden_notes.h - what redact hooks hide of what permit hooks ask and decide by, one note for each
 * pair of policies. */
#ifndef CK_HOST_PREFLIGHT_HIDDEN_NOTES_H
#define CK_HOST_PREFLIGHT_HIDDEN_NOTES_H

#include <stddef.h>

#include "core/base/buffer.h"

typedef enum ck_hidden_from {
  CK_HIDDEN_FROM_PERSON, /* who is asked does not see it */
  CK_HIDDEN_FROM_POLICY, /* which answers otherwise when it is asked about what was stored */
  CK_HIDDEN_FROM_COUNT,
} ck_hidden_from;

enum { CK_HIDDEN_ARGUMENTS = 32 };

typedef struct ck_hidden_pair ck_hidden_pair;

/* Begins as {0}. */
typedef struct ck_hidden_notes {
  ck_hidden_pair *list;
  size_t count, cap;
} ck_hidden_notes;

/* One thing that was seen, by a call that was tried. Argument and sample are borrowed until the
 * notes are written. */
typedef struct ck_hidden_seen {
  int masking;         /* the place of the policy that masks */
  const char *permits; /* whose answer it is, separated by ", " */
  ck_hidden_from from;
  const char *argument; /* NULL: one of no policy's file, so that it is seen of any argument */
  const char *sample;   /* what was masked; NULL: nothing to be printed */
} ck_hidden_seen;

void ck_hidden_notes_clear(ck_hidden_notes *self);

/* False: out of memory. */
bool ck_hidden_notes_add(ck_hidden_notes *self, const ck_hidden_seen *seen);

/* Each note with a NUL behind it. `described`: the engine's list, as ck_policy_describe makes it.
 */
void ck_hidden_notes_write(ck_buffer *out, const ck_hidden_notes *self, ck_bytes described);

#endif
