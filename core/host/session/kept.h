/* kept.h - the files that a run of a stored session executed, as the store knows them. */
#ifndef CK_HOST_SESSION_KEPT_H
#define CK_HOST_SESSION_KEPT_H

#include "core/base/digest.h"
#include "core/model/script.h"
#include "core/store/store.h"

typedef struct ck_kept_file {
  const char *kind;   /* as in ck_script */
  char *asked, *file; /* its names; file: for people */
  char digest[CK_DIGEST_HEX_SIZE];
  bool shipped;  /* with the program that ran it */
  bool withheld; /* it held a secret */
} ck_kept_file;

/* Zero-initialise. In the order in which the run asked for them. */
typedef struct ck_kept_files {
  ck_kept_file *list;
  size_t count;
} ck_kept_files;
void ck_kept_files_clear(ck_kept_files *self);
/* As in ck_script, of a JSON string; NULL: it is no kind of file. */
const char *ck_kept_kind(ck_bytes name);

/* Of the newest run that `timeline` can be: itself, or the ones before it; 0: of the newest. Empty:
 * no run of the session recorded its files. CK_E_CORRUPT. */
CK_CHECKED ck_status ck_kept_files_read(ck_kept_files *out, ck_store *store, const ck_head *head,
                                        int64_t timeline, ck_error *err);
/* Appends a file's text. CK_E_NOT_FOUND, CK_E_CORRUPT, …: named. */
CK_CHECKED ck_status ck_kept_files_get_text(ck_buffer *out, ck_store *store,
                                            const ck_kept_file *file, ck_error *err);

#endif
