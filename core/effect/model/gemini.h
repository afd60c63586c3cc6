/* gemini.h - answers of Gemini's generateContent, whole and streamed. For gemini*.c only. */
#ifndef CK_EFFECT_MODEL_GEMINI_H
#define CK_EFFECT_MODEL_GEMINI_H

#include "core/effect/model/api_parts.h"

/* The functions of ck_model_format. */
void ck_gemini_state(ck_model_reply *to, ck_bytes usage, bool begins);
CK_CHECKED ck_status ck_gemini_read(ck_model_reply *out, ck_bytes body, ck_error *err);
CK_CHECKED ck_status ck_gemini_take(ck_model_reply *out, ck_bytes data, ck_error *err);
CK_CHECKED ck_status ck_gemini_finish(ck_model_reply *out, ck_error *err);

#endif
