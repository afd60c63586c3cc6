/* verdicts.h - what policies have said of effects in doubt, which was done then. */
#ifndef CK_HOST_INSPECT_VERDICTS_H
#define CK_HOST_INSPECT_VERDICTS_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/store/store.h"

/* Zero-initialise; ck_verdicts_clear. */
typedef struct ck_verdicts {
  struct ck_verdict_said *list; /* owned; in order of time */
  size_t count;
} ck_verdicts;
void ck_verdicts_clear(ck_verdicts *self);

/* Of all timelines of the session, those that it was forked from left out. */
CK_CHECKED ck_status ck_verdicts_read(ck_verdicts *out, ck_store *store, const ck_head *head,
                                      ck_error *err);
/* Adds settled, a list of {effect, verdict, policy}. */
void ck_verdicts_put(ck_document *document, const ck_verdicts *self);
/* A row "settled" for each. */
void ck_verdicts_put_rows(ck_table *table, const ck_verdicts *self);

#endif
