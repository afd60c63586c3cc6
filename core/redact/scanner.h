/* scanner.h - plain text that arrives in pieces, cut anywhere: the output of a tool, a log. */
#ifndef CK_REDACT_SCANNER_H
#define CK_REDACT_SCANNER_H

#include "core/redact/redact.h"

/* The output of all pushes and the finish equals that of ck_redactor_apply_text for the whole text,
 * but for a token that touches a known secret, which it alone recognises behind the placeholder.
 * Text that could still be part of a secret is held back: as long as the longest encoded known
 * secret, or until a token ends (at most CK_SCANNER_HOLD bytes then). */
typedef struct ck_scanner ck_scanner;
enum { CK_SCANNER_HOLD = 1 << 17 };

/* Borrows `redactor`, which must outlive the scanner. Secrets added later are found from the next
 * push on. */
CK_CHECKED ck_status ck_scanner_new(ck_scanner **out, ck_redactor *redactor, ck_error *err);
void ck_scanner_free(ck_scanner *self);
/* Appends what is safe to show. On a failure nothing more may be shown. */
CK_CHECKED ck_status ck_scanner_push(ck_buffer *out, ck_scanner *self, ck_bytes text,
                                     ck_error *err);
/* Appends the rest; the scanner can then be used for another text. */
CK_CHECKED ck_status ck_scanner_finish(ck_buffer *out, ck_scanner *self, ck_error *err);

#endif
