/* numbers.c - groups of digits, payment cards by their issuers, national ids by their countries. */
#include "core/personal/numbers.h"

#include <string.h>

#include "core/personal/characters.h"
#include "core/personal/checks.h"

void ck_number_read(ck_number *out, ck_bytes text, size_t at) {
  *out = (ck_number){.more = false};
  for (char sign = '\0';; sign = text.data[at++]) {
    if (out->group_count == CK_NUMBER_GROUPS_MAX) break;
    for (; ck_char_is_digit(ck_char_at(text, at)) && out->count < CK_NUMBER_DIGITS_MAX; at++)
      out->digits[out->count++] = (uint8_t)(text.data[at] - '0');
    out->groups[out->group_count].digits = out->count;
    out->groups[out->group_count].end = at;
    out->groups[out->group_count++].sign = sign;
    char next = ck_char_at(text, at);
    if (!next || !strchr(" -./+", next) || !ck_char_is_digit(ck_char_at(text, at + 1))) break;
  }
  out->more = ck_char_is_word(ck_char_at(text, at));
}

static size_t length_of(const ck_number *self, size_t group) {
  return self->groups[group].digits - (group ? self->groups[group - 1].digits : 0);
}

/* The first groups as text: "4-4-4-4", "3.3.3-2". */
typedef struct shape {
  char text[4 * CK_NUMBER_GROUPS_MAX];
} shape;

static shape shape_of(const ck_number *self, size_t groups) {
  shape out = {{0}};
  size_t len = 0;
  for (size_t i = 0; i < groups; i++) {
    size_t digits = length_of(self, i);
    if (i) out.text[len++] = self->groups[i].sign;
    if (digits > 9) out.text[len++] = (char)('0' + digits / 10);
    out.text[len++] = (char)('0' + digits % 10);
  }
  return out;
}

static bool is_form(const char *form, const char *of, size_t len) {
  for (size_t i = 0; i < len; i++)
    if (form[i] != of[i] && !(form[i] == ' ' && of[i] == '-') && !(form[i] == '_' && of[i] == ' '))
      return false;
  return true;
}

/* Among those between bars; a space in one of them stands for spaces or for dashes, '_' for spaces
 * alone. */
static bool is_shape(const char *list, const shape *of) {
  size_t len = strlen(of->text);
  if (strchr(of->text, ' ') && strchr(of->text, '-')) return false;
  for (const char *at = list + 1, *bar; (bar = strchr(at, '|')); at = bar + 1)
    if ((size_t)(bar - at) == len && is_form(at, of->text, len)) return true;
  return false;
}

/* ---- cards ---- */

static unsigned front_of(const uint8_t *digits, size_t count) {
  unsigned front = 0;
  for (size_t i = 0; i < count; i++) front = front * 10 + digits[i];
  return front;
}

/* Of the issuers' ranges, as ISO/IEC 7812 has them registered: first digits, lengths. */
static const struct {
  unsigned from, to; /* six digits */
  size_t shortest, longest;
} issuers[] = {
    {400000, 499999, 16, 19},                           /* Visa */
    {510000, 559999, 16, 16},                           /* Mastercard */
    {222100, 272099, 16, 16}, {340000, 349999, 15, 15}, /* American Express */
    {370000, 379999, 15, 15}, {601100, 601199, 16, 19}, /* Discover */
    {644000, 659999, 16, 19}, {300000, 305999, 14, 14}, /* Diners Club */
    {360000, 369999, 14, 14}, {380000, 399999, 14, 14}, {352800, 358999, 16, 19}, /* JCB */
    {620000, 629999, 16, 19},                                                     /* UnionPay */
    {501800, 501899, 16, 19}, {502000, 502099, 16, 19}, {503800, 503899, 16, 19}, /* Maestro */
    {630400, 630499, 16, 19}, {675900, 675999, 16, 19}, {676100, 676399, 16, 19},
};

static bool has_issuer(const uint8_t *digits, size_t count) {
  unsigned front = front_of(digits, 6);
  for (size_t i = 0; i < sizeof issuers / sizeof *issuers; i++)
    if (front >= issuers[i].from && front <= issuers[i].to)
      return (count == issuers[i].shortest || count == issuers[i].longest);
  return false;
}

bool ck_number_is_card(size_t *end, const ck_number *self) {
  for (size_t groups = self->group_count; groups > 0; groups--) {
    size_t count = self->groups[groups - 1].digits;
    shape of = shape_of(self, groups);
    bool whole = groups < self->group_count ? self->groups[groups].sign != '.' : !self->more;
    if (count < 14 || count > 19 || !whole) continue;
    if (!is_shape("|14|15|16|19|4 4 4 4|4 6 5|4 6 4|4 4 4 4 3|6 10|", &of)) continue;
    if (!has_issuer(self->digits, count) || !ck_check_luhn(self->digits, count)) continue;
    *end = self->groups[groups - 1].end;
    return true;
  }
  return false;
}

bool ck_number_is_date(const ck_number *self) {
  shape of = shape_of(self, self->group_count < 4 ? self->group_count : 4);
  bool parts = self->group_count >= 4 && self->groups[1].sign == '.' &&
               self->groups[2].sign == '.' && self->groups[3].sign == '.';
  bool address = parts && length_of(self, 3) <= 3 && (self->group_count == 4);
  return address || is_shape("|4 2 2|2 2 4|4/2/2|2/2/4|4.2.2|2.2.4|", &of);
}

/* ---- national ids ---- */

static unsigned two(const uint8_t *digits) { return digits[0] * 10U + digits[1]; }

/* yymmdd */
static bool is_day(const uint8_t *d) { return ck_check_date(two(d), two(d + 2), two(d + 4)); }

/* United States, social security number: 000, 666 and 9xx are no areas; none is all zeros. */
static bool is_ssn(const uint8_t *d, size_t count) {
  unsigned area = front_of(d, 3);
  return count == 9 && area != 0 && area != 666 && area < 900 && two(d + 3) != 0 &&
         front_of(d + 5, 4) != 0;
}

static bool is_luhn(const uint8_t *d, size_t count) { return ck_check_luhn(d, count); }

/* Great Britain, NHS number: modulo 11. */
static bool is_nhs(const uint8_t *d, size_t count) {
  static const uint8_t weights[] = {10, 9, 8, 7, 6, 5, 4, 3, 2};
  unsigned check = 11 - ck_check_weigh(d, weights, 9) % 11;
  return count == 10 && check != 10 && check % 11 == d[9];
}

/* France, NIR: sex, year, month, …, and 97 less the rest modulo 97. */
static bool is_nir(const uint8_t *d, size_t count) {
  bool front = (d[0] == 1 || d[0] == 2) && two(d + 3) >= 1 && two(d + 3) != 13;
  return count == 15 && front && ck_check_modulo(d, 13, 97) + two(d + 13) == 97;
}

/* Germany, Steuer-ID: one digit of the first ten twice or three times, one or two not at all. */
static bool is_steuer_id(const uint8_t *d, size_t count) {
  unsigned times[10] = {0}, most = 0, absent = 0;
  if (count != 11 || d[0] == 0 || !ck_check_mod_11_10(d, count)) return false;
  for (size_t i = 0; i < 10; i++) times[d[i]]++;
  for (size_t i = 0; i < 10; i++) {
    if (times[i] > most) most = times[i];
    absent += times[i] == 0;
  }
  return (most == 2 && absent == 1) || (most == 3 && absent == 2);
}

/* The Netherlands, BSN: the test by eleven. */
static bool is_bsn(const uint8_t *d, size_t count) {
  static const uint8_t weights[] = {9, 8, 7, 6, 5, 4, 3, 2};
  return count == 9 && ck_check_weigh(d, weights, 8) % 11 == d[8];
}

/* Poland, PESEL: the month tells the century. */
static bool is_pesel(const uint8_t *d, size_t count) {
  static const uint8_t weights[] = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1};
  return count == 11 && ck_check_date(two(d), two(d + 2) % 20, two(d + 4)) &&
         ck_check_weigh(d, weights, 11) % 10 == 0;
}

/* Brazil, CPF: two digits, each modulo 11. */
static bool is_cpf(const uint8_t *d, size_t count) {
  static const uint8_t weights[] = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2};
  if (count != 11) return false;
  unsigned first = ck_check_weigh(d, weights + 1, 9) * 10 % 11 % 10;
  unsigned second = ck_check_weigh(d, weights, 10) * 10 % 11 % 10;
  return first == d[9] && second == d[10];
}

/* India, Aadhaar. */
static bool is_aadhaar(const uint8_t *d, size_t count) {
  return count == 12 && d[0] >= 2 && ck_check_verhoeff(d, count);
}

/* China, resident identity (GB 11643), where the check is no X: those are codes.c's. */
static bool is_resident(const uint8_t *d, size_t count) {
  static const uint8_t weights[] = {7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2, 1};
  return count == 18 && ck_check_date(front_of(d + 6, 4), two(d + 10), two(d + 12)) &&
         ck_check_weigh(d, weights, 18) % 11 == 1;
}

/* Sweden, personnummer: a day, Luhn over the last ten. */
static bool is_personnummer(const uint8_t *d, size_t count) {
  const uint8_t *last = count == 12 ? d + 2 : d;
  return (count == 10 || count == 12) && is_day(last) && ck_check_luhn(last, 10);
}

/* Norway, fødselsnummer: a day, two digits, each modulo 11. */
static bool is_fodselsnummer(const uint8_t *d, size_t count) {
  static const uint8_t first[] = {3, 7, 6, 1, 8, 9, 4, 5, 2, 1},
                       second[] = {5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1};
  return count == 11 && ck_check_date(two(d + 4), two(d + 2), two(d)) &&
         ck_check_weigh(d, first, 10) % 11 == 0 && ck_check_weigh(d, second, 11) % 11 == 0;
}

/* Denmark, CPR: a day; it has no check any more. */
static bool is_cpr(const uint8_t *d, size_t count) {
  return count == 10 && ck_check_date(two(d + 4), two(d + 2), two(d));
}

/* Switzerland, AHV number. */
static bool is_ahv(const uint8_t *d, size_t count) {
  return front_of(d, 3) == 756 && ck_check_ean13(d, count);
}

/* Belgium, national register: 97 less the rest; with a 2 before it since the year 2000. */
static bool is_rijksregister(const uint8_t *d, size_t count) {
  unsigned rest = ck_check_modulo(d, 9, 97), check = two(d + 9);
  unsigned later = (2 * (1000000000U % 97) + rest) % 97;
  return count == 11 && two(d + 2) <= 12 && two(d + 4) <= 31 &&
         (97 - rest == check || 97 - later == check);
}

/* Korea, resident registration: a day, then the sex and the century. */
static bool is_rrn(const uint8_t *d, size_t count) {
  return count == 13 && is_day(d) && d[6] >= 1 && d[6] <= 8;
}

/* By its form alone, or behind a word that says so in any of the forms. */
static const struct {
  const char *forms, *forms_said, *said;
  bool (*is)(const uint8_t *digits, size_t count);
} national_ids[] = {
    {"|3-2-4|", "|3 2 4|9|", "|ssn|social security|", is_ssn},
    {"||", "|3 3 3|9|", "|sin|social insurance|", is_luhn},
    {"|3_3_4|", "|3 3 4|10|", "|nhs|", is_nhs},
    {"|1 2 2 2 3 3 2|13 2|15|", "||", "||", is_nir},
    {"|2 3 3 3|", "|11|", "|steuer|steuer-id|steueridentifikationsnummer|idnr|tax id|tin|",
     is_steuer_id},
    {"||", "|9|4 2 3|3 3 3|4.2.3|", "|bsn|burgerservicenummer|sofinummer|", is_bsn},
    {"||", "|11|", "|pesel|", is_pesel},
    {"|3.3.3-2|", "|11|", "|cpf|", is_cpf},
    {"|4 4 4|", "|12|", "|aadhaar|aadhar|uidai|", is_aadhaar},
    {"|18|", "||", "||", is_resident},
    {"|6-4|6+4|8-4|", "|10|12|", "|personnummer|", is_personnummer},
    {"|6 5|", "|11|", "|fødselsnummer|fodselsnummer|personnummer|", is_fodselsnummer},
    {"||", "|6-4|10|", "|cpr|cpr-nr|", is_cpr},
    {"|3.4.4.2|", "|13|", "|ahv|avs|ahvn13|", is_ahv},
    {"|2.2.2-3.2|", "|11|", "|rijksregister|rijksregisternummer|registre national|niss|insz|",
     is_rijksregister},
    {"|6-7|", "||", "||", is_rrn},
};

/* Nothing goes on behind the groups as within them: 1-2-3 is no part of 1-2-3-4. */
static bool ends_there(const ck_number *self, size_t groups) {
  if (groups == self->group_count) return !self->more;
  return groups > 1 && self->groups[groups].sign != self->groups[groups - 1].sign;
}

static bool is_any(const ck_number *self, size_t groups, ck_before *before) {
  shape of = shape_of(self, groups);
  for (size_t i = 0; i < sizeof national_ids / sizeof *national_ids; i++) {
    bool form = is_shape(national_ids[i].forms, &of);
    if (!form && !is_shape(national_ids[i].forms_said, &of)) continue;
    if (!national_ids[i].is(self->digits, self->groups[groups - 1].digits)) continue;
    if (form || ck_before_says(before, national_ids[i].said)) return true;
  }
  return false;
}

bool ck_number_is_national_id(size_t *end, const ck_number *self, ck_before *before) {
  for (size_t groups = self->group_count; groups > 0; groups--) {
    size_t count = self->groups[groups - 1].digits;
    if (count < 9 || count > 18 || !ends_there(self, groups) || !is_any(self, groups, before))
      continue;
    *end = self->groups[groups - 1].end;
    return true;
  }
  return false;
}
