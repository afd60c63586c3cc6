/* codes.c - reads codes of capital letters and digits, and checks them. */
#include "core/personal/codes.h"

#include <string.h>

#include "core/personal/characters.h"
#include "core/personal/checks.h"

enum { CODE_MAX = 44, PASSPORT_MIN = 6, PASSPORT_MAX = 10 };

/* A code as it begins at `at`. */
typedef struct code {
  char text[CODE_MAX + 1];
  size_t ends[CODE_MAX + 1]; /* where in the text the first n characters end */
  size_t len;
} code;

/* Capitals, digits and `also`; where `groups`, a space between each four. */
static code read_code(ck_bytes text, size_t at, char also, bool groups) {
  code out = {.len = 0};
  bool spaced = groups && ck_char_at(text, at + 4) == ' ';
  while (out.len < CODE_MAX) {
    char c = ck_char_at(text, at);
    if (spaced && out.len > 0 && out.len % 4 == 0 && c == ' ') c = ck_char_at(text, ++at);
    if (!ck_char_is_digit(c) && !ck_char_is_capital(c) && (!also || c != also)) break;
    out.text[out.len++] = c;
    out.ends[out.len] = ++at;
  }
  return out;
}

/* `form`: A a capital, 9 a digit, else the character itself. */
static bool has_form(const code *of, const char *form) {
  size_t len = strlen(form);
  if (of->len < len) return false;
  for (size_t i = 0; i < len; i++) {
    char c = of->text[i];
    if (form[i] == 'A'   ? !ck_char_is_capital(c)
        : form[i] == '9' ? !ck_char_is_digit(c)
                         : c != form[i])
      return false;
  }
  return true;
}

static bool take(size_t *end, const code *of, size_t len, ck_bytes text) {
  *end = of->ends[len];
  return !ck_char_is_word(ck_char_at(text, *end));
}

/* ---- accounts ---- */

/* Lengths of the registry of SWIFT, by country. */
static const char iban_lengths[] =
    "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24"
    "FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32"
    "LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24"
    "RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30";

static size_t iban_length(const char *country) {
  for (const char *at = iban_lengths; *at; at += 4)
    if (at[0] == country[0] && at[1] == country[1])
      return (size_t)(at[2] - '0') * 10 + (size_t)(at[3] - '0');
  return 0;
}

bool ck_code_is_iban(size_t *end, ck_bytes text, size_t at) {
  if (!ck_char_is_capital(ck_char_at(text, at)) || !ck_char_is_capital(ck_char_at(text, at + 1)) ||
      !ck_char_is_digit(ck_char_at(text, at + 2)) || !ck_char_is_digit(ck_char_at(text, at + 3)))
    return false;
  code of = read_code(text, at, '\0', true);
  size_t len = iban_length(of.text);
  return len > 0 && of.len >= len && ck_check_iban(of.text, len) && take(end, &of, len, text);
}

/* ---- passports: ICAO 9303, part 4 ---- */

static bool is_first_line(const code *of) {
  bool names = memmem(of->text + 5, 39, "<<", 2) != NULL;
  for (size_t i = 2; i < CODE_MAX; i++)
    if (ck_char_is_digit(of->text[i])) return false;
  return of->len == CODE_MAX && of->text[0] == 'P' && names && of->text[CODE_MAX - 1] == '<';
}

static bool is_second_line(const code *of) {
  const char *t = of->text;
  char all[39];
  if (of->len != CODE_MAX) return false;
  memcpy(all, t, 10);
  memcpy(all + 10, t + 13, 7);
  memcpy(all + 17, t + 21, 22);
  return ck_check_mrz(t, 9, t[9]) && ck_check_mrz(t + 13, 6, t[19]) &&
         ck_check_mrz(t + 21, 6, t[27]) && ck_check_mrz(all, sizeof all, t[43]);
}

static bool has_digit(const code *of) {
  for (size_t i = 0; i < of->len; i++)
    if (ck_char_is_digit(of->text[i])) return true;
  return false;
}

bool ck_code_is_passport(size_t *end, ck_bytes text, size_t at, ck_before *before) {
  code of = read_code(text, at, '<', false);
  if (is_first_line(&of) || is_second_line(&of)) return take(end, &of, CODE_MAX, text);
  bool number = of.len >= PASSPORT_MIN && of.len <= PASSPORT_MAX && has_digit(&of) &&
                !memchr(of.text, '<', of.len);
  return number && ck_before_says(before, "|passport|passnummer|reisepass|passeport|pasaporte|") &&
         take(end, &of, of.len, text);
}

/* ---- national ids ---- */

/* Spain: a letter is the number modulo 23; X, Y, Z of foreigners are 0, 1, 2. */
static bool is_dni(const code *of) {
  static const char letters[] = "TRWAGMYFPDXBNJZSQVHLCKE";
  char first = of->text[0];
  bool foreign = first >= 'X' && first <= 'Z';
  unsigned number = foreign ? (unsigned)(first - 'X') : (unsigned)(first - '0');
  if (!foreign && !ck_char_is_digit(first)) return false;
  for (size_t i = 1; i < 8; i++) {
    if (!ck_char_is_digit(of->text[i])) return false;
    number = number * 10 + (unsigned)(of->text[i] - '0');
  }
  return of->text[8] == letters[number % 23];
}

/* Italy, codice fiscale: characters at odd places count by a table of their own. */
static bool is_codice_fiscale(const code *of) {
  static const uint8_t odd[] = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
  unsigned sum = 0;
  if (!has_form(of, "AAAAAA99A99A999A")) return false;
  for (size_t i = 0; i < 15; i++) {
    char c = of->text[i];
    unsigned value = ck_char_is_digit(c) ? (unsigned)(c - '0') : (unsigned)(c - 'A');
    sum += i % 2 ? value : odd[value];
  }
  return of->text[15] == (char)('A' + sum % 26);
}

/* Great Britain, national insurance number. It has no check. */
static bool is_nino(const code *of) {
  static const char *const unused[] = {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"};
  if (!has_form(of, "AA999999A") || of->text[8] > 'D') return false;
  if (strchr("DFIQUV", of->text[0]) || strchr("DFIOQUV", of->text[1])) return false;
  for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
    if (memcmp(of->text, unused[i], 2) == 0) return false;
  return true;
}

/* Mexico, CURP: a sum modulo 10 over a row of 37 characters, of which one is no capital here. */
static bool is_curp(const code *of) {
  unsigned sum = 0;
  if (!has_form(of, "AAAA999999AAAAAA") || of->len < 18 || !ck_char_is_digit(of->text[17]))
    return false;
  if (of->text[10] != 'H' && of->text[10] != 'M') return false;
  for (size_t i = 0; i < 17; i++) {
    char c = of->text[i];
    unsigned value =
        ck_char_is_digit(c) ? (unsigned)(c - '0') : (unsigned)(c - 'A') + (c > 'N' ? 11 : 10);
    sum += value * (18 - (unsigned)i);
  }
  return (10 - sum % 10) % 10 == (unsigned)(of->text[17] - '0');
}

/* China, resident identity with X, ten. */
static bool is_resident(const code *of) {
  static const uint8_t weights[] = {7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2};
  uint8_t digits[17];
  if (!has_form(of, "99999999999999999X")) return false;
  for (size_t i = 0; i < 17; i++) digits[i] = (uint8_t)(of->text[i] - '0');
  unsigned year = ck_check_modulo(digits + 6, 4, 10000);
  return (ck_check_weigh(digits, weights, 17) + 10) % 11 == 1 &&
         ck_check_date(year, digits[10] * 10U + digits[11], digits[12] * 10U + digits[13]);
}

/* "AB 12 34 56 C" as one code. */
static code read_pairs(ck_bytes text, size_t at) {
  code out = {.len = 0};
  while (out.len < 9) {
    if (out.len > 0 && out.len % 2 == 0 && ck_char_at(text, at) == ' ') at++;
    char c = ck_char_at(text, at);
    if (!ck_char_is_digit(c) && !ck_char_is_capital(c)) break;
    out.text[out.len++] = c;
    out.ends[out.len] = ++at;
  }
  return out;
}

bool ck_code_is_national_id(size_t *end, ck_bytes text, size_t at) {
  code of = read_code(text, at, '-', false), pairs = read_pairs(text, at);
  if (pairs.len == 9 && is_nino(&pairs)) return take(end, &pairs, 9, text);
  if (of.len > 8 && of.text[8] == '-') { /* 12345678-Z */
    memmove(of.text + 8, of.text + 9, sizeof of.text - 9);
    memmove(of.ends + 9, of.ends + 10, (sizeof of.ends / sizeof *of.ends - 10) * sizeof *of.ends);
    of.len--;
  }
  if (of.len >= 9 && is_dni(&of)) return take(end, &of, 9, text);
  if (of.len >= 16 && is_codice_fiscale(&of)) return take(end, &of, 16, text);
  if (of.len >= 18 && is_curp(&of)) return take(end, &of, 18, text);
  return of.len >= 18 && is_resident(&of) && take(end, &of, 18, text);
}
