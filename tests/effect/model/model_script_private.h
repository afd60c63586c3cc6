/* model_script_private.h - an answer as a script gives it, and what its formats share. */
#ifndef CK_TESTS_EFFECT_MODEL_MODEL_SCRIPT_PRIVATE_H
#define CK_TESTS_EFFECT_MODEL_MODEL_SCRIPT_PRIVATE_H

#include "tests/effect/model/model_script.h"
#include "tests/effect/wire_check.h"

/* The answer. Texts are decoded. */
typedef struct model_answer_given {
  ck_bytes calls;
  ck_buffer text, thinking;
  char signature[WIRE_SIGNATURE_SIZE];
  size_t turn;
  int64_t input, output, cached, written;
  ck_buffer *out;
} model_answer_given;

/* Calls `each` for pieces of the text that end at characters. */
void model_script_split(model_answer_given *self, ck_bytes text,
                        void (*each)(model_answer_given *self, ck_bytes piece, size_t index),
                        size_t index);
void model_script_open_event(model_answer_given *self, ck_json_writer *w, const char *name);
void model_script_close_event(model_answer_given *self, ck_json_writer *w);
/* {type, member: text, signature?} */
void model_script_put_text(ck_json_writer *w, const char *type, const char *member, ck_bytes text,
                           const char *signature);

/* ---- model_script_newer.c ---- */
void model_script_write_responses(model_answer_given *self);
void model_script_stream_responses(model_answer_given *self);
void model_script_write_gemini(model_answer_given *self);
void model_script_stream_gemini(model_answer_given *self);

#endif
