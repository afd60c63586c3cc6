/* carried.h - what documents of loops and workflows have in common: their version, whose run they
 * are of, and what it had spent.
 *
 *   "schema_version": 1, "run_id", "parent_run_id"?, "total_usage": {"input_tokens",
 *   "output_tokens", "model_calls"?, "cost_usd"?}, "tool_calls_count", "checkpoint_ms"
 *
 * Usage is cumulative: that of the run and of all that it goes on from. */
#ifndef CK_RUNTIME_PORTABLE_CARRIED_H
#define CK_RUNTIME_PORTABLE_CARRIED_H

#include "core/base/json.h"
#include "core/model/session.h"
#include "core/store/store.h"

enum { CK_CARRIED_VERSION = 1 };

typedef struct ck_carried {
  char run[CK_ID_SIZE]; /* "": the document has none that could be an id of ours */
  ck_totals totals;
} ck_carried;

/* CK_E_UNSUPPORTED names both numbers when the document is of a newer schema. */
CK_CHECKED ck_status ck_carried_check_version(ck_bytes document, ck_error *err);
/* Everything but the version and checkpoint_ms. `required`: the members are. CK_E_PARSE names the
 * field. */
CK_CHECKED ck_status ck_carried_read(ck_carried *out, ck_bytes document, bool required,
                                     ck_error *err);
/* run_id and parent_run_id of the run of a timeline. */
void ck_carried_write_run(ck_json_writer *w, const ck_head *head, int64_t timeline);
/* total_usage and tool_calls_count. */
void ck_carried_write_usage(ck_json_writer *w, const ck_totals *totals);

#endif
