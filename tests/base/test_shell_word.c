/* test_shell_word.c - a word that is printed for a shell is that word for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/shell_word.h"
#include "tests/tap.h"

/* `word` as a shell takes it, from the command line that has it quoted. */
static bool comes_back(const char *word, void (*append)(ck_buffer *, const char *)) {
  ck_buffer line = {0};
  char read_back[512] = "";
  ck_buffer_append_text(&line, "printf '%s|' ");
  append(&line, word);
  FILE *shell = popen(line.data, "r");
  size_t len = shell ? fread(read_back, 1, sizeof read_back - 1, shell) : 0;
  bool ended = shell && pclose(shell) == 0;
  bool same = ended && len == strlen(word) + 1 && strncmp(read_back, word, len - 1) == 0;
  if (!same) tap_diag("%s became %s", line.data, read_back);
  ck_buffer_clear(&line);
  return same;
}

static void test_bytes(void) {
  int wrong = 0;
  for (int c = 1; c < 256; c++) {
    char words[3][8];
    snprintf(words[0], sizeof words[0], "%c", c);
    snprintf(words[1], sizeof words[1], "a%cb", c);
    snprintf(words[2], sizeof words[2], "%ca%c%c", c, c, c);
    for (int i = 0; i < 3; i++)
      wrong += !comes_back(words[i], ck_shell_word_append) +
               !comes_back(words[i], ck_shell_word_append_quoted);
  }
  tap_is_int(wrong, 0, "each byte, alone and amid others");
}

static void test_words(void) {
  static const char *const words[] = {
      "", " ", "two words", "it's", "\"it's\" $HOME `id` \\ !", "~", "#no", "a'b\"c d", "'", "\"\"",
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    tap_ok(comes_back(words[i], ck_shell_word_append) &&
               comes_back(words[i], ck_shell_word_append_quoted),
           "<%s>", words[i]);
  ck_buffer out = {0};
  ck_shell_word_append(&out, "/plain-path_1.db");
  tap_is_text(out.data, "/plain-path_1.db", "what needs no quotes has none");
  ck_buffer_reset(&out);
  ck_shell_word_append_quoted(&out, "/a path/1.db");
  tap_is_text(out.data, "\"/a path/1.db\"", "double ones within single ones");
  ck_buffer_clear(&out);
}

int main(void) {
  test_bytes();
  test_words();
  return tap_done();
}
