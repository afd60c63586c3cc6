/* form.h - whether a person's answer can be sent as what a form asks for. */
#ifndef CK_LUA_FLOW_FORM_H
#define CK_LUA_FLOW_FORM_H

#include "core/base/buffer.h"

/* `form`: of the request of a question (core/model/effect.h). CK_E_REFUSED: it cannot; the text
 * names the field, what is wrong with it, and what is an answer. */
CK_CHECKED ck_status ck_form_check(ck_bytes form, const char *text, ck_error *err);

#endif
