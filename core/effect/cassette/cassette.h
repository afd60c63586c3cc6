/* cassette.h - a recorded trajectory, and the driver that answers effects from it.
 *
 * A cassette file is JSON lines: a header {"cassette":1, "prompt"?, "tools"?}, then per scope in
 * order
 *   {"scope", "kind":"ask",   "answer"}
 *   {"scope", "kind":"model", "message", "usage"?, "cost_micros"?, "reserved_micros"?, "cut"?,
 *                             "refusal"?, "goes_on"?, "note"?, "request_digest"?}
 *   {"scope", "kind":"tool",  "index", "name", "arguments", "result", "is_error"?,
 *                             "tools_changed"?}  a call of the message before
 *   {"scope", "kind":"tool",  "request", "result", "is_error"?}                      one that the
 *                             flow itself makes
 * where `message` is an assistant message of the OpenAI chat shape, `usage` counts input_tokens and
 * output_tokens (or prompt_tokens and completion_tokens), the members from `cost_micros` to `note`
 * are those of ck_outcome, `request_digest` is the hex digest of the
 * conversation that was sent, and `index` counts the calls of the message before from 0. A file of
 * tau-bench (a JSON array of sessions with a `traj` each) is read as the same records, in scope
 * "main". Messages, arguments and results stay the bytes they were. */
#ifndef CK_EFFECT_CASSETTE_CASSETTE_H
#define CK_EFFECT_CASSETTE_CASSETTE_H

#include "core/effect/loop.h"
#include "core/model/driver.h"
#include "core/model/conversation.h"

typedef struct ck_cassette ck_cassette;

/* The file of `spec`, malloc'd, and the digits behind its '#', within `spec`; NULL: none. A '#'
 * that something else stands behind belongs to the file's name. */
CK_CHECKED ck_status ck_cassette_split(char **file, const char **index, const char *spec,
                                       ck_error *err);
/* `spec` is FILE or FILE#INDEX (from 0; default 0): which session of a file that holds several.
 * CK_E_NOT_FOUND: no such file; CK_E_USAGE: no such session; CK_E_PARSE: line and byte offset;
 * CK_E_UNSUPPORTED: another version. */
CK_CHECKED ck_status ck_cassette_open(ck_cassette **out, const char *spec, ck_error *err);
void ck_cassette_close(ck_cassette *self);

/* The system prompt's text; NULL when none was recorded. */
const char *ck_cassette_prompt(const ck_cassette *self);
/* The header's `tools`; NULL when it has none. */
const ck_value *ck_cassette_tools(const ck_cassette *self);
/* The scopes in the order of their first records; NULL from the count on. */
const char *ck_cassette_scope(const ck_cassette *self, size_t index);
/* Records of a scope, without the lists of servers' tools; 0 when the recording has no such scope.
 */
size_t ck_cassette_count(const ck_cassette *self, const char *scope);
/* Records of a scope that a flow which consumed `consumed` outcomes never asked for: left over at a
 * flow's own end they are a divergence. */
size_t ck_cassette_left(const ck_cassette *self, const char *scope, uint64_t consumed);

/* Forgets the results of tools that are run by a command instead: in the messages that follow, such
 * a result may be anything. The records keep their positions, since the cursor counts every
 * outcome, whichever driver gave it. (A call without a record had no effect when it was recorded.)
 * Call it before the driver is made. `names` ends with NULL. */
CK_CHECKED ck_status ck_cassette_leave_out(ck_cassette *self, const char *const *names,
                                           ck_error *err);

/* A driver named "cassette" for model, ask and tool effects; drivers of commands come before it in
 * the list. It answers an effect with the record at the cursor, `effect->consumed`, and keeps no
 * position of its own. A record that does not fit gives an outcome FAILED with CK_E_DIVERGED whose
 * text shows both sides; a model or ask behind the last record is ENDED. Every effect can be
 * probed: the outcome is the recorded one, or ABSENT without a record. Without a recorded prompt
 * any system prompt fits. `reserve` is the recorded cost. Borrows `cassette` and `loop`. */
CK_CHECKED ck_status ck_cassette_driver_new(ck_effect_driver **out, const ck_cassette *cassette,
                                            ck_loop *loop, ck_error *err);

#endif
