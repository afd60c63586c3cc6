/* test_personal.c - what tells who somebody is, by examples that the standards and offices publish
 * or that are made after them, each with a neighbour that is none. */
#include "core/personal/personal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/* What is found stands between « and », which are no part of the text. */
typedef struct example {
  ck_personal kind;
  const char *label, *text;
} example;

/* clang-format off */
static const example found[] = {
    {CK_PERSONAL_EMAIL, "", "write to «ada.lovelace+x@example.co.uk», please"},
    {CK_PERSONAL_EMAIL, "", "<«a@b.co»>;"},
    {CK_PERSONAL_EMAIL, "", "mailto:«o'brien@xn--mnchen-3ya.de»."},
    {CK_PERSONAL_EMAIL, "", "{\"to\":\"«jo_e@mail.example»\"}"},
    {CK_PERSONAL_PHONE, "", "call «+49 30 1234567»!"},
    {CK_PERSONAL_PHONE, "", "«+1 (415) 555-2671»"},
    {CK_PERSONAL_PHONE, "", "tel:«+442079460958»"},
    {CK_PERSONAL_PHONE, "", "«(415) 555-2671» or «415-555-2672»"},
    {CK_PERSONAL_PHONE, "", "Phone: «0301 23 45 67»"},
    {CK_PERSONAL_PHONE, "customer.mobileNumber", "«0301234567»"},
    {CK_PERSONAL_PHONE, "phone_number", "«01.23.45.67.89»"},
    {CK_PERSONAL_PHONE, "", "Tel. «030/1234567»"},
    {CK_PERSONAL_CARD, "", "card «4111 1111 1111 1111» exp 12/29"},
    {CK_PERSONAL_CARD, "", "«4111-1111-1111-1111»"},
    {CK_PERSONAL_CARD, "", "{\"pan\":«5555555555554444»}"},
    {CK_PERSONAL_CARD, "", "«378282246310005», «3782 822463 10005»"},
    {CK_PERSONAL_CARD, "", "«6011111111111117» «3530111333300000» «30569309025904»"},
    {CK_PERSONAL_CARD, "", "«2223003122003222» «6200000000000005»"},
    {CK_PERSONAL_CARD, "", "order 12 «4111111111111111» 123"},
    {CK_PERSONAL_IBAN, "", "to «DE89 3704 0044 0532 0130 00» BIC X"},
    {CK_PERSONAL_IBAN, "", "«GB29NWBK60161331926819», «FR1420041010050500013M02606»"},
    {CK_PERSONAL_IBAN, "", "«NL91ABNA0417164300» «NO9386011117947»"},
    {CK_PERSONAL_IBAN, "", "«MT84MALT011000012345MTLCAST001S»"},
    {CK_PERSONAL_PASSPORT, "", "«P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<»\n"
                               "«L898902C36UTO7408122F1204159ZE184226B<<<<<10»"},
    {CK_PERSONAL_PASSPORT, "", "Passport no. «C01X00T47»"},
    {CK_PERSONAL_PASSPORT, "passportNumber", "«C01X00T47»"},
    {CK_PERSONAL_NATIONAL_ID, "", "SSN «078-05-1120»"},
    {CK_PERSONAL_NATIONAL_ID, "ssn", "«078051120»"},
    {CK_PERSONAL_NATIONAL_ID, "", "social security number: «078 05 1120»"},
    {CK_PERSONAL_NATIONAL_ID, "", "SIN «046 454 286»"},
    {CK_PERSONAL_NATIONAL_ID, "", "NHS «943-476-5919»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«2 55 08 14 168 025 38»; «255081416802538»"},
    {CK_PERSONAL_NATIONAL_ID, "", "Steuer-ID: «86 095 742 719»"},
    {CK_PERSONAL_NATIONAL_ID, "steueridentifikationsnummer", "«86095742719»"},
    {CK_PERSONAL_NATIONAL_ID, "", "BSN «111222333»"},
    {CK_PERSONAL_NATIONAL_ID, "", "PESEL «44051401359»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«111.444.777-35»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«2341 2341 2346»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«11010519491231002X»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«811228-9874», «19811228-9874»"},
    {CK_PERSONAL_NATIONAL_ID, "", "CPR «070761-4285»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«756.9217.0769.85»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«85.07.30-033.28»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«850312-1234567»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«12345678Z», «12345678-Z», «X1234567L»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«RSSMRA85T10A562S»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«AB123456C» «AB 12 34 56 C»"},
    {CK_PERSONAL_NATIONAL_ID, "", "«HEGG560427MVZRRL04»"},
};

static const char *const clean[] = {
    "git@github.com:ckrun/ckrun.git", "user@host", "picture@2x.png", "@scope/package@1.2.3", "a@b",
    "root@localhost:/tmp", "2026-11-23T05:50:20+01:00", "phone on 2026-11-23",
    "mobile 192.168.1.12",
    "+12345", "x+1234567890", "v+15550123456789012345", "1.234-567-8901", "115-555-2671",
    "cell 12.03.2026", "415-055-2671", "4111 1111 1111 1112", "4111111111111111.5",
    "0.4111111111111111", "a4111111111111111", "4111111111111111a", "1234567812345670",
    "DE89 3704 0044 0532 0130 01", "DE8937040044053201300", "XX89370400440532013000",
    "DE89370400440532013000A", "P<UTOERIKSSON", "passport office 12", "C01X00T47",
    "L898902C36UTO7408122F1204159ZE184226B<<<<<11", "078051120", "000-05-1120", "666-05-1120",
    "078-00-1120", "078-05-1120-1", "046 454 286", "SIN 046 454 287", "143 476 5918",
    "255081416802539", "86 095 742 718", "BSN 111222334", "111222333", "PESEL 44051401358",
    "111.444.777-36", "2341 2341 2347", "110105194912310021", "811228-9875", "811328-9874",
    "756.9217.0769.86", "85.07.30-033.29", "851312-1234567", "12345678A", "X1234567M",
    "RSSMRA85T10A562T", "GB123456C", "AB123456E", "HEGG560427MVZRRL05",
    "3f786850e387550fdab836ed7e6dc881de23001b", "123e4567-e89b-42d3-a456-426614174000",
    "1700000000000000000", "20261123055020", "[redacted:card:0123456789ab]",
};
/* clang-format on */

/* The marks' bytes are taken out of `marked`; what stands between them is listed. */
static size_t unmark(char *text, size_t (*spans)[2], const char *marked) {
  size_t len = 0, count = 0;
  for (const char *at = marked; *at; at++) {
    bool mark = (unsigned char)at[0] == 0xc2 && ((unsigned char)at[1] | 0x10) == 0xbb;
    if (!mark) {
      text[len++] = *at;
      continue;
    }
    bool opens = (unsigned char)*++at == 0xab;
    if (opens)
      spans[count][0] = len;
    else
      spans[count++][1] = len;
  }
  text[len] = '\0';
  return count;
}

static void check_found(const example *of) {
  char text[256];
  size_t spans[8][2], count = unmark(text, spans, of->text), at = 0, hits = 0;
  ck_personal_hit hit;
  bool same = true;
  while (ck_personal_next(&hit, &at, of->kind, ck_bytes_text(of->label), ck_bytes_text(text))) {
    same = same && hits < count && hit.start == spans[hits][0] && hit.end == spans[hits][1];
    hits++;
  }
  tap_ok(same && hits == count, "%s: %s %s", ck_personal_name(of->kind), of->label, of->text);
  at = 0;
  bool other = ck_personal_next(&hit, &at, CK_PERSONAL_ALL & ~of->kind, ck_bytes_text(of->label),
                                ck_bytes_text(text));
  tap_ok(!other || hit.kind != of->kind, "and as that only where it is asked for");
}

static void check_clean(const char *text) {
  ck_personal_hit hit = {0};
  size_t at = 0;
  bool any = ck_personal_next(&hit, &at, CK_PERSONAL_ALL, ck_bytes_text(""), ck_bytes_text(text));
  tap_ok(!any, "left: %s", text);
  if (any) tap_diag("%s at %zu to %zu", ck_personal_name(hit.kind), hit.start, hit.end);
}

/* ---- many clean strings ---- */

static uint64_t draw(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void write_clean(char out[128], uint64_t *state, int i) {
  uint64_t a = draw(state), b = draw(state);
  unsigned small = (unsigned)(b % 256);
  switch (i % 10) {
    case 0:
      snprintf(out, 128, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
      break;
    case 1:
      snprintf(out, 128, "%08llx-%04llx-4%03llx-a%03llx-%012llx", (unsigned long long)(a >> 32),
               (unsigned long long)(a & 0xffff), (unsigned long long)(b & 0xfff),
               (unsigned long long)(b >> 16 & 0xfff), (unsigned long long)(b >> 16));
      break;
    case 2:
      snprintf(out, 128, "{\"at_ms\":%llu,\"n\":%u}", 1700000000000ULL + a % 99999999999ULL, small);
      break;
    case 3:
      snprintf(out, 128, "20%02u-%02u-%02u %02u:%02u:%02u.%06u", small % 40, 1 + small % 12,
               1 + small % 28, small % 24, small % 60, small % 59, (unsigned)(a % 1000000));
      break;
    case 4:
      snprintf(out, 128, "%u.%u.%u.%u:%u", small, (unsigned)(a % 256), (unsigned)(a >> 8 & 255),
               (unsigned)(a >> 16 & 255), (unsigned)(a >> 24 & 65535));
      break;
    case 5:
      snprintf(out, 128, "@@ -%u,%u +%u,%u @@ static int x%u(void)", small * 31, small % 90,
               small * 31 + 4, small % 90 + 2, small);
      break;
    case 6:
      snprintf(out, 128, "#%06llu in file_%u.c:%u, build 1.%u.%u-%u",
               (unsigned long long)(a % 1000000), small, (unsigned)(a % 4000), small % 20,
               small % 90, (unsigned)(b % 100000));
      break;
    case 7:
      snprintf(out, 128, "%.6f %.3f -%.9f", (double)(a % 1000000007) / 997, (double)(b % 9999) / 7,
               (double)(a % 31337) / 31);
      break;
    case 8:
      snprintf(out, 128, "0x%llx 0b101 %llu bytes", (unsigned long long)a,
               (unsigned long long)(b % 100000000000ULL));
      break;
    default:
      snprintf(out, 128, "REQ-%llu/ABC%u", (unsigned long long)(a % 10000000ULL), small);
  }
}

static void check_false_alarms(void) {
  uint64_t state = 88172645463325252ULL;
  int alarms = 0;
  for (int i = 0; i < 10000; i++) {
    char text[128];
    size_t at = 0;
    ck_personal_hit hit;
    write_clean(text, &state, i);
    if (!ck_personal_next(&hit, &at, CK_PERSONAL_ALL, ck_bytes_text(""), ck_bytes_text(text)))
      continue;
    alarms++;
    tap_diag("%s: %s", ck_personal_name(hit.kind), text);
  }
  tap_ok(alarms <= 5, "%d false alarms in 10,000 clean strings", alarms);
}

/* Cut anywhere a text is read no further, and what is found lies in it. */
static void check_cut(const example *of) {
  char text[256];
  size_t spans[8][2];
  bool inside = true;
  unmark(text, spans, of->text);
  for (size_t len = strlen(text); len > 0; len--) {
    char *copy = strndup(text, len);
    char *exact = malloc(len);
    memcpy(exact, copy, len);
    ck_personal_hit hit;
    for (size_t at = 0, before = 0; ck_personal_next(
             &hit, &at, CK_PERSONAL_ALL, ck_bytes_text(of->label), (ck_bytes){exact, len});
         before = hit.end)
      inside =
          inside && hit.start >= before && hit.end <= len && hit.end > hit.start && at == hit.end;
    free(exact);
    free(copy);
  }
  tap_ok(inside, "cut anywhere: %s", of->text);
}

int main(void) {
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) check_found(&found[i]);
  for (size_t i = 0; i < sizeof found / sizeof *found; i++) check_cut(&found[i]);
  for (size_t i = 0; i < sizeof clean / sizeof *clean; i++) check_clean(clean[i]);
  check_false_alarms();
  tap_ok(ck_personal_of(ck_bytes_text("iban")) == CK_PERSONAL_IBAN &&
             ck_personal_of(ck_bytes_text("name")) == 0,
         "kinds by their names");
  return tap_done();
}
