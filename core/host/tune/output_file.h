/* output_file.h - the file that a tuned profile is written to. */
#ifndef CK_HOST_TUNE_OUTPUT_FILE_H
#define CK_HOST_TUNE_OUTPUT_FILE_H

#include <stdbool.h>

#include "core/base/error.h"

/* Its folder's real path, malloc'd. CK_E_EXISTS: the file is there, and `force` does not say that
 * it may be replaced. CK_E_REFUSED: this process has read it as a profile or policy, or works with
 * it. CK_E_NOT_FOUND, CK_E_IO: the folder is not there. */
CK_CHECKED ck_status ck_tune_output_check(char **folder, const char *file, bool force,
                                          ck_error *err);

#endif
