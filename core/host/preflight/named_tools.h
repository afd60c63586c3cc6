/* named_tools.h - finds tools that options of policies name and that the flow does not have. */
#ifndef CK_HOST_PREFLIGHT_NAMED_TOOLS_H
#define CK_HOST_PREFLIGHT_NAMED_TOOLS_H

#include "core/base/buffer.h"
#include "core/model/value.h"
#include "core/runtime/session/flow_manifest.h"

/* Appends a sentence with a NUL behind it for each tool that is named and is not there, of the
 * options `tools`, `tool`, those that end so, and `risky`, which names nodes, too. A word that can
 * be a pattern names none. Nothing where the flow's tools are known only as it runs: it is written
 * by hand, or has servers or agent processes. `described`: as ck_policy_describe makes it, with
 * options. */
CK_CHECKED ck_status ck_named_tools_find(ck_buffer *out, const ck_value *described,
                                         const ck_flow_manifest *flow, ck_error *err);

#endif
