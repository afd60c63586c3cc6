/* import_recordings.h - makes sessions of what other programs recorded. */
#ifndef CK_HOST_RUN_IMPORT_RECORDINGS_H
#define CK_HOST_RUN_IMPORT_RECORDINGS_H

#include "core/host/cli/command.h"

typedef struct ck_import_recordings_options {
  ck_words files;
  const char *format;  /* as ck_import_read_file; NULL: told from the file */
  const char *session; /* the id of the first session; NULL: made from the source's */
  const char *profile; /* whose secrets and policies mask; NULL: nobody's */
  bool partial;        /* what cannot be read of a file is left out; otherwise all of the file is */
} ck_import_recordings_options;
/* Prints what was imported. A file that is refused does not stop the others; the first failure is
 * returned, the others are told. CK_E_PARSE: the first place that cannot be read, or a session
 * without events; nothing of that file was imported. CK_E_FAILED: parts were left out. CK_E_EXISTS:
 * nothing is new. */
CK_CHECKED ck_status ck_import_recordings(ck_host *host,
                                          const ck_import_recordings_options *options,
                                          ck_error *err);

#endif
