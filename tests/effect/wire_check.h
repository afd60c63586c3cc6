/* wire_check.h - the rules of the APIs for requests, checked as strictly as each does. */
#ifndef CK_TESTS_EFFECT_WIRE_CHECK_H
#define CK_TESTS_EFFECT_WIRE_CHECK_H

#include "core/base/buffer.h"

enum { WIRE_PROBLEM_SIZE = 256 };

/* `path` names the API: …/messages is Anthropic's, …/responses that of responses,
 * …enerateContent Gemini's. False: `problem`
 * says what a provider would refuse. */
bool wire_check(char problem[WIRE_PROBLEM_SIZE], const char *path, ck_bytes body);

/* The signature of a thinking block by the test server: it depends on the text as it is spelt in
 * JSON (without its quotes), so that a block of which one byte was changed has the wrong one. */
enum { WIRE_SIGNATURE_SIZE = 40 };
void wire_sign(char out[WIRE_SIGNATURE_SIZE], ck_bytes raw_thinking);

#endif
