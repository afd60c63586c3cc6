/* coverage.h - prints which lines and branches of policies their tests reach. */
#ifndef CK_HOST_PRINT_COVERAGE_H
#define CK_HOST_PRINT_COVERAGE_H

#include "core/host/print/output.h"

/* `parts`: as ck_coverage_write has them. For people each is a comment of TAP with what is missing
 * below it; with --json a line. */
CK_CHECKED ck_status ck_coverage_print(ck_output *output, ck_bytes parts, ck_error *err);

#endif
