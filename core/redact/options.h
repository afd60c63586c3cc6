/* options.h - the options of a policy, redacted for the record: a list of names that the policy
 * masks is not to stand in what is told of the policy itself. */
#ifndef CK_REDACT_OPTIONS_H
#define CK_REDACT_OPTIONS_H

#include "core/redact/redact.h"

/* `*out` is `options`, a JSON object, with what the rules and the hook leave of each: the hook is
 * asked about the key options.NAME. What is to be dropped becomes a placeholder. Shared when
 * nothing was found. */
CK_CHECKED ck_status ck_redactor_apply_options(ck_value **out, ck_redactor *self,
                                               const ck_value *options, ck_error *err);

#endif
