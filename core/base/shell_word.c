/* shell_word.c - quotes for a shell. */
#include "core/base/shell_word.h"

#include <string.h>

static bool is_plain(const char *word) {
  return *word && !word[strcspn(word, " '\"\\$`!*?[]{}()<>|&;#~^\r\n\t\v\f")];
}

void ck_shell_word_append(ck_buffer *out, const char *word) {
  if (is_plain(word)) {
    ck_buffer_append_text(out, word);
    return;
  }
  ck_buffer_append_char(out, '\'');
  for (const char *at = word; *at; at++)
    if (*at == '\'')
      ck_buffer_append_text(out, "'\\''");
    else
      ck_buffer_append_char(out, *at);
  ck_buffer_append_char(out, '\'');
}

void ck_shell_word_append_quoted(ck_buffer *out, const char *word) {
  if (is_plain(word) || word[strcspn(word, "\"\\$`!")]) {
    ck_shell_word_append(out, word);
    return;
  }
  ck_buffer_append_char(out, '"');
  ck_buffer_append_text(out, word);
  ck_buffer_append_char(out, '"');
}
