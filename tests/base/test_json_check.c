/* test_json_check.c - hostile JSON is refused with its offset; everything valid is taken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/json_scan.h"
#include "tests/tap.h"

typedef struct json_case {
  const char *name, *text;
  size_t len; /* 0: the text's own */
  int offset; /* where the fault is */
} json_case;

static const json_case refused[] = {
    {"nothing", "", 0, 0},
    {"only space", " \t\r\n", 0, 4},
    {"byte order mark", "\xef\xbb\xbf{}", 0, 0},
    {"duplicate name", "{\"a\":1,\"a\":2}", 0, 7},
    {"duplicate name by an escape", "{\"a\":1,\"\\u0061\":2}", 0, 7},
    {"duplicate name, escape first", "{\"\\u0061\":1,\"a\":2}", 0, 12},
    {"duplicate name, both escaped", "{\"\\u00e9\":1,\"\\u00E9\":2}", 0, 12},
    {"duplicate name by a surrogate pair", "{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":2}", 0, 10},
    {"duplicate empty name", "{\"\":1,\"\":2}", 0, 6},
    {"duplicate name, deeper", "[{\"x\":[{\"a\":1,\"b\":2,\"a\":3}]}]", 0, 20},
    {"duplicate name after an inner object", "{\"a\":{\"b\":1},\"a\":2}", 0, 13},
    {"NUL between tokens", "[1\0,2]", 6, 2},
    {"NUL in a string", "\"a\0b\"", 5, 2},
    {"NUL behind the value", "1\0", 2, 1},
    {"NUL escape", "\"a\\u0000\"", 0, 2},
    {"raw newline in a string", "\"a\nb\"", 0, 2},
    {"raw tab in a string", "\"\t\"", 0, 1},
    {"stray continuation byte", "\"\x80\"", 0, 1},
    {"overlong form", "\"\xc0\xaf\"", 0, 1},
    {"surrogate in UTF-8", "\"\xed\xa0\x80\"", 0, 1},
    {"beyond U+10FFFF", "\"\xf4\x90\x80\x80\"", 0, 1},
    {"cut character", "\"\xe2\x82\"", 0, 1},
    {"bad UTF-8 in a name", "{\"\xff\":1}", 0, 2},
    {"bad UTF-8 after eight plain bytes", "\"12345678\xff\"", 0, 9},
    {"lone high surrogate", "\"\\ud800\"", 0, 1},
    {"lone low surrogate", "\"\\udc00\"", 0, 1},
    {"high surrogate with no low", "\"\\ud800\\u0041\"", 0, 1},
    {"two high surrogates", "\"\\ud800\\ud800\"", 0, 1},
    {"high surrogate at the end", "\"\\ud800", 0, 1},
    {"short unicode escape", "\"\\u12\"", 0, 5},
    {"unicode escape without hex", "\"\\u12g4\"", 0, 5},
    {"unknown escape", "\"\\x41\"", 0, 1},
    {"escape at the end", "\"\\", 0, 1},
    {"string without an end", "\"abc", 0, 4},
    {"1e400", "1e400", 0, 0},
    {"-1e400", "[-1e400]", 0, 1},
    {"1e309", "1e309", 0, 0},
    {"just too large", "1.7976931348623159e308", 0, 0},
    {"huge exponent", "1e99999999999999999999999", 0, 0},
    {"leading zero", "01", 0, 0},
    {"leading zero, negative", "-01", 0, 1},
    {"plus sign", "+1", 0, 0},
    {"no digit before the point", ".5", 0, 0},
    {"no digit after the point", "1.", 0, 2},
    {"no digit in the exponent", "1e", 0, 2},
    {"no digit after the sign", "1e+", 0, 3},
    {"minus alone", "-", 0, 1},
    {"hexadecimal", "0x10", 0, 1},
    {"NaN", "NaN", 0, 0},
    {"Infinity", "-Infinity", 0, 1},
    {"trailing text", "{} x", 0, 3},
    {"two values", "1 2", 0, 2},
    {"trailing bracket", "[1]]", 0, 3},
    {"trailing comma in an array", "[1,]", 0, 3},
    {"trailing comma in an object", "{\"a\":1,}", 0, 7},
    {"comma first", "[,1]", 0, 1},
    {"two commas", "[1,,2]", 0, 3},
    {"no comma", "[1 2]", 0, 3},
    {"no colon", "{\"a\" 1}", 0, 5},
    {"no value", "{\"a\":}", 0, 5},
    {"no name", "{1:2}", 0, 1},
    {"name without quotes", "{a:1}", 0, 1},
    {"single quotes", "['a']", 0, 1},
    {"wrong closer", "[1}", 0, 2},
    {"wrong closer of an object", "{\"a\":1]", 0, 6},
    {"open array", "[", 0, 1},
    {"open object", "{", 0, 1},
    {"open after a comma", "{\"a\":1,", 0, 7},
    {"comment", "[1/*x*/]", 0, 2},
    {"capital literal", "True", 0, 0},
    {"cut literal", "tru", 0, 0},
    {"glued literal", "truefalse", 0, 4},
    {"other space",
     "\xc2\xa0"
     "1",
     0, 0},
    {"form feed", "\f1", 0, 0},
};

static const json_case taken[] = {
    {"null", "null", 0, 0},
    {"space around", " \t\r\n 1 \n", 0, 0},
    {"2^53+1", "9007199254740993", 0, 0},
    {"a large integer", "123456789012345678901234567890", 0, 0},
    {"the largest double", "1.7976931348623157e308", 0, 0},
    {"the largest double, rounded down", "1.7976931348623158e308", 0, 0},
    {"an underflow", "1e-400", 0, 0},
    {"a zero with a huge exponent", "0e999999999", 0, 0},
    {"minus zero", "-0", 0, 0},
    {"exponent forms", "[1E5,1e+5,1e-5,0.0e0]", 0, 0},
    {"empty containers", "[{},[],\"\",{\"\":[]}]", 0, 0},
    {"every escape", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"", 0, 0},
    {"every length of UTF-8", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"", 0, 0},
    {"noncharacters", "\"\xef\xbf\xbf\\uffff\"", 0, 0},
    {"a byte order mark inside a string", "\"\xef\xbb\xbf\"", 0, 0},
    {"the same name in two objects", "[{\"a\":1},{\"a\":{\"a\":2}}]", 0, 0},
    {"names by case", "{\"a\":1,\"A\":2}", 0, 0},
    {"names by a later byte", "{\"aaaaaaaaXaaaaaaaa\":1,\"aaaaaaaaYaaaaaaaa\":2}", 0, 0},
    {"a name that only looks escaped", "{\"\\\\u0061\":1,\"a\":2}", 0, 0},
};

/* Checks a copy that ends exactly where the text does, so that reading on is seen. */
static ck_status check_copy(const char *text, size_t len, ck_error *err) {
  char *copy = malloc(len ? len : 1);
  memcpy(copy, text, len);
  ck_status status = ck_json_check((ck_bytes){copy, len}, err);
  free(copy);
  return status;
}

static void test_tables(void) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    const json_case *c = &refused[i];
    ck_error err = CK_ERROR_INIT;
    ck_status status = check_copy(c->text, c->len ? c->len : strlen(c->text), &err);
    char where[64];
    snprintf(where, sizeof where, "at byte %d:", c->offset);
    bool held = status == CK_E_PARSE && strstr(err.text, where);
    if (!tap_ok(held, "refused %s: %s", where, c->name)) tap_diag("%s", err.text);
  }
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    ck_error err = CK_ERROR_INIT;
    ck_status status = check_copy(taken[i].text, strlen(taken[i].text), &err);
    tap_is_status(status, CK_OK, &err, "taken: %s", taken[i].name);
  }
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_json_check((ck_bytes){NULL, 0}, &err), CK_E_PARSE, &err,
                "no bytes at all are refused");
}

static ck_status check_depth(size_t depth, const char *open, const char *close, ck_error *err) {
  ck_buffer text = {0};
  for (size_t i = 0; i < depth; i++) ck_buffer_append_text(&text, open);
  ck_buffer_append_char(&text, '1');
  for (size_t i = 0; i < depth; i++) ck_buffer_append_text(&text, close);
  ck_status status = ck_json_check(ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  return status;
}

static void test_depth(void) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(check_depth(CK_JSON_DEPTH_MAX, "[", "]", &err), CK_OK, &err,
                "arrays as deep as allowed");
  tap_is_status(check_depth(CK_JSON_DEPTH_MAX, "{\"a\":", "}", &err), CK_OK, &err,
                "objects as deep as allowed");
  tap_is_status(check_depth(CK_JSON_DEPTH_MAX + 1, "[", "]", &err), CK_E_PARSE, &err,
                "one deeper is refused");
  tap_is_status(check_depth(1000000, "[", "]", &err), CK_E_PARSE, &err,
                "a million arrays are refused");
  tap_is_status(check_depth(1000000, "{\"a\":", "}", &err), CK_E_PARSE, &err,
                "a million objects are refused");
  tap_is_status(check_depth(1000000, "[", "", &err), CK_E_PARSE, &err,
                "a million open arrays are refused");
}

/* An object of `count` names; the one numbered `again` (if any) occurs a second time at the end,
 * escaped. */
static void put_wide(ck_buffer *text, int count, int again) {
  ck_buffer_append_char(text, '{');
  for (int i = 0; i < count; i++) ck_buffer_append_format(text, "%s\"n%d\":%d", i ? "," : "", i, i);
  if (again >= 0) ck_buffer_append_format(text, ",\"\\u006e%d\":0", again);
  ck_buffer_append_char(text, '}');
}

static ck_status check_wide(int count, int again) {
  ck_buffer text = {0};
  put_wide(&text, count, again);
  ck_status status = ck_json_check(ck_buffer_bytes(&text), NULL);
  ck_buffer_clear(&text);
  return status;
}

static void test_wide(void) {
  bool none = true, each = true;
  for (int count = 1; count <= 70; count++) {
    none = none && check_wide(count, -1) == CK_OK;
    for (int again = 0; again < count; again++)
      each = each && check_wide(count, again) == CK_E_PARSE;
  }
  tap_ok(none, "objects of every size around the switch to hashing are taken");
  tap_ok(each, "a duplicate of any of their names is found");
  tap_is_int(check_wide(200000, -1), CK_OK, "200,000 names are taken");
  tap_is_int(check_wide(200000, 0), CK_E_PARSE, "and the duplicate of the first is found");
}

/* Wide objects inside wide objects: names of one level must not be taken for names of another, nor
 * get lost. */
static ck_status check_nested(int depth, int again) {
  ck_buffer text = {0};
  for (int level = 0; level < depth; level++) {
    ck_buffer_append_char(&text, '{');
    for (int i = 0; i < 40; i++) ck_buffer_append_format(&text, "\"n%d\":%d,", i, i);
    ck_buffer_append_text(&text, "\"inner\":");
  }
  put_wide(&text, 300, -1);
  for (int level = depth - 1; level >= 0; level--) {
    for (int i = 40; i < 60; i++) ck_buffer_append_format(&text, ",\"n%d\":%d", i, i);
    if (level == again) ck_buffer_append_text(&text, ",\"n7\":0");
    ck_buffer_append_char(&text, '}');
  }
  ck_status status = ck_json_check(ck_buffer_bytes(&text), NULL);
  ck_buffer_clear(&text);
  return status;
}

static void test_nested(void) {
  tap_is_int(check_nested(200, -1), CK_OK, "equal names on 200 levels are no duplicates");
  bool found = true;
  for (int level = 0; level < 200; level += 13)
    found = found && check_nested(200, level) == CK_E_PARSE;
  tap_ok(found, "a duplicate is found on any level after deeper ones were closed");
}

/* Names that agree in length, head and tail are the worst case of the quick comparison. */
static void test_similar_names(void) {
  ck_buffer text = {0};
  for (int again = 0; again < 2; again++) {
    ck_buffer_reset(&text);
    ck_buffer_append_char(&text, '{');
    for (int i = 0; i < 5000; i++) {
      ck_buffer_append_format(&text, "\"headhead%0*dtailtail\":1,", i < 16 ? 2000 : 20, i);
    }
    ck_buffer_append_format(&text, "\"headhead%020dtailtail\":1}", again ? 4321 : 9999);
    tap_is_int(ck_json_check(ck_buffer_bytes(&text), NULL), again ? CK_E_PARSE : CK_OK,
               "similar names, %s", again ? "one twice" : "all different");
  }
  ck_buffer_clear(&text);
}

/* Never out of bounds, and a shorter or damaged text is never taken for the whole one by
 * accident. */
static void test_damage(void) {
  static const char text[] =
      "{\"a\":[1,-2.5e3,true,null,\"\\u00e9\xc3\xa9\\ud83d\\ude00\"],\"b\":{\"c\":\"12345678\"}}";
  size_t len = sizeof text - 1;
  bool cut = true;
  for (size_t i = 0; i < len; i++) cut = cut && check_copy(text, i, NULL) == CK_E_PARSE;
  tap_ok(cut, "every cut of a document is refused");
  char damaged[sizeof text];
  int results = 0;
  for (size_t i = 0; i < len; i++) {
    for (int byte = 0; byte < 256; byte++) {
      memcpy(damaged, text, sizeof text);
      damaged[i] = (char)byte;
      ck_status status = check_copy(damaged, len, NULL);
      results += status == CK_OK || status == CK_E_PARSE;
    }
  }
  tap_is_int(results, (int64_t)len * 256, "every byte in every place is answered");
}

/* Plain text is passed over in blocks, whose ends lie anywhere. */
static void test_plain(void) {
  char text[64];
  int wrong = 0;
  for (int byte = 0; byte < 256; byte++) {
    bool plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
    for (size_t len = 1; len <= 40; len++)
      for (size_t at = 0; at < len; at++) {
        memset(text, 'x', sizeof text);
        text[at] = (char)byte;
        text[len] = '"';
        wrong += ck_json_skip_plain(text, text + len) != text + (plain ? len : at);
      }
  }
  tap_is_int(wrong, 0, "each byte in each place of a text is plain or not, whatever is around it");
}

int main(void) {
  test_tables();
  test_depth();
  test_wide();
  test_nested();
  test_similar_names();
  test_damage();
  test_plain();
  return tap_done();
}
