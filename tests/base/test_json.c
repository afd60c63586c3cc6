/* test_json.c - values are found without changing a byte; reading stays in bounds on any text. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "tests/tap.h"

static const char document[] =
    " { \"a\" : [1, 2 ,3] , \"big\":9007199254740993,\"n\\u0061me\":\"x\\n\\u00e9\\ud83d\\ude00\", "
    "\"o\":{\"a\":{}},"
    "\"s\":\"}],\\\"\", \"e\":{ } , \"z\" : null } ";

static ck_bytes get(const char *name) { return ck_json_get(ck_bytes_text(document), name); }

static void test_get(void) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_json_check(ck_bytes_text(document), &err), CK_OK, &err, "the document is valid");
  tap_is_bytes(get("a"), ck_bytes_text("[1, 2 ,3]"), "a span has its inner space and no outer");
  tap_is_bytes(get("big"), ck_bytes_text("9007199254740993"), "2^53+1 stays the bytes it was");
  tap_is_bytes(get("name"), ck_bytes_text("\"x\\n\\u00e9\\ud83d\\ude00\""),
               "escapes in names are decoded");
  tap_is_bytes(get("n\\u0061me"), (ck_bytes){NULL, 0}, "the raw spelling is not the name");
  tap_is_bytes(get("s"), ck_bytes_text("\"}],\\\"\""),
               "brackets and quotes in strings do not count");
  tap_is_bytes(get("z"), ck_bytes_text("null"), "the last member is found");
  tap_ok(get("A").data == NULL && get("").data == NULL && get("b").data == NULL,
         "names are exact; absent gives none");
  tap_ok(ck_json_get(get("a"), "1").data == NULL, "an array has no members");
  tap_is_bytes(ck_json_get(get("o"), "a"), ck_bytes_text("{}"), "spans can be looked into");
  tap_is_int(ck_json_type_of(get("none")), CK_JSON_NONE, "what is absent has no type");
}

static void test_get_all(void) {
  static const char *const names[] = {"z", "none", "name", "a", "n\\u0061me", "", "s", "o", "A"};
  enum { COUNT = sizeof names / sizeof *names };
  ck_bytes values[COUNT];
  int same = 0;
  ck_json_get_all(values, names, COUNT, ck_bytes_text(document));
  for (size_t i = 0; i < COUNT; i++)
    same += values[i].data == get(names[i]).data && values[i].len == get(names[i]).len;
  tap_is_int(same, COUNT, "several members are those that are got one by one");
  ck_json_get_all(values, names, 0, ck_bytes_text(document));
  ck_json_get_all(values, names, COUNT, get("a"));
  tap_ok(!values[0].data && !values[COUNT - 1].data, "an array has none of them");
  ck_json_get_all(values, names, 1, ck_bytes_text("{\"y\":1,\"z\":2,\"q"));
  tap_is_bytes(values[0], ck_bytes_text("2"), "nothing is read behind the last of them");
}

static void test_iterate(void) {
  ck_json_iterator it = ck_json_iterate(get("a"));
  const char *want[] = {"1", "2", "3"};
  size_t count = 0;
  for (; ck_json_next(&it); count++)
    tap_is_bytes(it.value, ck_bytes_text(want[count % 3]), "element %zu", count);
  tap_is_int((int64_t)count, 3, "each element once");
  tap_ok(!ck_json_next(&it) && !it.value.data, "behind the end stays behind the end");
  it = ck_json_iterate(ck_bytes_text(document));
  tap_ok(ck_json_next(&it) && it.object, "an object is walked");
  tap_is_bytes(it.name, ck_bytes_text("\"a\""), "a name keeps its quotes");
  tap_is_int((int64_t)ck_json_count(ck_bytes_text(document)), 7, "members are counted");
  tap_is_int((int64_t)ck_json_count(get("e")), 0, "an empty object has none");
  tap_is_int((int64_t)ck_json_count(get("big")), 0, "a number has none");
}

static void test_types(void) {
  static const struct {
    const char *text;
    ck_json_type type;
  } rows[] = {{"null", CK_JSON_NULL},     {" false", CK_JSON_FALSE}, {"true ", CK_JSON_TRUE},
              {"-1.5e3", CK_JSON_NUMBER}, {"\"\"", CK_JSON_STRING},  {"[]", CK_JSON_ARRAY},
              {"{}", CK_JSON_OBJECT},     {"", CK_JSON_NONE},        {"nul", CK_JSON_NONE},
              {"truex", CK_JSON_NONE},    {"1x", CK_JSON_NONE},      {"\"", CK_JSON_NONE},
              {"[", CK_JSON_NONE},        {"{]", CK_JSON_NONE},      {"-", CK_JSON_NONE},
              {"x", CK_JSON_NONE}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tap_is_int(ck_json_type_of(ck_bytes_text(rows[i].text)), rows[i].type, "type of '%s'",
               rows[i].text);
  }
}

static void test_strings(void) {
  ck_buffer text = {0};
  ck_buffer_append_text(&text, ">");
  tap_ok(ck_json_read_string(&text, get("name")), "a string is read");
  tap_is_text(text.data, ">x\n\xc3\xa9\xf0\x9f\x98\x80", "decoded, behind what was there");
  tap_ok(!ck_json_read_string(&text, get("big")) &&
             !ck_json_read_string(&text, ck_bytes_text("\"a\" \"b\"")) &&
             !ck_json_read_string(&text, ck_bytes_text("\"\\q\"")),
         "what is not one string is refused");
  tap_is_int((int64_t)text.len, 9, "and appends nothing");
  ck_buffer_clear(&text);
  char *copy = ck_json_dup_string(ck_bytes_text("\"\""));
  tap_is_text(copy, "", "an empty string is a text");
  free(copy);
  tap_ok(ck_json_dup_string(ck_bytes_text("null")) == NULL, "null is no text");
  tap_ok(ck_json_is_text(get("name"), "x\n\xc3\xa9\xf0\x9f\x98\x80"), "texts are compared decoded");
  tap_ok(!ck_json_is_text(get("name"), "x\n\xc3\xa9") && !ck_json_is_text(get("name"), ""),
         "and as a whole");
  tap_ok(ck_json_is_text(ck_bytes_text("\"\""), "") &&
             !ck_json_is_text(ck_bytes_text("\"\\\\\""), "\\\\"),
         "a backslash is one character");
  tap_ok(!ck_json_is_text(ck_bytes_text("1"), "1"), "a number is no text");
}

static void test_ints(void) {
  static const struct {
    const char *text;
    bool held;
    int64_t number;
  } rows[] = {{"0", true, 0},
              {"-0", true, 0},
              {" 42 ", true, 42},
              {"9007199254740993", true, 9007199254740993},
              {"9223372036854775807", true, INT64_MAX},
              {"-9223372036854775808", true, INT64_MIN},
              {"9223372036854775808", false, 0},
              {"-9223372036854775809", false, 0},
              {"99999999999999999999999999", false, 0},
              {"1.0", false, 0},
              {"1e2", false, 0},
              {"01", false, 0},
              {"\"1\"", false, 0},
              {"", false, 0},
              {"-", false, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int64_t number = 7;
    bool held = ck_json_read_int(&number, ck_bytes_text(rows[i].text));
    tap_ok(held == rows[i].held && number == rows[i].number, "integer '%s'", rows[i].text);
  }
  bool truth = true;
  tap_ok(ck_json_read_bool(&truth, ck_bytes_text("false")) && !truth, "false is read");
  tap_ok(ck_json_read_bool(&truth, ck_bytes_text("true")) && truth, "true is read");
  tap_ok(!ck_json_read_bool(&truth, ck_bytes_text("1")) && !truth, "1 is no truth value");
}

static void is_double(const char *text, double want) {
  double number = 7;
  tap_ok(ck_json_read_double(&number, ck_bytes_text(text)) && number == want,
         "double '%.40s': %.17g", text, number);
}

static void test_doubles(void) {
  is_double("0", 0);
  is_double("-2.5e3", -2500);
  is_double("0.1", 0.1);
  is_double("100", 100);
  is_double("0.001", 0.001);
  is_double("9007199254740993", 9007199254740992.0);
  is_double("1.7976931348623157e308", 1.7976931348623157e308);
  is_double("4.9e-324", 4.9e-324);
  is_double("2e-324", 0);
  is_double("1e-99999999999999999999", 0);
  is_double("0e99999999999999999999", 0);
  double number;
  tap_ok(ck_json_read_double(&number, ck_bytes_text("-0")) && signbit(number),
         "minus zero keeps its sign");
  tap_ok(!ck_json_read_double(&number, ck_bytes_text("1e400")), "no double holds 1e400");

  /* Exactly between two doubles, and a digit beyond: only the 1,500th digit decides. */
  ck_buffer text = {0};
  ck_buffer_append_text(&text, "9007199254740993.");
  for (int i = 0; i < 1500; i++) ck_buffer_append_char(&text, '0');
  is_double(text.data, 9007199254740992.0);
  ck_buffer_append_char(&text, '1');
  is_double(text.data, 9007199254740994.0);
  ck_buffer_reset(&text);
  ck_buffer_append_text(&text, "0.");
  for (int i = 0; i < 400; i++) ck_buffer_append_char(&text, '0');
  ck_buffer_append_text(&text, "1e401");
  is_double(text.data, 1);
  ck_buffer_clear(&text);
  if (setlocale(LC_ALL, "de_DE.UTF-8"))
    is_double("1.5", 1.5);
  else
    tap_skip("no locale with a decimal comma");
}

/* Everything that takes text, on text nobody checked, in a block that ends where it ends. */
static void read_everything(const char *text, size_t len) {
  char *copy = malloc(len ? len : 1);
  memcpy(copy, text, len);
  ck_bytes value = {copy, len};
  ck_json_iterator it = ck_json_iterate(value);
  ck_buffer string = {0};
  int64_t integer;
  double number;
  bool truth;
  while (ck_json_next(&it)) ck_json_read_string(&string, it.name);
  ck_json_get(ck_json_get(value, "o"), "a");
  ck_json_count(value);
  ck_json_read_string(&string, value);
  ck_json_is_text(value, "name");
  (void)(ck_json_read_int(&integer, value) || ck_json_read_double(&number, value) ||
         ck_json_read_bool(&truth, value));
  ck_buffer_clear(&string);
  free(copy);
}

static void test_any_text(void) {
  char damaged[sizeof document];
  size_t len = sizeof document - 1;
  for (size_t cut = 0; cut <= len; cut++) read_everything(document, cut);
  for (size_t from = 0; from <= len; from++) read_everything(document + from, len - from);
  for (size_t i = 0; i < len; i++) {
    for (int byte = 0; byte < 256; byte++) {
      memcpy(damaged, document, sizeof document);
      damaged[i] = (char)byte;
      read_everything(damaged, len);
    }
  }
  tap_ok(true, "cut and damaged texts are read in bounds");
  tap_is_int((int64_t)ck_json_count((ck_bytes){NULL, 0}), 0, "no bytes have no members");
  ck_bytes list = ck_bytes_text("[\"a\",\"b\",\"c\"]");
  tap_is_int((int64_t)ck_json_count_common(list, ck_bytes_text("[\"a\",\"b\",\"x\",\"c\"]")), 2,
             "two lists begin alike up to where they differ");
  tap_is_int((int64_t)ck_json_count_common(list, ck_bytes_text("[\"a\"]")), 1, "or one ends");
  tap_is_int((int64_t)ck_json_count_common(list, (ck_bytes){NULL, 0}), 0, "with none not at all");
}

int main(void) {
  test_get();
  test_get_all();
  test_iterate();
  test_types();
  test_strings();
  test_ints();
  test_doubles();
  test_any_text();
  return tap_done();
}
