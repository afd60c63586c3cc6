/* name.h - what a server calls a tool, and what a model can call it.
 *
 * A server's name may have any characters. Providers of models take letters, digits, '_' and '-',
 * at most 64 of them, and refuse the whole request otherwise. So a tool is offered as {"name": for
 * models, "called": the server's own, when it is another}, and a request for it has both. */
#ifndef CK_EFFECT_MCP_NAME_H
#define CK_EFFECT_MCP_NAME_H

#include "core/base/json.h"
#include "core/model/effect.h"

enum { CK_MCP_NAME_MAX = 64 };

/* Adds the members; `name` is a JSON string. */
void ck_mcp_put_names(ck_json_writer *w, ck_bytes name);
/* False for one that cannot be handed through a flow: it holds quotes, backslashes or control
 * characters. */
bool ck_mcp_name_is_usable(ck_bytes name);
/* As a request has it: the server's own name, a JSON string. */
ck_bytes ck_mcp_name_of(const ck_effect *effect);

#endif
