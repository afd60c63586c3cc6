/* verdicts.h - what policies have said of effects in doubt, which was done then. */
#ifndef CK_HOST_INSPECT_VERDICTS_H
#define CK_HOST_INSPECT_VERDICTS_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/model/event.h"

/* Zero-initialise; ck_verdicts_clear. */
typedef struct ck_verdicts {
  struct ck_verdict_said *list; /* owned; in order of time */
  size_t count, cap;
} ck_verdicts;
void ck_verdicts_clear(ck_verdicts *self);

/* Adds what an event of CK_EVENT_RESOLUTION says. */
CK_CHECKED ck_status ck_verdicts_take(ck_verdicts *self, const ck_event *event, ck_error *err);
/* Adds settled, a list of {effect, verdict, policy}. */
void ck_verdicts_put(ck_document *document, const ck_verdicts *self);
/* A row "settled" for each. */
void ck_verdicts_put_rows(ck_table *table, const ck_verdicts *self);

#endif
