/* spill_file.h - reads and replaces one long output, sealed or not, a window at a time: whatever
 * its size, the memory is the same. */
#ifndef CK_HOST_RUN_SPILL_FILE_H
#define CK_HOST_RUN_SPILL_FILE_H

#include "core/base/buffer.h"
#include "core/base/shelf.h"

/* One of a shelf. `key`: of ck_store_fingerprint_key; NULL: a store without a key, whose long
 * outputs are not sealed. */
typedef struct ck_spill_file {
  const ck_shelf *shelf;
  const char *name;
  const uint8_t *key;
} ck_spill_file;

/* Visits its text from its beginning, in parts of at most a megabyte, borrowed for the call;
 * *sealed: whether it was. What was visited counts when CK_OK is returned. CK_E_CORRUPT: it was
 * changed, or has another key; CK_E_IO; the visitor's failures. */
typedef ck_status (*ck_spill_file_visit)(void *to, ck_bytes part, ck_error *err);
CK_CHECKED ck_status ck_spill_file_walk(bool *sealed, const ck_spill_file *self,
                                        ck_spill_file_visit visit, void *to, ck_error *err);
/* Reads it to its end, and keeps nothing. */
CK_CHECKED ck_status ck_spill_file_check(bool *sealed, const ck_spill_file *self, ck_error *err);
/* Appends all of it. */
CK_CHECKED ck_status ck_spill_file_read(ck_buffer *out, bool *sealed, const ck_spill_file *self,
                                        ck_error *err);

/* One that is written beside others, in parts, sealed with the key and bound to `self->name`. */
typedef struct ck_spill_draft ck_spill_draft;
/* Under the name `draft`. CK_E_FULL, CK_E_IO. */
CK_CHECKED ck_status ck_spill_draft_open(ck_spill_draft **out, const ck_spill_file *self,
                                         const char *draft, ck_error *err);
CK_CHECKED ck_status ck_spill_draft_append(ck_spill_draft *self, ck_bytes part, ck_error *err);
/* Synced, it takes the place of `as`. Frees it. CK_E_FULL, CK_E_IO: what was there is as it was. */
CK_CHECKED ck_status ck_spill_draft_end(ck_spill_draft *self, const char *as, ck_error *err);
/* Frees, and removes it. NULL is fine. */
void ck_spill_draft_drop(ck_spill_draft *self);

#endif
