/* responses.h - answers of OpenAI's responses API, whole and streamed. For responses*.c only. */
#ifndef CK_EFFECT_MODEL_RESPONSES_H
#define CK_EFFECT_MODEL_RESPONSES_H

#include "core/effect/model/api_parts.h"

/* The functions of ck_model_format. */
void ck_responses_state(ck_model_reply *to, ck_bytes usage, bool begins);
CK_CHECKED ck_status ck_responses_read(ck_model_reply *out, ck_bytes body, ck_error *err);
CK_CHECKED ck_status ck_responses_take(ck_model_reply *out, ck_bytes data, ck_error *err);
bool ck_responses_may_end(ck_model_reply *reply);
CK_CHECKED ck_status ck_responses_finish(ck_model_reply *out, ck_error *err);

#endif
