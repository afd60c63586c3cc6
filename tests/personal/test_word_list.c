/* test_word_list.c - the words of a list are found where a search for each of them finds it, one
 * after the other, at every place; in time that is linear in the text, whatever the list. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/personal/word_list.h"
#include "tests/starve.h"
#include "tests/tap.h"

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))

#define GONE "[redacted:policy:000000000000]"

static ck_word_list *make(const ck_bytes *words, size_t count, unsigned how) {
  ck_error err = CK_ERROR_INIT;
  ck_word_list *list;
  tap_must(ck_word_list_new(&list, how, &err) == CK_OK, "a list: %s", err.text);
  for (size_t i = 0; i < count; i++)
    tap_must(ck_word_list_add(list, words[i], &err) == CK_OK, "word %zu: %s", i, err.text);
  tap_must(ck_word_list_close(list, &err) == CK_OK, "it is closed");
  return list;
}

/* ---- an oracle over symbols, which knows nothing of bytes ---- */

typedef struct symbol {
  const char *bytes;
  int same; /* in any case */
  bool letter;
} symbol;

enum { QUOTE = 11, BACKSLASH = 12, HIDDEN = 13, SYMBOLS, TEXT_MAX = 40, WORD_MAX = 5, WORDS = 6 };
static const symbol symbols[SYMBOLS] = {{"a", 0, true},
                                        {"A", 0, true},
                                        {"b", 2, true},
                                        {"n", 3, true},
                                        {" ", 4, false},
                                        {"\xC3\xA9", 5, true},
                                        {"\xC3\x89", 5, true},
                                        {"k", 7, true},
                                        {"\xE2\x84\xAA", 7, true} /* the Kelvin sign */,
                                        {"\xE7\x8E\x8B", 9, false} /* Han */,
                                        {"-", 10, false},
                                        {"\"", 11, false},
                                        {"\\", 12, false},
                                        {GONE, 13, false}};

typedef struct line {
  int of[4 * WORD_MAX > TEXT_MAX ? 4 * WORD_MAX : TEXT_MAX];
  int count;
} line;

static line draw(int most, int kinds) {
  line out = {.count = most ? 1 + rand() % most : 0};
  for (int i = 0; i < out.count; i++) out.of[i] = rand() % kinds;
  return out;
}

/* As JSON writes it within a text. */
static line escaped(const line *from) {
  line out = {.count = 0};
  for (int i = 0; i < from->count; i++) {
    if (from->of[i] == QUOTE || from->of[i] == BACKSLASH) out.of[out.count++] = BACKSLASH;
    out.of[out.count++] = from->of[i];
  }
  return out;
}

static bool may_begin(const line *text, int at) {
  if (at == 0 || !symbols[text->of[at]].letter || !symbols[text->of[at - 1]].letter) return true;
  bool escape = text->of[at - 1] == 2 || text->of[at - 1] == 3; /* \b, \n */
  return escape && at > 1 && text->of[at - 2] == BACKSLASH;
}

static bool may_end(const line *text, int at) {
  return at == text->count || !symbols[text->of[at - 1]].letter || !symbols[text->of[at]].letter;
}

static bool stands_at(const line *text, int at, const line *word, unsigned how) {
  if (at + word->count > text->count) return false;
  for (int i = 0; i < word->count; i++) {
    int a = text->of[at + i], b = word->of[i];
    if (how & CK_WORDS_ANY_CASE ? symbols[a].same != symbols[b].same : a != b) return false;
  }
  return !(how & CK_WORDS_WHOLE) || (may_begin(text, at) && may_end(text, at + word->count));
}

/* joined[i]: symbols i and i + 1 are of one word. */
static void mark(bool *covered, bool *joined, const line *text, const line *word, unsigned how) {
  for (int at = 0; at < text->count; at++) {
    if (!stands_at(text, at, word, how)) continue;
    for (int i = at; i < at + word->count; i++) {
      covered[i] = true;
      if (i > at) joined[i - 1] = true;
    }
  }
}

static void write_line(ck_buffer *out, const line *from) {
  for (int i = 0; i < from->count; i++) ck_buffer_append_text(out, symbols[from->of[i]].bytes);
}

/* "<place>rest<place>": what both sides make of a text. */
static void write_expected(ck_buffer *out, const line *text, const bool *covered,
                           const bool *joined) {
  for (int i = 0; i < text->count; i++) {
    bool goes_on = i > 0 && covered[i - 1] && joined[i - 1];
    if (covered[i] && !goes_on) ck_buffer_append_char(out, '<');
    ck_buffer_append_text(out, symbols[text->of[i]].bytes);
    if (covered[i] && !joined[i]) ck_buffer_append_char(out, '>');
  }
}

static void write_found(ck_buffer *out, ck_word_list *list, ck_bytes text) {
  ck_error err = CK_ERROR_INIT;
  ck_word_places found;
  size_t at = 0;
  tap_must(ck_word_list_find(&found, list, text, &err) == CK_OK, "searched: %s", err.text);
  for (size_t i = 0; i < found.count; i++) {
    ck_buffer_append(out, text.data + at, found.list[i].begin - at);
    ck_buffer_append_char(out, '<');
    at = found.list[i].begin;
    ck_buffer_append(out, text.data + at, found.list[i].end - at);
    ck_buffer_append_char(out, '>');
    at = found.list[i].end;
  }
  ck_buffer_append(out, text.data + at, text.len - at);
}

static bool try_once(unsigned how, int kinds) {
  bool covered[TEXT_MAX] = {false}, joined[TEXT_MAX] = {false};
  ck_buffer text = {0}, words[WORDS] = {{0}}, want = {0}, got = {0};
  ck_bytes given[WORDS];
  line in = draw(TEXT_MAX, kinds);
  size_t count = (size_t)(1 + rand() % WORDS);
  for (size_t i = 0; i < count; i++) {
    line word = draw(WORD_MAX, kinds < HIDDEN ? kinds : HIDDEN);
    line once = escaped(&word), twice = escaped(&once);
    write_line(&words[i], &word);
    given[i] = ck_buffer_bytes(&words[i]);
    mark(covered, joined, &in, &word, how);
    mark(covered, joined, &in, &once, how);
    mark(covered, joined, &in, &twice, how);
  }
  write_line(&text, &in);
  write_expected(&want, &in, covered, joined);
  ck_word_list *list = make(given, count, how);
  write_found(&got, list, ck_buffer_bytes(&text));
  bool same = ck_bytes_equal(ck_buffer_bytes(&want), ck_buffer_bytes(&got));
  if (!same)
    tap_diag("how %u, of '%s' and others: want %s, got %s", how, words[0].data, want.data,
             got.data);
  ck_word_list_free(list);
  for (size_t i = 0; i < count; i++) ck_buffer_clear(&words[i]);
  ck_buffer_clear(&text);
  ck_buffer_clear(&want);
  ck_buffer_clear(&got);
  return same;
}

static void test_oracle(void) {
  enum { ROUNDS = 6000 };
  static const int kinds[] = {2, 3, 7, 10, SYMBOLS};
  srand(12);
  for (unsigned how = 0; how < 4; how++) {
    int wrong = 0;
    for (int i = 0; i < ROUNDS && wrong < 3; i++) wrong += !try_once(how, kinds[i % 5]);
    tap_is_int(wrong, 0, "of %d texts each has its places where single searches find them (%u)",
               (int)ROUNDS, how);
  }
}

/* ---- rows ---- */

static const struct {
  const char *words[4], *text, *want;
  unsigned how;
} rows[] = {
    {{"Ada", "Ada Lovelace"}, "Ada Lovelace, Ada", "<Ada Lovelace>, <Ada>", 0},
    {{"Ada Lovelace", "Lovelace King"}, "Ada Lovelace King", "<Ada Lovelace King>", 0},
    {{"Ann"}, "Anne, Ann's, Ann_1, AnnB", "Anne, <Ann>'s, <Ann>_1, AnnB", CK_WORDS_WHOLE},
    {{"J\xC3\xB6rg"},
     "J\xC3\x96RG J\xC3\xB6rgen",
     "<J\xC3\x96RG> J\xC3\xB6rgen",
     CK_WORDS_WHOLE | CK_WORDS_ANY_CASE},
    {{"\xCF\x83\xCF\x82"}, "\xCE\xA3\xCE\xA3", "<\xCE\xA3\xCE\xA3>", CK_WORDS_ANY_CASE},
    {{"\xE7\x8E\x8B\xE4\xBC\x9F"},
     "\xE6\x88\x91\xE7\x8E\x8B\xE4\xBC\x9F\xE3\x80\x82",
     "\xE6\x88\x91<\xE7\x8E\x8B\xE4\xBC\x9F>\xE3\x80\x82",
     CK_WORDS_WHOLE},
    {{"Ada"},
     "{\"a\":\"x\\nAda\\u000aAda\\tAdam\"}",
     "{\"a\":\"x\\n<Ada>\\u000a<Ada>\\tAdam\"}",
     CK_WORDS_WHOLE},
    {{"Ada \"C\" L"},
     "{\\\"a\\\":\\\"Ada \\\\\\\"C\\\\\\\" L\\\"}",
     "{\\\"a\\\":\\\"<Ada \\\\\\\"C\\\\\\\" L>\\\"}",
     0},
    {{"policy", "redacted", "d:p", "x[red"}, "x" GONE " policy", "x" GONE " <policy>", 0},
    {{"a"}, "", "", 0},
};

static void test_rows(void) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_bytes words[4];
    size_t count = 0;
    for (; count < 4 && rows[i].words[count]; count++)
      words[count] = ck_bytes_text(rows[i].words[count]);
    ck_word_list *list = make(words, count, rows[i].how);
    ck_buffer got = {0};
    ck_buffer_append(&got, "", 0);
    write_found(&got, list, ck_bytes_text(rows[i].text));
    tap_is_bytes(ck_buffer_bytes(&got), ck_bytes_text(rows[i].want), "in %s", rows[i].text);
    ck_buffer_clear(&got);
    ck_word_list_free(list);
  }
}

/* ---- hostile lists and texts ---- */

static void test_linear(void) {
  enum { LENGTH = 200000, NESTED = 1000 };
  static char text[LENGTH];
  ck_bytes words[NESTED];
  ck_error err = CK_ERROR_INIT;
  ck_word_places found;
  memset(text, 'a', sizeof text);
  for (size_t i = 0; i < NESTED; i++) words[i] = (ck_bytes){text, i + 1};
  ck_word_list *list = make(words, NESTED, 0);
  tap_is_status(ck_word_list_find(&found, list, (ck_bytes){text, LENGTH}, &err), CK_OK, &err,
                "a thousand words that begin each other");
  tap_ok(found.count == 1 && found.list[0].end == LENGTH, "cover it all");
  tap_ok(found.work <= 5 * LENGTH, "in steps that its length bounds: %llu",
         (unsigned long long)found.work);
  text[LENGTH - 1] = 'b';
  tap_ok(ck_word_list_find(&found, list, (ck_bytes){text, LENGTH}, &err) == CK_OK &&
             found.work <= 5 * LENGTH,
         "also where they all end");
  ck_word_list_free(list);
  list = make(&(ck_bytes){"a", 1}, 1, 0);
  memset(text, 'a', sizeof text);
  tap_ok(ck_word_list_find(&found, list, (ck_bytes){text, LENGTH}, &err) == CK_OK &&
             found.count == LENGTH && !found.too_many,
         "a place at each character");
  ck_word_list_free(list);
}

static void test_many(void) {
  enum { MANY = 100000 };
  ck_buffer text = {0};
  ck_error err = CK_ERROR_INIT;
  ck_word_list *list;
  tap_must(ck_word_list_new(&list, CK_WORDS_WHOLE, &err) == CK_OK, "a list");
  char word[16];
  for (int i = 0; i < MANY; i++) {
    int len = snprintf(word, sizeof word, "N%d", i * 7919 % MANY);
    tap_must(ck_word_list_add(list, (ck_bytes){word, (size_t)len}, &err) == CK_OK, "word %d", i);
    if (i < 1000) ck_buffer_append_format(&text, "%s and N%d, ", word, MANY + i);
  }
  ck_word_places found;
  tap_must(ck_word_list_close(list, &err) == CK_OK, "closed");
  tap_is_status(ck_word_list_find(&found, list, ck_buffer_bytes(&text), &err), CK_OK, &err,
                "a hundred thousand words");
  tap_is_int((int64_t)found.count, 1000, "find each that is there and none that is not");
  ck_buffer_clear(&text);
  ck_word_list_free(list);
}

static void refuse(ck_word_list *list, ck_bytes word, const char *why) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_word_list_add(list, word, &err), CK_E_RANGE, &err, "refused: %s", why);
  tap_ok(strstr(err.text, why), "it says '%s': %s", why, err.text);
}

static void test_refused(void) {
  static char large[CK_WORD_LIST_MAX + 1];
  ck_error err = CK_ERROR_INIT;
  ck_word_places found;
  ck_word_list *list;
  memset(large, 'x', sizeof large);
  tap_must(ck_word_list_new(&list, 0, &err) == CK_OK, "a list");
  refuse(list, (ck_bytes){"", 0}, "empty text");
  refuse(list, ck_bytes_text("a\xC3"), "not UTF-8 (at byte 2)");
  refuse(list, (ck_bytes){large, sizeof large}, "more than 1048576 bytes: use several");
  ck_word_list_free(list);
  list = make(&(ck_bytes){"a", 1}, 1, 0);
  tap_is_status(ck_word_list_find(&found, list, ck_bytes_text("a\xFF"), &err), CK_E_RANGE, &err,
                "a text that is none");
  ck_word_list_free(list);
  list = make(NULL, 0, CK_WORDS_WHOLE);
  tap_ok(ck_word_list_find(&found, list, ck_bytes_text("abc"), &err) == CK_OK && !found.count,
         "an empty list finds nothing");
  ck_word_list_free(list);
}

static ck_status use(ck_error *err) {
  ck_word_list *list = NULL;
  ck_word_places found = {0};
  ck_status status = ck_word_list_new(&list, CK_WORDS_WHOLE | CK_WORDS_ANY_CASE, err);
  for (int i = 0; status == CK_OK && i < 3; i++)
    status = ck_word_list_add(list, ck_bytes_text(i ? "Ada \"L\"" : "Bob"), err);
  if (status == CK_OK) status = ck_word_list_close(list, err);
  if (status == CK_OK)
    status = ck_word_list_find(&found, list, ck_bytes_text("bob, bobby, ada \"l\""), err);
  if (status == CK_OK && found.count != 2) status = CK_E_FAILED;
  ck_word_list_free(list);
  return status;
}

static void test_no_memory(void) {
  ck_error err = CK_ERROR_INIT;
  int others = 0;
  long i = 0;
  ck_status status = CK_E_NO_MEMORY;
  for (; status == CK_E_NO_MEMORY && i < 1000; i++) {
    budget = i;
    status = use(&err);
    budget = -1;
    others += status != CK_OK && status != CK_E_NO_MEMORY;
  }
  tap_ok(status == CK_OK && i > 5 && !others, "each of %ld allocations may fail", i - 1);
}

int main(void) {
  test_rows();
  test_oracle();
  test_linear();
  test_many();
  test_refused();
  test_no_memory();
  return tap_done();
}
