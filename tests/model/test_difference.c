/* test_difference.c - what differs between two JSON values, applied to the first, gives the second;
 * for any two. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc */
#include "core/model/difference.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/value.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { PAIRS = 20000, ALLOCATIONS_MAX = 500 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))

static uint64_t seed = 0x9e3779b97f4a7c15;
static uint64_t next_random(uint64_t below) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return seed % below;
}

/* ---- by example ---- */

static bool append_one(void *to, const ck_difference *one) {
  ck_buffer *out = to;
  ck_buffer_append_format(out, "%s%s %.*s", out->len ? "; " : "", ck_difference_name(one->kind),
                          (int)one->path.len, one->path.data);
  if (one->old.len) ck_buffer_append_format(out, " -%.*s", (int)one->old.len, one->old.data);
  if (one->now.len) ck_buffer_append_format(out, " +%.*s", (int)one->now.len, one->now.data);
  return true;
}

static void differs(const char *from, const char *to, const char *want) {
  ck_buffer got = {0};
  ck_error err = CK_ERROR_INIT;
  ck_status status =
      ck_difference_find(ck_bytes_text(from), ck_bytes_text(to), append_one, &got, &err);
  tap_is_status(status, CK_OK, &err, "%s and %s are compared", from, to);
  tap_is_bytes(ck_buffer_bytes(&got), ck_bytes_text(want), "%s becomes %s", from, to);
  ck_buffer_clear(&got);
}

static void test_examples(void) {
  differs("1", "1", "");
  differs("1", "2", "replace  -1 +2");
  differs("1", "1.0", "replace  -1 +1.0");
  differs("null", "false", "replace  -null +false");
  differs("\"a\"", "\"\\u0061\"", "");
  differs("{\"a\":1,\"b\":[2]}", " {\"b\": [ 2 ], \"\\u0061\": 1}", "");
  differs("{}", "[]", "replace  -{} +[]");
  differs("{\"a\":1}", "{\"b\":1}", "remove /a -1; add /b +1");
  differs("{\"a\":{\"b\":{\"c\":1}}}", "{\"a\":{\"b\":{\"c\":2}}}", "replace /a/b/c -1 +2");
  differs("{\"a/b~c\":1,\"\":{\"\":1}}", "{\"a/b~c\":2,\"\":{\"\":2}}",
          "replace // -1 +2; replace /a~1b~0c -1 +2");
  differs("[1,2,3]", "[1,2,3,4]", "add /3 +4");
  differs("[1,2,3]", "[2,3]", "remove /0 -1");
  differs("[1,2,3,4,5]", "[1,5]", "remove /3 -4; remove /2 -3; remove /1 -2");
  differs("[1,5]", "[1,2,3,4,5]", "add /1 +2; add /2 +3; add /3 +4");
  differs("[1,{\"a\":1},3]", "[1,{\"a\":2},3]", "replace /1/a -1 +2");
  differs("[1,9,8,3]", "[1,7,3]", "replace /1 -9 +7; remove /2 -8");
  differs("[1,1]", "[1,1,1]", "add /2 +1");
}

/* ---- any two values ---- */

static const char *const names[] = {"a", "b",        "c",         "a/b", "~",
                                    "",  "\\u0061b", "long name", "é",   "\\n"};

static void append_random(ck_buffer *out, int depth) {
  uint64_t kind = next_random(depth > 0 ? 9 : 6), count = next_random(5);
  if (kind == 0)
    ck_buffer_append_text(out, "null");
  else if (kind == 1)
    ck_buffer_append_text(out, next_random(2) ? "true" : "false");
  else if (kind <= 3)
    ck_buffer_append_format(out, "%d", (int)next_random(4));
  else if (kind <= 5)
    ck_buffer_append_format(out, "\"%s\"", names[next_random(sizeof names / sizeof *names)]);
  else if (kind == 6) {
    ck_buffer_append_char(out, '{');
    uint64_t at = next_random(4);
    for (uint64_t i = 0; i < count; i++) {
      ck_buffer_append_format(out, "%s\"%s\": ", i ? ", " : "",
                              names[(at + i) % (sizeof names / sizeof *names)]);
      append_random(out, depth - 1);
    }
    ck_buffer_append_char(out, '}');
  } else {
    ck_buffer_append_char(out, '[');
    for (uint64_t i = 0; i < count; i++) {
      if (i) ck_buffer_append_char(out, ',');
      append_random(out, depth - 1);
    }
    ck_buffer_append_char(out, ']');
  }
}

/* A list with a few elements changed, taken away or put in: what a diff is mostly for. */
static void append_edited(ck_buffer *from, ck_buffer *to) {
  ck_buffer_append_char(from, '[');
  ck_buffer_append_char(to, '[');
  bool first_from = true, first_to = true;
  for (uint64_t i = next_random(12); i-- > 0;) {
    ck_buffer element = {0};
    append_random(&element, 3);
    uint64_t edit = next_random(6);
    if (edit != 0)
      ck_buffer_append_format(from, "%s%s", first_from ? "" : ",", element.data),
          first_from = false;
    if (edit == 1)
      ck_buffer_append_format(to, "%s[%s,1]", first_to ? "" : ",", element.data), first_to = false;
    else if (edit != 2)
      ck_buffer_append_format(to, "%s%s", first_to ? "" : ",", element.data), first_to = false;
    ck_buffer_clear(&element);
  }
  ck_buffer_append_char(from, ']');
  ck_buffer_append_char(to, ']');
}

/* The value that a pointer leads to within its container, and what it is called there. */
static cJSON *walk(cJSON *root, ck_bytes path, char *name, size_t size) {
  cJSON *at = root;
  const char *end = path.data + path.len, *c = path.data;
  for (;;) {
    size_t len = 0;
    for (c++; c < end && *c != '/'; c++) {
      char plain = *c;
      if (plain == '~') plain = *++c == '1' ? '/' : '~';
      if (len + 1 < size) name[len++] = plain;
    }
    name[len] = '\0';
    if (c == end || !at) return at;
    at = cJSON_IsArray(at) ? cJSON_GetArrayItem(at, atoi(name))
                           : cJSON_GetObjectItemCaseSensitive(at, name);
  }
}

/* cJSON_InsertItemInArray refuses some places behind a replaced element (1.7.15): the rest is put
 * behind the new one instead. */
static void insert(cJSON *list, int index, cJSON *item) {
  int behind = cJSON_GetArraySize(list) - index;
  cJSON_AddItemToArray(list, item);
  while (behind-- > 0) cJSON_AddItemToArray(list, cJSON_DetachItemFromArray(list, index));
}

static void apply_in(cJSON *parent, const char *name, const ck_difference *one, cJSON *now) {
  bool list = cJSON_IsArray(parent);
  if (one->kind == CK_DIFFERENCE_ADD) {
    if (list)
      insert(parent, atoi(name), now);
    else
      cJSON_AddItemToObject(parent, name, now);
  } else if (one->kind == CK_DIFFERENCE_REMOVE) {
    if (list)
      cJSON_DeleteItemFromArray(parent, atoi(name));
    else
      cJSON_DeleteItemFromObjectCaseSensitive(parent, name);
  } else if (list) {
    cJSON_ReplaceItemInArray(parent, atoi(name), now);
  } else {
    cJSON_ReplaceItemInObjectCaseSensitive(parent, name, now);
  }
}

/* RFC 6902, and the old value must be what stands there. */
typedef struct patch {
  cJSON *root;
  size_t count, wrong;
} patch;

static bool apply(void *to, const ck_difference *one) {
  patch *self = to;
  char name[64] = "";
  cJSON *now = one->now.len ? cJSON_ParseWithLength(one->now.data, one->now.len) : NULL;
  self->count++;
  if (one->path.len == 0) {
    cJSON_Delete(self->root);
    self->root = now;
    return true;
  }
  cJSON *parent = walk(self->root, one->path, name, sizeof name);
  cJSON *there = cJSON_IsArray(parent) ? cJSON_GetArrayItem(parent, atoi(name))
                                       : cJSON_GetObjectItemCaseSensitive(parent, name);
  cJSON *old = one->old.len ? cJSON_ParseWithLength(one->old.data, one->old.len) : NULL;
  if (old && !cJSON_Compare(there, old, true)) self->wrong++;
  if (!parent || (!old && !cJSON_IsArray(parent) && there)) self->wrong++;
  cJSON_Delete(old);
  apply_in(parent, name, one, now);
  return true;
}

static bool is_exact(ck_bytes from, ck_bytes to) {
  patch p = {.root = cJSON_ParseWithLength(from.data, from.len)};
  cJSON *want = cJSON_ParseWithLength(to.data, to.len);
  bool same = cJSON_Compare(p.root, want, true);
  bool found = ck_difference_find(from, to, apply, &p, NULL) == CK_OK;
  bool held = found && p.wrong == 0 && cJSON_Compare(p.root, want, true) && (p.count == 0) == same;
  cJSON_Delete(p.root);
  cJSON_Delete(want);
  return held;
}

static void test_random(void) {
  int bad = 0;
  ck_buffer from = {0}, to = {0};
  for (int i = 0; i < PAIRS; i++) {
    ck_buffer_reset(&from);
    ck_buffer_reset(&to);
    if (i % 2) {
      append_edited(&from, &to);
    } else {
      append_random(&from, 4);
      append_random(&to, 4);
    }
    if (ck_json_check(ck_buffer_bytes(&from), NULL) != CK_OK ||
        ck_json_check(ck_buffer_bytes(&to), NULL) != CK_OK)
      continue;
    if (is_exact(ck_buffer_bytes(&from), ck_buffer_bytes(&to))) continue;
    if (bad++ < 5) tap_diag("%s\n and %s", from.data, to.data);
  }
  tap_is_int(bad, 0, "of any two values, the differences applied to the first give the second");
  ck_buffer_clear(&from);
  ck_buffer_clear(&to);
}

/* ---- bounds ---- */

static void test_deep_and_wide(void) {
  ck_buffer from = {0}, to = {0}, got = {0};
  for (int i = 0; i < CK_JSON_DEPTH_MAX; i++) ck_buffer_append_char(&from, '[');
  for (int i = 0; i < CK_JSON_DEPTH_MAX; i++) ck_buffer_append_char(&from, ']');
  ck_buffer_append_bytes(&to, ck_buffer_bytes(&from));
  to.data[CK_JSON_DEPTH_MAX - 1] = '1', to.data[CK_JSON_DEPTH_MAX] = ' ';
  tap_is_status(
      ck_difference_find(ck_buffer_bytes(&from), ck_buffer_bytes(&to), append_one, &got, NULL),
      CK_OK, NULL, "the deepest");
  tap_ok(strstr(got.data, "replace /0/0/0"), "is found");
  ck_buffer_reset(&from), ck_buffer_reset(&to), ck_buffer_reset(&got);
  for (int i = 0; i < 50000; i++) {
    ck_buffer_append_format(&from, "%c\"k%d\":%d", i ? ',' : '{', i, i);
    ck_buffer_append_format(&to, "%c\"k%d\":%d", i ? ',' : '{', 49999 - i,
                            49999 - i == 777 ? 0 : 49999 - i);
  }
  ck_buffer_append_char(&from, '}'), ck_buffer_append_char(&to, '}');
  tap_is_status(
      ck_difference_find(ck_buffer_bytes(&from), ck_buffer_bytes(&to), append_one, &got, NULL),
      CK_OK, NULL, "50,000 members in another order");
  tap_is_bytes(ck_buffer_bytes(&got), ck_bytes_text("replace /k777 -777 +0"),
               "are compared by name");
  ck_buffer_clear(&from);
  ck_buffer_clear(&to);
  ck_buffer_clear(&got);
}

static bool stop(void *to, const ck_difference *one) {
  (void)one;
  ++*(int *)to;
  return false;
}

static void test_stop(void) {
  int count = 0;
  ck_status status = ck_difference_find(ck_bytes_text("[1,2,{\"a\":1}]"),
                                        ck_bytes_text("[2,3,{\"a\":2},4]"), stop, &count, NULL);
  tap_ok(status == CK_OK && count == 1, "a visitor that stops is not called again");
}

static bool ignore(void *to, const ck_difference *one) {
  (void)to, (void)one;
  return true;
}

static void test_no_memory(void) {
  ck_bytes from = ck_bytes_text("{\"a\":[{\"\\u0062\":\"x\\n\"},2,3],\"c\":{\"d\":\"e\"}}");
  ck_bytes to = ck_bytes_text("{\"c\":{\"d\":\"f\"},\"a\":[{\"b\":\"x\\u000a\"},{\"z\":[]},4,5]}");
  int refused = 0;
  ck_status status = CK_E_NO_MEMORY;
  for (long n = 0; status != CK_OK && n < ALLOCATIONS_MAX; n++) {
    budget = n;
    ck_error err = CK_ERROR_INIT;
    status = ck_difference_find(from, to, ignore, NULL, &err);
    budget = -1;
    refused += status == CK_E_NO_MEMORY && err.status == CK_E_NO_MEMORY;
    if (status != CK_OK && status != CK_E_NO_MEMORY) break;
  }
  tap_is_status(status, CK_OK, NULL, "with enough memory it works");
  tap_ok(refused > 5, "without it says so, whichever allocation fails (%d)", refused);
}

int main(void) {
  test_examples();
  test_random();
  test_deep_and_wide();
  test_stop();
  test_no_memory();
  return tap_done();
}
