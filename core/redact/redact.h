/* redact.h - the one place everything passes on its way to the store, a log, a terminal or an export.
 *
 * The rules (known secrets, key names, token shapes) come with the redaction issue; until then every item passes
 * unchanged. Callers are written for a redactor that does change, drop or refuse. */
#ifndef CK_REDACT_REDACT_H
#define CK_REDACT_REDACT_H

#include "core/model/state.h"

typedef struct ck_redactor ck_redactor;

/* Where an item is going; rules may differ. */
typedef enum { CK_SINK_STATE, CK_SINK_EVENT, CK_SINK_REQUEST, CK_SINK_LOG, CK_SINK_TERMINAL, CK_SINK_EXPORT } ck_sink;

CK_CHECKED ck_status ck_redactor_new(ck_redactor **out, ck_error *err);
void ck_redactor_free(ck_redactor *self);

/* `*out` is what may be kept of `value` under `key` (NULL for events): the same value shared when nothing was found,
 * NULL when it must be dropped. Owned by the caller. */
CK_CHECKED ck_status ck_redactor_apply(ck_value **out, ck_redactor *self, ck_sink sink, const char *key,
                                       const ck_value *value, ck_error *err);
/* The same for plain text on its way to a person; appends to `out`. */
CK_CHECKED ck_status ck_redactor_apply_text(ck_buffer *out, ck_redactor *self, ck_sink sink, ck_bytes text, ck_error *err);

#endif
