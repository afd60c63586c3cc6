/* marks.h - the explorations that models have begun with checkpoint and not yet ended with
 * rewind. */
#ifndef CK_HOST_INSPECT_MARKS_H
#define CK_HOST_INSPECT_MARKS_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/store/store.h"

/* Zero-initialise; ck_marks_clear. */
typedef struct ck_marks {
  struct ck_mark *list; /* owned */
  size_t count;
} ck_marks;
void ck_marks_clear(ck_marks *self);

/* The active marks at the checkpoint that the session would be resumed from. A state that cannot be
 * read shows none. */
CK_CHECKED ck_status ck_marks_read(ck_marks *out, ck_store *store, const ck_head *head,
                                   ck_error *err);
/* Adds marks, a list of {scope, agent?, goal, startedAt}. */
void ck_marks_put(ck_document *document, const ck_marks *self);
/* A row "mark" for each: its goal, since when, and in which scope. */
void ck_marks_put_rows(ck_table *table, const ck_marks *self);

#endif
