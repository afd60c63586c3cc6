/* spill_file.h - reads and replaces one file of long output, sealed or not. */
#ifndef CK_HOST_RUN_SPILL_FILE_H
#define CK_HOST_RUN_SPILL_FILE_H

#include "core/base/buffer.h"

/* One file of a folder. `key`: of ck_store_fingerprint_key; NULL: a store without a key, whose
 * files are not sealed. */
typedef struct ck_spill_file {
  const char *folder, *name;
  const uint8_t *key;
} ck_spill_file;

/* Appends its text; *sealed: whether it was. CK_E_CORRUPT: it was changed, or has another key;
 * CK_E_IO. */
CK_CHECKED ck_status ck_spill_file_read(ck_buffer *out, bool *sealed, const ck_spill_file *self,
                                        ck_error *err);
/* Puts a file with that text, sealed with the key, under the name `as` of the folder; first under
 * the name `draft`, synced. CK_E_FULL, CK_E_IO: what was there is as it was. */
CK_CHECKED ck_status ck_spill_file_put(const ck_spill_file *self, const char *draft, const char *as,
                                       ck_bytes text, ck_error *err);
CK_CHECKED ck_status ck_spill_file_sync_folder(const char *folder, ck_error *err);

#endif
