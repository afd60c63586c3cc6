/* pretty.h - a JSON value over several lines, for people. */
#ifndef CK_HOST_PRINT_PRETTY_H
#define CK_HOST_PRINT_PRETTY_H

#include "core/base/buffer.h"

/* Each member on a line of its own, two blanks further in at each level; all else byte for byte. */
void ck_pretty_append(ck_buffer *out, ck_bytes json);

#endif
