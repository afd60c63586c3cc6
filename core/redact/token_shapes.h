/* token_shapes.h - what the tables of tokens are written with: the characters behind a beginning.
 */
#ifndef CK_REDACT_TOKEN_SHAPES_H
#define CK_REDACT_TOKEN_SHAPES_H

/* A token may not be preceded by a character of a word, unless that ends an escape (\n, %3D). */
#define CK_FRONT "(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrt])|(?<=%[0-9A-F][0-9A-F]))"
#define CK_BACK "(?![A-Za-z0-9_-])"
/* A token that begins with `front`, taken literally. */
#define CK_TOKEN(front, body) CK_FRONT "\\Q" front "\\E" body CK_BACK

/* Behind a beginning that long runs of base64 have by chance: it does not stand amid one. */
#define CK_APART(front) "(?<![+/]\\Q" front "\\E)"

#define CK_ALNUM "[A-Za-z0-9]"
#define CK_WORD "[A-Za-z0-9_-]"
#define CK_DASHED "[A-Za-z0-9-]"
#define CK_DOTTED "[A-Za-z0-9_.=-]"
#define CK_AZURE "[A-Za-z0-9_~.-]"
#define CK_HEX "[a-f0-9]"
#define CK_BASE32 "[A-Z2-7]"
#define CK_BASE64 "[A-Za-z0-9+/_-]"
#define CK_PAD "={0,2}"
#define CK_UUID "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
/* Ahead: a digit, letters of both cases. They tell a short beginning from the one of a word. */
#define CK_DIGIT "(?=[A-Za-z._/+-]*[0-9])"
#define CK_CASES "(?=[a-z0-9._/+-]*[A-Z])(?=[A-Z0-9._/+-]*[a-z])"

#endif
