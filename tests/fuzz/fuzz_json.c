/* fuzz_json.c - JSON: what is taken is what the plain reader takes; a walk sees all of it; what is
 * written from it is taken, and says the same. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/json_scan.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/json_reference.h"

static bool is_value(ck_bytes text) { return ck_json_check(text, NULL) == CK_OK; }

/* The string's text, written anew, is read as the same text. */
static void try_string(ck_bytes value) {
  ck_buffer text = {0}, again = {0}, back = {0};
  fuzz_must(ck_json_read_string(&text, value), "a string is read");
  ck_json_append_string(&again, ck_buffer_bytes(&text));
  fuzz_must(is_value(ck_buffer_bytes(&again)), "what is written as a string is one");
  fuzz_must(ck_json_read_string(&back, ck_buffer_bytes(&again)), "and is read");
  fuzz_must(ck_bytes_equal(ck_buffer_bytes(&text), ck_buffer_bytes(&back)), "as the same text");
  fuzz_must(!text.len || ck_json_is_text(value, text.data) == (strlen(text.data) == text.len),
            "a string is its text");
  ck_buffer_clear(&text);
  ck_buffer_clear(&again);
  ck_buffer_clear(&back);
}

/* The double is the one of the C library. */
static void try_number(ck_bytes value) {
  char *text = strndup(value.data, value.len);
  double got = 0, want = strtod(text, NULL);
  int64_t whole;
  fuzz_must(ck_json_read_double(&got, value), "%s is a number", text);
  fuzz_must(memcmp(&got, &want, sizeof got) == 0, "%s is %a, not %a", text, want, got);
  if (ck_json_read_int(&whole, value))
    fuzz_must(whole == strtoll(text, NULL, 10), "%s is an integer", text);
  free(text);
}

/* Writes the value anew, token by token. */
static void write_again(ck_json_writer *w, ck_bytes value) {
  ck_json_type type = ck_json_type_of(value);
  fuzz_must(type != CK_JSON_NONE, "a value of a document has a type");
  if (type == CK_JSON_STRING) try_string(value);
  if (type == CK_JSON_NUMBER) try_number(value);
  if (type != CK_JSON_ARRAY && type != CK_JSON_OBJECT) {
    ck_json_put_raw(w, value);
    return;
  }
  size_t count = 0;
  ck_json_iterator it = ck_json_iterate(value);
  ck_json_begin(w, type == CK_JSON_ARRAY ? '[' : '{');
  for (; ck_json_next(&it); count++) {
    ck_bytes found = it.value;
    if (type == CK_JSON_OBJECT) {
      char *name = ck_json_dup_string(it.name);
      fuzz_must(name != NULL, "a name is a string");
      found = ck_json_get(value, name);
      free(name);
      ck_json_raw_name(w, it.name);
    }
    fuzz_must(found.data == it.value.data && found.len == it.value.len, "a member has its name");
    write_again(w, it.value);
  }
  ck_json_end(w, type == CK_JSON_ARRAY ? ']' : '}');
  fuzz_must(ck_json_count(value) == count, "what is counted is what there is");
}

/* On any bytes the readers stay within them. */
static void read_anyhow(ck_bytes text) {
  ck_buffer out = {0};
  int64_t whole;
  double number;
  bool truth;
  ck_json_iterator it = ck_json_iterate(text);
  while (ck_json_next(&it)) (void)ck_json_type_of(it.value);
  ck_json_get(text, "a");
  ck_json_count(text);
  ck_json_count_common(text, text);
  ck_json_read_string(&out, text);
  ck_json_read_int(&whole, text);
  ck_json_read_double(&number, text);
  ck_json_read_bool(&truth, text);
  ck_json_is_text(text, "a\xc3\xa9");
  free(ck_json_dup_string(text));
  ck_buffer_reset(&out);
  ck_json_append_string(&out, text);
  fuzz_must(is_value(ck_buffer_bytes(&out)), "any bytes can be written as a string");
  ck_buffer_clear(&out);
}

void fuzz_json(ck_bytes input) {
  bool taken = is_value(input);
  fuzz_must(taken == json_reference_takes(input), "both readers %s it", taken ? "refuse" : "take");
  read_anyhow(input);
  if (!taken) return;
  ck_buffer once = {0}, twice = {0};
  write_again(&(ck_json_writer){.out = &once}, input);
  fuzz_must(is_value(ck_buffer_bytes(&once)), "what is written from a document is one");
  write_again(&(ck_json_writer){.out = &twice}, ck_buffer_bytes(&once));
  fuzz_must(ck_bytes_equal(ck_buffer_bytes(&once), ck_buffer_bytes(&twice)),
            "written again it is the same");
  ck_buffer_clear(&once);
  ck_buffer_clear(&twice);
}
