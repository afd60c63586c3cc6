/* not_begun.h - why workers have not begun a session of their queue, as it is shown. */
#ifndef CK_HOST_INSPECT_NOT_BEGUN_H
#define CK_HOST_INSPECT_NOT_BEGUN_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/store/refusal.h"

/* Adds "not_begun": [{at, by, why}], the newest first; nothing where nobody has said why. */
void ck_not_begun_put(ck_document *document, const ck_refusals *self);
/* A row for each. */
void ck_not_begun_put_rows(ck_table *table, const ck_refusals *self);
/* Appends "not begun by WORKER, 3 min ago: WHY". */
void ck_not_begun_append(ck_buffer *out, const ck_refusal *of);

#endif
