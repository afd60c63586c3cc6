/* saving.h - the state of saving a session, as it is shown: whether it fails at present, and how
 * often it has. */
#ifndef CK_HOST_SESSION_SAVING_H
#define CK_HOST_SESSION_SAVING_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/store/maintenance.h"

typedef struct ck_saving_view {
  char fault[CK_STORE_FAULT_MAX]; /* why it fails at present; "": it does not, as far as is known */
  int64_t times, late;            /* how often it failed for a while; checkpoints that were late */
  bool lost;                      /* a run has ended with the following unsaved: */
  int64_t unsaved, events;        /* checkpoints and events */
} ck_saving_view;

/* Adds what an event of CK_EVENT_SAVING says. */
void ck_saving_take(ck_saving_view *self, const ck_event *event);
/* Adds an object "saving". */
void ck_saving_put(ck_document *document, const ck_saving_view *self);
/* Adds a row "saving"; nothing when no save ever failed. */
void ck_saving_put_row(ck_table *table, const ck_saving_view *self);
/* Appends "3 checkpoints". */
void ck_saving_append_count(ck_buffer *out, int64_t checkpoints);

#endif
