/* anthropic.h - answers of Anthropic's messages API, whole and streamed. For anthropic*.c only. */
#ifndef CK_EFFECT_MODEL_ANTHROPIC_H
#define CK_EFFECT_MODEL_ANTHROPIC_H

#include "core/effect/model/api_parts.h"

/* ---- anthropic_answer.c ---- */
bool ck_anthropic_take_fault(ck_model_reply *out, ck_bytes answer);
/* Of a message, or of the event that ends one: its stop_reason, and its stop_details. */
void ck_anthropic_take_end(ck_model_reply *out, ck_bytes from);

/* The functions of ck_model_format. */
void ck_anthropic_state(ck_model_reply *to, ck_bytes usage, bool begins);
CK_CHECKED ck_status ck_anthropic_read(ck_model_reply *out, ck_bytes body, ck_error *err);

/* ---- anthropic_stream.c ---- */
CK_CHECKED ck_status ck_anthropic_take(ck_model_reply *out, ck_bytes data, ck_error *err);
CK_CHECKED ck_status ck_anthropic_finish(ck_model_reply *out, ck_error *err);

#endif
