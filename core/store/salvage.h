/* salvage.h - what can be read of a store whose write-ahead log was damaged. */
#ifndef CK_STORE_SALVAGE_H
#define CK_STORE_SALVAGE_H

#include "core/store/store.h"

/* Of the log beside the file. A frame is a page that a commit changed. */
typedef struct ck_salvage_report {
  bool log_gone;       /* it is not there, or its header cannot be read, although it held commits */
  bool other_log;      /* it is of another file, and nothing of it is in the copy, which is whole */
  int64_t frames;      /* that were read and are in the copy */
  int64_t commits;     /* that these are */
  int64_t mended_bits; /* found by the checksums, and set right in the copy */
  int64_t cut_frames;  /* that were synced and cannot be read, or follow one that cannot */
  int64_t cut_commits; /* of these, as far as it can be told */
} ck_salvage_report;

/* Copies what can be read of the store at `url` into a new store, the file `to`; the store itself
 * is left as it is. No session may be run in it meanwhile. CK_E_UNSUPPORTED: not a file;
 * CK_E_EXISTS: `to` is; CK_E_NOT_FOUND, CK_E_FULL, CK_E_IO, CK_E_BUSY. */
CK_CHECKED ck_status ck_store_salvage(ck_salvage_report *out, const char *url, const char *to,
                                      ck_error *err);

/* ck_store_salvage for a store of SQLite's; both are paths. */
CK_CHECKED ck_status ck_sqlite_salvage(ck_salvage_report *out, const char *path, const char *to,
                                       ck_error *err);

#endif
