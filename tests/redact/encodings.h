/* encodings.h - the ways in which a known secret can be written. */
#ifndef CK_TESTS_REDACT_ENCODINGS_H
#define CK_TESTS_REDACT_ENCODINGS_H

#include "core/base/buffer.h"

/* Appends the secret, encoded. */
typedef void encoder(ck_buffer *out, ck_bytes secret);

typedef struct encoding {
  const char *name;
  encoder *encode;
} encoding;
enum { ENCODINGS = 34 };
extern const encoding encodings[ENCODINGS];

/* As the inside of a JSON string: escaped as little as possible; with "\\/"; with \\u00XX;
 * twice. */
encoder encode_json_string, encode_json_slashes, encode_json_unicode, encode_json_twice;

#endif
