/* report_document.h - what tuning came to, as JSON. */
#ifndef CK_HOST_TUNE_REPORT_DOCUMENT_H
#define CK_HOST_TUNE_REPORT_DOCUMENT_H

#include "core/host/tune/report.h"

CK_CHECKED ck_status ck_tune_report_print_document(const ck_tune_report *self, ck_output *output,
                                                   ck_error *err);

#endif
