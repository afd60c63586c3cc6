/* flow_statement.h - what a signature of a flow is over: the flow with its modules, its profile,
 * its policies and their options, each file by the digest of its text.
 *
 *   {"ckrun_flow": 1, "runs": {"flow": NAME, "profile"?: NAME, "policies"?: [NAME, …],
 *    "options"?: [POLICY.KEY=VALUE, …], "files": [{kind, asked, file, digest}, …]},
 *    "signed_ms": N, "expires_ms"?: N}
 *
 * Files are named as they lie to each other, below the folder that they have in common, so that a
 * signature holds wherever that lies; what ships with ckrun is named alone, and is the worker's. */
#ifndef CK_HOST_RUN_FLOW_STATEMENT_H
#define CK_HOST_RUN_FLOW_STATEMENT_H

#include "core/host/run/settings.h"
#include "core/model/script.h"

enum { CK_FLOW_STATEMENT_FORM = 1 };

/* Appends the member "runs" of what was loaded; all borrowed. `profile`: as it was asked for; NULL:
 * the default one. */
typedef struct ck_flow_parts {
  const ck_scripts *scripts;
  const char *profile;
  const ck_settings_words *settings;
} ck_flow_parts;
CK_CHECKED ck_status ck_flow_statement_runs(ck_buffer *out, const ck_flow_parts *parts,
                                            ck_error *err);

#endif
