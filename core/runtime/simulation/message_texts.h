/* message_texts.h - the texts of last messages that were recorded without, out of the transcript.
 */
#ifndef CK_RUNTIME_SIMULATION_MESSAGE_TEXTS_H
#define CK_RUNTIME_SIMULATION_MESSAGE_TEXTS_H

#include "core/runtime/simulation/shown_as.h"
#include "core/store/store.h"

/* One place in a session where policies were shown a message. */
typedef struct ck_message_place {
  int64_t timeline, seq;     /* of its event: what came before counts */
  const char *scope;         /* borrowed */
  ck_shown_message *message; /* borrowed */
} ck_message_place;

/* Completes those that lack their text: of one that the transcript does not tell they still do.
 * `list` ascends by seq. */
CK_CHECKED ck_status ck_message_texts_find(const ck_message_place *list, size_t count,
                                           ck_store *store, const ck_head *head, ck_error *err);

#endif
