/* extension.h - the member "ckrun" of a document: what a session here has, and the document's own
 * format no place for.
 *
 *   "ckrun": {"input"?: the session's input, any JSON,
 *             of a session of several agents: "output_tokens": how many of its tokens,
 *             "agents": {NAME: what it has spent, as in budget/spending.h}}
 *
 * The member is there in every document that ckrun writes; without `input` the session had none. A
 * document without the member is of another program, or of an older ckrun. */
#ifndef CK_RUNTIME_PORTABLE_EXTENSION_H
#define CK_RUNTIME_PORTABLE_EXTENSION_H

#include "core/base/json.h"
#include "core/model/session.h"

#define CK_EXTENSION "ckrun"

/* The session's input, as it was launched with it; no bytes: none. Borrowed. */
ck_bytes ck_extension_input(const ck_session_record *session);
/* Writes `input`, if the session has one, within the member. */
void ck_extension_write_input(ck_json_writer *w, const ck_session_record *session);
/* A span of the document; no bytes: it has none. CK_E_PARSE: it is no object. */
CK_CHECKED ck_status ck_extension_read(ck_bytes *out, ck_bytes document, ck_error *err);

#endif
