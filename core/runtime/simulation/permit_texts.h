/* permit_texts.h - the last messages that permit was shown, with the texts that it would be shown
 * under another profile. */
#ifndef CK_RUNTIME_SIMULATION_PERMIT_TEXTS_H
#define CK_RUNTIME_SIMULATION_PERMIT_TEXTS_H

#include "core/runtime/simulation/shown_as.h"
#include "core/store/store.h"

typedef struct ck_permit_text {
  int64_t seq, timeline; /* of the event that has the message */
  char *scope;
  ck_shown_message message;
} ck_permit_text;

/* Zero-initialise. */
typedef struct ck_permit_texts {
  ck_permit_text *list; /* ascending by seq */
  size_t count, cap;
} ck_permit_texts;
void ck_permit_texts_clear(ck_permit_texts *self);

/* Where the place of an effect is told: an object with last_message; no bytes: nowhere. */
ck_bytes ck_permit_place_of(const ck_event *event);

/* Of all effects of the session. They are read from the transcript only where `as` shows texts. */
CK_CHECKED ck_status ck_permit_texts_read(ck_permit_texts *out, ck_store *store,
                                          const ck_head *head, const ck_shown_as *as,
                                          ck_error *err);
/* Borrowed; NULL: nothing was shown there. */
const ck_shown_message *ck_permit_texts_get(const ck_permit_texts *self, int64_t seq);

#endif
