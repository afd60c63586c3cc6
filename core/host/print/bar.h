/* bar.h - a length as a bar of block characters. */
#ifndef CK_HOST_PRINT_BAR_H
#define CK_HOST_PRINT_BAR_H

#include "core/base/buffer.h"

/* `length` of `longest`, which is `columns` wide, in eighths of a column; what is longer than
 * nothing is at least one of them. */
void ck_bar_append(ck_buffer *out, int64_t length, int64_t longest, size_t columns);

#endif
