/* word_list.c - characters of a text: their case, where words begin and end; places from the ends
 * of words. */
#include "core/personal/word_list.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "core/base/json.h"
#include "core/base/placeholder.h"
#include "core/base/utf8.h"
#include "core/personal/characters.h"
#include "core/personal/word_trie.h"

enum { ESCAPED_TIMES = 2, KEPT = 1 << 16 };

struct ck_word_list {
  ck_word_trie trie;
  unsigned how;
  size_t bytes;
  locale_t locale;
  ck_buffer begins; /* of a text that is searched: for each character whether a word may begin */
  ck_buffer places; /* ck_word_place */
};

/* A character of a text. */
typedef struct character {
  char folded[4];
  size_t len, folded_len;
  bool letter; /* or a digit: of a word */
} character;

/* ---- characters ---- */

static bool is_between(uint32_t point, uint32_t first, uint32_t last) {
  return point >= first && point <= last;
}

/* In scripts without spaces between words, and Hangul, whose particles follow a name without one,
 * a word can begin and end anywhere. */
static bool is_unspaced(uint32_t point) {
  return is_between(point, 0xe00, 0x109f) || is_between(point, 0x1100, 0x11ff) ||
         is_between(point, 0x1780, 0x17ff) || is_between(point, 0x3040, 0x319f) ||
         is_between(point, 0x3400, 0x9fff) || is_between(point, 0xac00, 0xd7af) ||
         is_between(point, 0xf900, 0xfaff) || is_between(point, 0x20000, 0x3ffff);
}

static void read_ascii(character *out, unsigned how, char c) {
  out->len = out->folded_len = 1;
  out->letter = ck_char_is_letter(c) || ck_char_is_digit(c);
  out->folded[0] = c;
  if (how & CK_WORDS_ANY_CASE && ck_char_is_capital(c)) out->folded[0] = (char)(c - 'A' + 'a');
}

/* False: the text does not go on with a character of UTF-8. */
static bool read_character(character *out, const ck_word_list *self, const char *at, size_t left) {
  if ((unsigned char)*at < 0x80) {
    read_ascii(out, self->how, *at);
    return true;
  }
  out->len = ck_utf8_length(at, left);
  if (out->len == 0) return false;
  uint32_t point = ck_utf8_point(at, out->len);
  if (self->how & CK_WORDS_WHOLE)
    out->letter = iswalnum_l((wint_t)point, self->locale) && !is_unspaced(point);
  /* there and back: some letters have two lower cases, such as sigma */
  if (self->how & CK_WORDS_ANY_CASE)
    point = (uint32_t)towlower_l(towupper_l((wint_t)point, self->locale), self->locale);
  out->folded_len = ck_utf8_encode(out->folded, point);
  return true;
}

/* ---- words ---- */

ck_status ck_word_list_new(ck_word_list **out, unsigned how, ck_error *err) {
  *out = NULL;
  ck_word_list *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->how = how;
  self->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (!self->locale) {
    free(self);
    return ck_error_set(err, CK_E_FAILED,
                        "a list of words needs the system's locale C.UTF-8, which is not there: "
                        "install the package libc-bin");
  }
  *out = self;
  return CK_OK;
}

void ck_word_list_free(ck_word_list *self) {
  if (!self) return;
  freelocale(self->locale);
  ck_word_trie_clear(&self->trie);
  ck_buffer_clear(&self->begins);
  ck_buffer_clear(&self->places);
  free(self);
}

/* Appends what the text is compared as, and counts its characters. */
static ck_status fold(ck_buffer *out, uint32_t *length, const ck_word_list *self, ck_bytes word,
                      ck_error *err) {
  character c;
  *length = 0;
  for (size_t at = 0; at < word.len; at += c.len, ++*length) {
    if (!read_character(&c, self, word.data + at, word.len - at))
      return ck_error_set(err, CK_E_RANGE, "it is not UTF-8 (at byte %zu)", at + 1);
    ck_buffer_append(out, c.folded, c.folded_len);
  }
  return ck_buffer_check(out, err);
}

static ck_status add_text(ck_word_list *self, ck_bytes word, ck_error *err) {
  ck_buffer folded = {0};
  uint32_t length;
  self->bytes += word.len;
  if (self->bytes > CK_WORD_LIST_MAX)
    return ck_error_set(err, CK_E_RANGE,
                        "with it the list has more than %d bytes: use several shorter lists",
                        CK_WORD_LIST_MAX);
  ck_status status = fold(&folded, &length, self, word, err);
  if (status == CK_OK)
    status = ck_word_trie_add(&self->trie, ck_buffer_bytes(&folded), length, err);
  ck_buffer_clear(&folded);
  return status;
}

/* Without the quotes. */
static void escape(ck_buffer *out, ck_bytes text) {
  ck_buffer quoted = {0};
  ck_json_append_string(&quoted, text);
  out->failed |= quoted.failed;
  if (!quoted.failed) ck_buffer_append(out, quoted.data + 1, quoted.len - 2);
  ck_buffer_clear(&quoted);
}

ck_status ck_word_list_add(ck_word_list *self, ck_bytes word, ck_error *err) {
  ck_buffer forms[ESCAPED_TIMES] = {{0}};
  if (word.len == 0)
    return ck_error_set(err, CK_E_RANGE, "it is the empty text, which has nothing to find");
  ck_status status = add_text(self, word, err);
  for (int i = 0; status == CK_OK && i < ESCAPED_TIMES; i++) {
    ck_bytes before = i ? ck_buffer_bytes(&forms[i - 1]) : word;
    escape(&forms[i], before);
    status = ck_buffer_check(&forms[i], err);
    if (status != CK_OK || ck_bytes_equal(ck_buffer_bytes(&forms[i]), before)) break;
    status = add_text(self, ck_buffer_bytes(&forms[i]), err);
  }
  for (int i = 0; i < ESCAPED_TIMES; i++) ck_buffer_clear(&forms[i]);
  return status;
}

ck_status ck_word_list_close(ck_word_list *self, ck_error *err) {
  return ck_word_trie_close(&self->trie, err);
}

/* ---- a text ---- */

/* A stretch of a text between two placeholders. Characters are counted over all of the text, but
 * for those of placeholders. */
typedef struct scan {
  ck_word_list *list;
  ck_bytes text;
  size_t at, end;   /* of the stretch */
  size_t character; /* number of the one at `at` */
  ck_word_places *out;
} scan;

static bool is_hex(ck_bytes text, size_t begin, size_t count) {
  for (size_t i = begin; i < begin + count; i++)
    if (!text.data[i] || !strchr("0123456789abcdefABCDEF", text.data[i])) return false;
  return true;
}

/* An escape of JSON goes before `at`. */
static bool is_behind_escape(ck_bytes text, size_t at) {
  const char *p = text.data + at;
  if (at >= 2 && p[-2] == '\\' && strchr("bfnrt", p[-1]) && p[-1]) return true;
  return at >= 6 && p[-6] == '\\' && p[-5] == 'u' && is_hex(text, at - 4, 4);
}

static ck_word_place *places_of(const ck_word_list *self) { return (void *)self->places.data; }

/* `begin` and `end` count characters; the place takes in those before it that it shares one with.
 * Where it ends in bytes is kept behind it, see finish. */
static void put_place(scan *of, size_t begin, size_t end, size_t end_byte) {
  ck_buffer *to = &of->list->places;
  const ck_word_place *last = places_of(of->list) + to->len / sizeof *last;
  for (; to->len > 0 && last[-2].end > begin; last -= 2) {
    if (last[-2].begin < begin) begin = last[-2].begin;
    to->len -= 2 * sizeof *last;
  }
  ck_word_place both[2] = {{begin, end}, {0, end_byte}};
  ck_buffer_append(to, both, sizeof both);
}

/* The longest of the words that end at `end` and may begin where they do. */
static void take_word(scan *of, uint32_t state, size_t end, size_t end_byte) {
  const ck_word_list *list = of->list;
  const ck_word_node *nodes = list->trie.nodes;
  uint32_t word = ck_word_trie_word(&list->trie, state);
  if (list->begins.failed) return;
  for (; word; word = nodes[word].shorter) {
    size_t begin = end - nodes[word].length;
    of->out->work++;
    if (list->how & CK_WORDS_WHOLE && !list->begins.data[begin]) continue;
    put_place(of, begin, end, end_byte);
    return;
  }
}

static ck_status scan_stretch(scan *of, ck_error *err) {
  ck_word_list *list = of->list;
  uint32_t state = 0;
  character now = {0}, before = {0};
  for (; of->at < of->end; before = now) {
    bool first = now.len == 0;
    if (!read_character(&now, list, of->text.data + of->at, of->end - of->at))
      return ck_error_set(err, CK_E_RANGE, "the text is not UTF-8 (at byte %zu)", of->at + 1);
    if (list->how & CK_WORDS_WHOLE) {
      if (!first && !(before.letter && now.letter)) take_word(of, state, of->character, of->at);
      bool begins = !now.letter || !before.letter || is_behind_escape(of->text, of->at);
      ck_buffer_append_char(&list->begins, (char)begins);
    }
    for (size_t i = 0; i < now.folded_len; i++)
      state = ck_word_trie_step(&list->trie, state, (unsigned char)now.folded[i], &of->out->work);
    of->at += now.len;
    of->character++;
    if (!(list->how & CK_WORDS_WHOLE)) take_word(of, state, of->character, of->at);
  }
  if (list->how & CK_WORDS_WHOLE) take_word(of, state, of->character, of->at);
  return CK_OK;
}

/* Characters become bytes: each place is gone over once, from its end. */
static void finish(scan *of) {
  ck_word_place *places = places_of(of->list);
  size_t count = of->list->places.len / sizeof *places / 2;
  of->out->too_many = count > CK_WORD_PLACES_MAX;
  if (of->out->too_many) count = CK_WORD_PLACES_MAX;
  for (size_t i = 0; i < count; i++) {
    size_t left = places[2 * i].end - places[2 * i].begin;
    size_t end = places[2 * i + 1].end, begin = end;
    for (; left > 0; left--) do
        begin--;
      while (((unsigned char)of->text.data[begin] & 0xc0) == 0x80);
    places[i] = (ck_word_place){begin, end};
  }
  of->out->list = places;
  of->out->count = count;
}

static void forget(ck_buffer *kept) {
  if (kept->failed || kept->cap > KEPT) ck_buffer_clear(kept);
  ck_buffer_reset(kept);
}

ck_status ck_word_list_find(ck_word_places *out, ck_word_list *self, ck_bytes text, ck_error *err) {
  scan of = {.list = self, .text = text, .out = out};
  ck_bytes left = text, placeholder;
  ck_status status = CK_OK;
  *out = (ck_word_places){0};
  forget(&self->begins);
  forget(&self->places);
  while (status == CK_OK && self->trie.count > 0) {
    bool found = ck_placeholder_find(&placeholder, NULL, left);
    of.end = found ? (size_t)(placeholder.data - text.data) : text.len;
    status = scan_stretch(&of, err);
    if (!found) break;
    of.at = of.end + placeholder.len;
    left = (ck_bytes){text.data + of.at, text.len - of.at};
  }
  if (status == CK_OK) status = ck_buffer_check(&self->begins, err);
  if (status == CK_OK) status = ck_buffer_check(&self->places, err);
  if (status == CK_OK) finish(&of);
  return status;
}
