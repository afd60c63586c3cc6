/* fixture.h - recorded boundaries as tables with the fields of their views, as tests take them. */
#ifndef CK_LUA_POLICY_TOOL_FIXTURE_H
#define CK_LUA_POLICY_TOOL_FIXTURE_H

#include "lua/policy_tool/policy_tool.h"

/* Appends a JSON array of the session's boundaries, in order. `session` is "ID", or "ID#SEQ" of the
 * one whose event that is. CK_E_NOT_FOUND: there is no such boundary, no such session, or nothing
 * to read it from (`fixtures` NULL). CK_E_RANGE: what is behind # is no number. */
CK_CHECKED ck_status ck_fixture_append(ck_buffer *out, const ck_policy_tool_fixtures *fixtures,
                                       const char *session, ck_error *err);

#endif
