/* personal.c - goes through a text from one place to the next at which one of the kinds can begin,
 * and reads addresses of mail and telephone numbers. */
#include "core/personal/personal.h"

#include <string.h>

#include "core/personal/characters.h"
#include "core/personal/codes.h"
#include "core/personal/numbers.h"

enum {
  LOCAL_MAX = 64, /* of an address, RFC 5321 */
  DOMAIN_MAX = 255,
  PHONE_MIN = 9, /* digits behind a '+', with the country's: ITU-T E.164 */
  PHONE_MAX = 15,
  SAID_MIN = 6 /* digits behind a word that says so */
};

const char *ck_personal_name(ck_personal kind) {
  switch (kind) {
#define X(name, text, what) \
  case name:                \
    return text;
    CK_PERSONAL_TABLE(X)
#undef X
  }
  return "?";
}

ck_personal ck_personal_of(ck_bytes name) {
#define X(enumerator, text, what) \
  if (ck_bytes_equal(name, ck_bytes_text(text))) return enumerator;
  CK_PERSONAL_TABLE(X)
#undef X
  return 0;
}

static char char_before(ck_bytes text, size_t at) { return at > 0 ? text.data[at - 1] : '\0'; }

/* ---- addresses of mail ---- */

static bool is_local(char c) {
  return ck_char_is_word(c) || (c && strchr(".!#$%&'*+/=?^{|}~-", c));
}

/* A name of a file: a picture@2x.png. */
static bool is_file(ck_bytes top) {
  static const char *const ends[] = {"png", "jpg",  "jpeg", "gif", "svg", "webp", "css", "js",
                                     "ts",  "json", "html", "md",  "py",  "txt",  "pdf", "zip"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (ck_bytes_equal(top, ck_bytes_text(ends[i]))) return true;
  return false;
}

/* Behind the '@': labels of letters, digits and '-', the last of two letters or more. */
static size_t end_of_domain(ck_bytes text, size_t at) {
  size_t begin = at, label = at, end = 0;
  for (; at - begin < DOMAIN_MAX; at++) {
    char c = ck_char_at(text, at);
    if (ck_char_is_letter(c) || ck_char_is_digit(c) || c == '-') continue;
    ck_bytes last = {text.data + label, at - label};
    bool top = label > begin && last.len >= 2 && ck_char_is_letter(*last.data) && !is_file(last);
    for (size_t i = 0; i < last.len && top; i++) top = ck_char_is_letter(last.data[i]);
    if (top) end = at;
    if (c != '.' || last.len == 0) break;
    label = at + 1;
  }
  return end;
}

static bool is_email(ck_personal_hit *out, ck_bytes text, size_t sign, size_t from) {
  size_t begin = sign;
  while (begin > from && sign - begin < LOCAL_MAX && is_local(text.data[begin - 1])) begin--;
  while (begin < sign && !ck_char_is_word(text.data[begin])) begin++;
  size_t end = begin < sign ? end_of_domain(text, sign + 1) : 0;
  bool remote =
      ck_char_at(text, end) == ':' && !strchr(" \t\r\n", ck_char_at(text, end + 1)); /* git@h:x */
  if (end == 0 || (remote && end + 1 < text.len)) return false;
  *out = (ck_personal_hit){begin, end, CK_PERSONAL_EMAIL};
  return true;
}

/* ---- telephone numbers ---- */

/* Digits from `at` on, with brackets, and a sign or two between groups; *count of them. */
static size_t read_phone(size_t *count, ck_bytes text, size_t at) {
  size_t end = at;
  for (size_t signs = 0; signs <= 2 && *count <= PHONE_MAX; at++) {
    char c = ck_char_at(text, at);
    if (ck_char_is_digit(c)) {
      end = at + 1;
      signs = 0;
      ++*count;
    } else if (c && strchr(" -./()", c)) {
      signs++;
    } else {
      break;
    }
  }
  return end;
}

/* North America: neither area nor exchange begins with 0 or 1. */
static bool is_american(size_t *end, ck_bytes text, size_t at) {
  char digits[10], first = ck_char_at(text, at), sign;
  size_t count = 0, groups = 0;
  bool bracket = first == '(';
  for (at += bracket; count < 10; at++) {
    char c = ck_char_at(text, at);
    bool between = (count == 3 || count == 6) && groups < count / 3;
    if (ck_char_is_digit(c)) {
      digits[count++] = c;
    } else if (between && c && strchr("-. )", c)) {
      if (count == 3 && bracket != (c == ')')) return false;
      groups++;
      sign = ck_char_at(text, at + 1);
      if (bracket && count == 3 && sign == ' ') at++;
    } else {
      return false;
    }
  }
  *end = at;
  return groups == 2 && digits[0] >= '2' && digits[3] >= '2';
}

static bool is_phone(size_t *end, ck_bytes text, size_t at, ck_before *before) {
  static const char words[] =
      "|phone|telephone|tel|mobile|cell|fax|telefon|handy|whatsapp|téléphone|mobil|";
  size_t count = 0;
  char first = ck_char_at(text, at);
  if (first == '+') {
    *end = read_phone(&count, text, at + 1);
    bool country = ck_char_at(text, at + 1) >= '1' && ck_char_at(text, at + 1) <= '9';
    return country && count >= PHONE_MIN && count <= PHONE_MAX &&
           !ck_char_is_word(ck_char_at(text, *end));
  }
  if (is_american(end, text, at) && !ck_char_is_word(ck_char_at(text, *end)) &&
      ck_char_at(text, *end) != '-')
    return true;
  *end = read_phone(&count, text, at);
  if (count < SAID_MIN || count > PHONE_MAX || ck_char_is_word(ck_char_at(text, *end)))
    return false;
  ck_number number = {0};
  if (ck_char_is_digit(first)) ck_number_read(&number, text, at);
  return !(number.count == count && ck_number_is_date(&number)) && ck_before_says(before, words);
}

/* ---- the way through a text ---- */

/* Whether what stands there is no part of a word, a number, a version or an id. */
static bool begins(ck_bytes text, size_t at) {
  char before = char_before(text, at), second = at > 1 ? text.data[at - 2] : '\0';
  return !ck_char_is_word(before) &&
         !((before == '.' || before == '-' || before == ',') && ck_char_is_digit(second));
}

static bool is_code(ck_personal_hit *out, unsigned kinds, ck_bytes text, size_t at,
                    ck_before *before) {
  if (kinds & CK_PERSONAL_IBAN && ck_code_is_iban(&out->end, text, at))
    out->kind = CK_PERSONAL_IBAN;
  else if (kinds & CK_PERSONAL_PASSPORT && ck_code_is_passport(&out->end, text, at, before))
    out->kind = CK_PERSONAL_PASSPORT;
  else if (kinds & CK_PERSONAL_NATIONAL_ID && ck_code_is_national_id(&out->end, text, at))
    out->kind = CK_PERSONAL_NATIONAL_ID;
  return out->kind != 0;
}

static bool is_number(ck_personal_hit *out, unsigned kinds, ck_bytes text, size_t at,
                      ck_before *before) {
  ck_number number;
  if (ck_char_is_digit(text.data[at])) {
    ck_number_read(&number, text, at);
    if (kinds & CK_PERSONAL_CARD && ck_number_is_card(&out->end, &number))
      out->kind = CK_PERSONAL_CARD;
    else if (kinds & CK_PERSONAL_NATIONAL_ID &&
             ck_number_is_national_id(&out->end, &number, before))
      out->kind = CK_PERSONAL_NATIONAL_ID;
  }
  if (!out->kind && kinds & CK_PERSONAL_PHONE && is_phone(&out->end, text, at, before))
    out->kind = CK_PERSONAL_PHONE;
  return out->kind != 0;
}

/* Of which kind a text can begin with such a character: 1 an address, 2 a number, 4 a code. */
static unsigned opens(char c) {
  if (c == '@') return 1;
  if (ck_char_is_digit(c)) return 2 | 4;
  if (c == '+' || c == '(') return 2;
  return ck_char_is_capital(c) ? 4 : 0;
}

bool ck_personal_next(ck_personal_hit *out, size_t *at, unsigned kinds, ck_bytes label,
                      ck_bytes text) {
  for (size_t i = *at; i < text.len; i++) {
    unsigned open = opens(text.data[i]);
    *out = (ck_personal_hit){.start = i};
    if (!open) continue;
    bool found = open & 1 && kinds & CK_PERSONAL_EMAIL && is_email(out, text, i, *at);
    if (!found && open & 6 && begins(text, i)) {
      ck_before before = {.label = label, .text = text, .at = i};
      found = (open & 4 && is_code(out, kinds, text, i, &before)) ||
              (open & 2 && is_number(out, kinds, text, i, &before));
    }
    if (!found) continue;
    *at = out->end;
    return true;
  }
  *at = text.len;
  *out = (ck_personal_hit){0};
  return false;
}
