/* name.h - the server's name of a tool, and the name that models call it by.
 *
 * A server's name may have any characters. Providers of models take letters, digits, '_' and '-',
 * at most 64 of them, and refuse the whole request otherwise. So a tool is offered as {"name": for
 * models, "called": the server's own, when the two differ}, and a request for it has both. */
#ifndef CK_EFFECT_MCP_NAME_H
#define CK_EFFECT_MCP_NAME_H

#include "core/base/json.h"
#include "core/model/effect.h"

enum { CK_MCP_NAME_MAX = 64 };

/* Adds the members; `name` is a JSON string. */
void ck_mcp_put_names(ck_json_writer *w, ck_bytes name);
/* False for a name that cannot pass through a flow: it has quotes, backslashes or control
 * characters. */
bool ck_mcp_name_is_usable(ck_bytes name);
/* The server's own name in a request, a JSON string. */
ck_bytes ck_mcp_name_of(const ck_effect *effect);

#endif
