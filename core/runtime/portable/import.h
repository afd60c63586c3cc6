/* import.h - writes a session that ran elsewhere: its facts become events as they would be after
 * a run of ckrun.
 *
 *   message            message {message}
 *   model              outcome {key "import/<agent>/model/<n>", kind "model", status, via "import",
 *                      cost, tokens, message}
 *   tool_call          intent  {key "import/<agent>/tool/<n>", kind "tool", class "once", request
 *                      {name, call_id?, arguments}}
 *   tool_result        outcome under the key of its call, with the message for the model
 *   delegation         delegation {id?, target, childAgentId, message}
 *   delegation_result  note {type "delegation_result", id?, childAgentId, status, message |
 *                      content}
 *   all others         note {type, data}
 *
 * `source` of each body is its line or element of the file. Times are the source's own;
 * 0 where it has none. A cost of -1: no price. Boundaries are where an agent loop
 * would have reached them, with what was spent so far: tool_round behind the last result of the
 * calls of one reply, round_complete behind the result of a delegation that no reply made,
 * loop_iteration behind a reply that calls nothing. No checkpoint is made. Agents without a parent
 * share the scope "main"; others have a scope of their own name.
 *
 * A session appears whole or not at all. */
#ifndef CK_RUNTIME_PORTABLE_IMPORT_H
#define CK_RUNTIME_PORTABLE_IMPORT_H

#include "core/model/import.h"
#include "core/redact/redact.h"
#include "core/runtime/session/policy.h"
#include "core/store/store.h"

typedef struct ck_import ck_import;

/* Where a session comes from. Borrowed for the call. */
typedef struct ck_import_origin {
  const char *format, *path;
  const ck_import_fact *session; /* its first fact */
} ck_import_origin;

/* "imported_<format>_<8 hex>": the same for the same source id. Characters of the format that no id
 * may have become '_'. */
void ck_import_make_id(char out[CK_ID_SIZE], const char *format, const char *source_id);

CK_CHECKED ck_status ck_import_begin(ck_import **out, const char *id,
                                     const ck_import_origin *origin, ck_error *err);
/* CK_E_TYPE: the fact lacks what its kind needs. */
CK_CHECKED ck_status ck_import_apply(ck_import *self, const ck_import_fact *fact, ck_error *err);

/* How many facts of it are events; agents alone are none. */
size_t ck_import_count(const ck_import *self);

/* What `redact` of these policies masks is not written: borrowed until the end; NULL: nobody is
 * asked. */
void ck_import_set_policies(ck_import *self, const ck_policy_engine *policies);

/* What was written. */
typedef struct ck_import_report {
  int64_t events, boundaries; /* events: all of them, boundaries included */
  int64_t agents, delegations, model_calls;
  int64_t tool_calls; /* those that have a result, as the totals of any session count them */
  bool priced;        /* the source has costs: of calls, or of the whole session */
  int64_t cost_micros;
  int64_t input_tokens, output_tokens;
  int64_t first_ms, last_ms; /* 0: the source has no times */
  ck_session_status status;
} ck_import_report;
/* Writes all of it; every body passes `redactor`, and the policies behind its rules. CK_E_EXISTS:
 * the id is taken; nothing was changed. CK_E_REFUSED: its id, or the name of an agent, is one that
 * the policies mask. A policy that fails ends it; nothing is written then. */
CK_CHECKED ck_status ck_import_end(ck_import_report *out, ck_import *self, ck_store *store,
                                   ck_redactor *redactor, ck_error *err);
void ck_import_free(ck_import *self);

#endif
