/* edit.h - changes of a session's state that a person makes when the session is started or resumed.
 *
 * Each is an `edit` event in the opening of the run: {"key", "value"} or, for a secret, {"key",
 * "ref"}. An edit checkpoint follows; where a crash came before it, the next resume makes the edits
 * again. */
#ifndef CK_RUNTIME_SESSION_OPENING_EDIT_H
#define CK_RUNTIME_SESSION_OPENING_EDIT_H

#include "core/model/session.h"
#include "core/model/value.h"

typedef struct ck_state_edit {
  char *key;       /* of the state, such as "memory.topic" */
  ck_value *value; /* NULL: `ref` names a secret instead */
  char *ref; /* "env:NAME" or "file:/PATH": the value is a secret, kept as this reference; NULL */
} ck_state_edit;

/* Zero-initialise. Owns its edits. */
typedef struct ck_state_edits {
  ck_state_edit *items;
  size_t count;
} ck_state_edits;
void ck_state_edits_clear(ck_state_edits *self);
/* Copies the texts, shares the value; one of `value` and `ref` is NULL. CK_E_USAGE: no key of a
 * state. */
CK_CHECKED ck_status ck_state_edits_append(ck_state_edits *self, const char *key,
                                           const ck_value *value, const char *ref, ck_error *err);
CK_CHECKED ck_status ck_state_edits_append_all(ck_state_edits *self, const ck_state_edits *from,
                                               ck_error *err);

/* ---- within ckrun ---- */

#include "core/redact/redact.h"

/* CK_E_REFUSED when the value would not be written whole, because it looks like a secret, has
 * such a name, or a policy masks it: the text names --set-env and --set-file, not the value. A
 * reference is read and made known to `redactor`: CK_E_SECRET_MISSING. */
CK_CHECKED ck_status ck_state_edit_check(const ck_state_edit *self, ck_redactor *redactor,
                                         ck_error *err);
/* The same of a value that the policies would change; of what the rules would, and of references,
 * CK_OK. */
CK_CHECKED ck_status ck_state_edit_check_policies(const ck_state_edit *self, ck_redactor *redactor,
                                                  ck_error *err);
/* The event's body. */
CK_CHECKED ck_status ck_state_edit_write(ck_value **out, const ck_state_edit *self, ck_error *err);
/* Appends the edit that a body holds; one without a key is passed over. */
CK_CHECKED ck_status ck_state_edits_read(ck_state_edits *self, const ck_value *body, ck_error *err);

#endif
