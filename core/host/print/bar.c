/* bar.c - a length as a bar of block characters. */
#include "core/host/print/bar.h"

void ck_bar_append(ck_buffer *out, int64_t length, int64_t longest, size_t columns) {
  static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (length <= 0 || longest <= 0) return;
  double share = length < longest ? (double)length / (double)longest : 1;
  size_t eighths = (size_t)(share * (double)columns * 8 + 0.5);
  if (eighths == 0) eighths = 1;
  for (size_t i = 0; i < eighths / 8; i++) ck_buffer_append_text(out, "█");
  ck_buffer_append_text(out, parts[eighths % 8]);
}
