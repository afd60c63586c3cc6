/* line.h - a document as it leaves the store: one line, redacted once more. */
#ifndef CK_RUNTIME_PORTABLE_LINE_H
#define CK_RUNTIME_PORTABLE_LINE_H

#include "core/redact/redact.h"

CK_CHECKED ck_status ck_portable_append_line(ck_buffer *out, ck_redactor *redactor,
                                             const ck_value *document, ck_error *err);

#endif
