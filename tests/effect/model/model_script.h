/* model_script.h - the answers of the test server: one JSON object a line. See model_server.h for
 * its members. */
#ifndef CK_TESTS_EFFECT_MODEL_MODEL_SCRIPT_H
#define CK_TESTS_EFFECT_MODEL_MODEL_SCRIPT_H

#include "core/base/json.h"

/* The body of an answer in the format that the request asks for. `*events`: it is a stream. */
void model_script_answer(ck_buffer *out, bool *events, ck_bytes answer, const char *path,
                         ck_bytes request);
/* How many turns of the assistant a request has. */
size_t model_script_turns(ck_bytes request);

/* As gzip would: stored, or `blanks` spaces in a thousandth of their size. */
void model_script_gzip(ck_buffer *out, ck_bytes plain);
void model_script_bomb(ck_buffer *out, size_t blanks);

#endif
