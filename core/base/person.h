/* person.h - who acts in this process: the account and the machine. */
#ifndef CK_BASE_PERSON_H
#define CK_BASE_PERSON_H

#include "core/base/json.h"

/* Writes members into an open object: `user`, the account's name or, where it has none, its number;
 * `host`; `via`, by what they act ("terminal", "ckrun answer"), unless it is NULL. */
void ck_person_write(ck_json_writer *w, const char *via);
/* "ann on desk, ckrun answer", of an object with such members. */
void ck_person_append(ck_buffer *out, ck_bytes person);

#endif
