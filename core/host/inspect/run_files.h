/* run_files.h - prints the files that a run of a session executed. */
#ifndef CK_HOST_INSPECT_RUN_FILES_H
#define CK_HOST_INSPECT_RUN_FILES_H

#include "core/host/inspect/inspect.h"

/* Of the run that a timeline belongs to, as ck_kept_read. `file` NULL: a row for each; with --json
 * an object for each, with its text. Else the text of that one, by its path, the path's end, or the
 * beginning of its digest. CK_E_NOT_FOUND names those that there are; CK_E_USAGE: several are
 * meant. CK_E_CORRUPT. */
CK_CHECKED ck_status ck_run_files_print(ck_output *output, const ck_inspection *inspection,
                                        int64_t timeline, const char *file, ck_error *err);

#endif
