/* bound.h - what goes out to a client of `ckrun mcp` has a limit, whatever a session stored. */
#ifndef CK_HOST_MCP_BOUND_H
#define CK_HOST_MCP_BOUND_H

#include "core/base/json.h"

enum { CK_MCP_RESULT_MAX = 1 << 20 }; /* bytes of a result */

/* Appends `json`, a document of a line, with its long texts cut as far as the limit needs it
 * (*cut): "[… N more bytes]" stands at their ends. CK_E_REFUSED: it is longer in any case. */
CK_CHECKED ck_status ck_mcp_bound(ck_buffer *out, bool *cut, ck_bytes json, ck_error *err);

#endif
