/* paragraph.c - stored text of any length, in lines that fit the terminal. */
#include "core/host/print/paragraph.h"

#include "core/host/print/format.h"

void ck_paragraph_print(ck_output *output, ck_bytes text, size_t indent, ck_tone tone) {
  size_t width = output->width > 0 ? (size_t)output->width : SIZE_MAX;
  size_t columns = width > indent + 1 ? width - indent : 1;
  ck_buffer clean = {0}, line = {0};
  if (!output->color) tone = CK_TONE_PLAIN;
  ck_output_append_safe(output, &clean, text);
  for (ck_bytes rest = ck_buffer_bytes(&clean); rest.len > 0;) {
    size_t len = ck_format_line(rest, columns);
    ck_buffer_append_format(&line, "%*s%s", (int)indent, "", ck_tone_on(tone));
    ck_buffer_append(&line, rest.data, len);
    ck_buffer_append_format(&line, "%s\n", ck_tone_off(tone));
    while (len < rest.len && rest.data[len] == ' ') len++;
    rest = (ck_bytes){rest.data + len, rest.len - len};
  }
  ck_output_write(output, ck_buffer_bytes(&line));
  output->failed |= clean.failed || line.failed;
  ck_buffer_clear(&clean);
  ck_buffer_clear(&line);
}
