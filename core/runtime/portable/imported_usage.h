/* imported_usage.h - what the source of an imported session tells of all its calls together, where
 * it tells nothing of each. */
#ifndef CK_RUNTIME_PORTABLE_IMPORTED_USAGE_H
#define CK_RUNTIME_PORTABLE_IMPORTED_USAGE_H

#include "core/store/store.h"

typedef struct ck_imported_usage {
  int64_t cost_micros;                 /* -1: none */
  int64_t input_tokens, output_tokens; /* 0: none */
} ck_imported_usage;

/* Of a session that was not imported there is none. */
void ck_imported_usage_read(ck_imported_usage *out, const ck_session_record *session);
/* Each event of the session: where an imported call tells its own part, the whole counts no more.
 */
void ck_imported_usage_meet(ck_imported_usage *self, const ck_event *event);

#endif
