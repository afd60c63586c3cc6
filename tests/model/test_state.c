/* test_state.c - keyed state is what a plain list of pairs would be, whatever is put, removed,
 * copied. */
#include "core/model/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { MODEL_KEYS = 300, CHURN = 60000, MANY = 100000 };

static uint64_t seed = 0x9e3779b97f4a7c15;
static uint64_t next_random(void) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return seed;
}

static ck_value *number(uint64_t n) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)n);
  ck_value *value = NULL;
  if (ck_value_copy(&value, ck_bytes_text(text), NULL) != CK_OK) abort();
  return value;
}

static ck_state *new_state(void) {
  ck_state *state = NULL;
  if (ck_state_new(&state, NULL) != CK_OK) abort();
  return state;
}

/* The model: slot i is the value of key i, NULL when absent. */
typedef struct model {
  ck_value *values[MODEL_KEYS];
} model;

static void key_of(char out[32], size_t i) {
  snprintf(out, 32, "%s.%zx", i % 2 ? "memory" : "outputs", i * i);
}

/* Counts the ways in which `state` is not `want`. */
static int differences(const ck_state *state, const model *want) {
  int bad = 0;
  size_t count = 0, bytes = 0, listed = 0;
  for (size_t i = 0; i < MODEL_KEYS; i++) {
    char key[32];
    key_of(key, i);
    bad += ck_state_get(state, key) != want->values[i];
    if (!want->values[i]) continue;
    count++;
    bytes += strlen(key) + ck_value_bytes(want->values[i]).len;
  }
  ck_state_entry *entries = NULL;
  if (ck_state_list(&entries, &listed, state, NULL) != CK_OK) abort();
  for (size_t i = 0; i < listed; i++) {
    bad += i > 0 && strcmp(entries[i - 1].key, entries[i].key) >= 0;
    bad += ck_state_get(state, entries[i].key) != entries[i].value;
  }
  free(entries);
  return bad + (count != ck_state_count(state)) + (bytes != ck_state_bytes(state)) +
         (count != listed);
}

/* One random put or remove on both; false when the answers differ. */
static bool change_both(ck_state *state, model *want) {
  size_t i = next_random() % MODEL_KEYS;
  char key[32];
  key_of(key, i);
  if (next_random() % 5 < 2) {
    bool there = want->values[i] != NULL;
    ck_value_free(want->values[i]);
    want->values[i] = NULL;
    return ck_state_remove(state, key) == there;
  }
  ck_value *value = number(next_random() >> next_random() % 60);
  ck_value_free(want->values[i]);
  want->values[i] = value;
  return ck_state_put(state, key, value, NULL) == CK_OK;
}

static void clear_model(model *self) {
  for (size_t i = 0; i < MODEL_KEYS; i++) ck_value_free(self->values[i]);
}

static void test_churn(void) {
  ck_state *state = new_state();
  model want = {0};
  int bad = 0, wrong = 0;
  for (int i = 0; i < CHURN; i++) {
    wrong += !change_both(state, &want);
    if (i % 997 == 0) bad += differences(state, &want);
  }
  tap_is_int(wrong, 0, "%d random puts and removes answer as the model does", CHURN);
  tap_is_int(bad + differences(state, &want), 0,
             "and leave what the model has, listed in order of bytes");
  ck_state *copy = NULL;
  tap_is_status(ck_state_copy(&copy, state, NULL), CK_OK, NULL, "state can be copied");
  tap_is_int(differences(copy, &want), 0, "a copy has the same values");
  for (size_t i = 0; i < MODEL_KEYS; i++) {
    char key[32];
    key_of(key, i);
    (void)ck_state_remove(state, key);
  }
  tap_is_int((int64_t)(ck_state_count(state) + ck_state_bytes(state)), 0,
             "emptied state counts nothing");
  ck_state_free(state);
  tap_is_int(differences(copy, &want), 0, "a copy stands when its source was emptied and freed");
  wrong = 0;
  for (int i = 0; i < 2000; i++) wrong += !change_both(copy, &want);
  tap_is_int(wrong + differences(copy, &want), 0, "and can be changed");
  ck_state_free(copy);
  clear_model(&want);
}

static int misses(const ck_state *state, size_t from, size_t step, bool there) {
  int bad = 0;
  for (size_t i = from; i < MANY; i += step) {
    char key[24], text[24];
    snprintf(key, sizeof key, "k%zu", i);
    snprintf(text, sizeof text, "%zu", i);
    ck_value *value = ck_state_get(state, key);
    bad += there ? !value || !ck_bytes_equal(ck_value_bytes(value), ck_bytes_text(text))
                 : value != NULL;
  }
  return bad;
}

static void test_many(void) {
  ck_state *state = new_state();
  int failed = 0;
  for (size_t i = 0; i < MANY; i++) {
    char key[24];
    snprintf(key, sizeof key, "k%zu", i);
    ck_value *value = number(i);
    failed += ck_state_put(state, key, value, NULL) != CK_OK;
    ck_value_free(value);
  }
  tap_is_int(failed, 0, "%d keys are put", MANY);
  tap_is_int((int64_t)ck_state_count(state), MANY, "and counted");
  tap_is_int(misses(state, 0, 1, true), 0, "and found, collisions or not");
  for (size_t i = 0; i < MANY; i += 2) {
    char key[24];
    snprintf(key, sizeof key, "k%zu", i);
    failed += !ck_state_remove(state, key);
  }
  tap_is_int(failed, 0, "every other one is removed");
  tap_is_int(misses(state, 0, 2, false), 0, "and is gone");
  tap_is_int(misses(state, 1, 2, true), 0, "and no other with it");
  ck_state_free(state);
}

static void test_keys(void) {
  char longest[CK_STATE_KEY_MAX + 2];
  memset(longest, 'k', sizeof longest);
  longest[CK_STATE_KEY_MAX] = '\0';
  tap_is_status(ck_state_check_key(longest, NULL), CK_OK, NULL, "a key of %d bytes is taken",
                CK_STATE_KEY_MAX);
  static const char *const good[] = {
      "a", " ", "memory.ä", "../../etc/passwd", "%s%n", "\xf0\x9f\x98\x80", "\"\\", "\xc2\xa0"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    tap_is_status(ck_state_check_key(good[i], NULL), CK_OK, NULL, "good key %zu is taken", i);
  }
  longest[CK_STATE_KEY_MAX] = 'k';
  longest[CK_STATE_KEY_MAX + 1] = '\0';
  const char *bad[] = {NULL,   "",          longest, "a\nb",     "\x1b[2J",      "a\x7f",
                       "\x01", "a\xc2\x85", "\xff",  "\xc0\xaf", "\xed\xa0\x80", "a\xe2\x82"};
  ck_state *state = new_state();
  ck_value *value = number(1);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ck_error err = CK_ERROR_INIT;
    tap_is_status(ck_state_check_key(bad[i], &err), CK_E_USAGE, &err, "bad key %zu is refused", i);
    bool clean = err.text[0] != '\0';
    for (const char *c = err.text; *c; c++)
      clean = clean && (unsigned char)*c >= 0x20 && *c != 0x7f;
    tap_ok(clean && strlen(err.text) < 300, "and shown so that it cannot drive a terminal (%zu)",
           i);
    tap_is_status(ck_state_put(state, bad[i], value, &err), CK_E_USAGE, &err,
                  "and cannot be put (%zu)", i);
  }
  tap_is_status(ck_state_put(state, "a", NULL, NULL), CK_E_USAGE, NULL, "no value cannot be put");
  tap_is_int((int64_t)ck_state_count(state), 0, "nothing refused was kept");
  ck_value_free(value);
  ck_state_free(state);
}

static void test_edges(void) {
  ck_state *state = new_state(), *copy = NULL;
  tap_ok(ck_state_get(state, "a") == NULL, "empty state has no key");
  tap_ok(!ck_state_remove(state, "a"), "nor can one be removed");
  ck_state_entry *entries = NULL;
  size_t count = 7;
  tap_is_status(ck_state_list(&entries, &count, state, NULL), CK_OK, NULL,
                "empty state can be listed");
  tap_ok(entries && count == 0, "as an array of none");
  free(entries);
  tap_is_status(ck_state_copy(&copy, state, NULL), CK_OK, NULL, "and copied");
  ck_value *value = number(42);
  tap_is_status(ck_state_put(copy, "a", value, NULL), CK_OK, NULL,
                "a copy of empty state can be put to");
  tap_ok(ck_state_get(state, "a") == NULL, "without its source seeing it");
  ck_value_free(value);
  value = ck_state_get(copy, "a");
  tap_is_status(ck_state_put(copy, "a", value, NULL), CK_OK, NULL,
                "a key can be put to its own value");
  tap_is_bytes(ck_value_bytes(ck_state_get(copy, "a")), ck_bytes_text("42"), "and keeps it");
  tap_is_int((int64_t)ck_state_bytes(copy), 3, "counted once");
  tap_is_status(ck_state_list(&entries, &count, copy, NULL), CK_OK, NULL,
                "its own key is borrowed");
  tap_ok(ck_state_remove(copy, entries[0].key), "and removed by that very pointer");
  free(entries);
  ck_state_free(copy);
  ck_state_free(state);
  ck_state_free(NULL);
}

/* Bytes above 127 sort behind ASCII; a prefix sorts first. */
static void test_order(void) {
  static const char *const sorted[] = {" ",  "A", "a",        "a.b",
                                       "ab", "z", "\xc3\xa4", "\xf0\x9f\x98\x80"};
  enum { COUNT = sizeof sorted / sizeof *sorted };
  ck_state *state = new_state();
  ck_value *value = number(1);
  for (size_t i = COUNT; i-- > 0;)
    tap_must(ck_state_put(state, sorted[i], value, NULL) == CK_OK, "put %zu", i);
  ck_value_free(value);
  ck_state_entry *entries = NULL;
  size_t count = 0;
  tap_must(ck_state_list(&entries, &count, state, NULL) == CK_OK && count == COUNT,
           "all are listed");
  for (size_t i = 0; i < COUNT; i++)
    tap_is_text(entries[i].key, sorted[i], "entry %zu is in byte order", i);
  free(entries);
  ck_state_free(state);
}

int main(void) {
  test_edges();
  test_order();
  test_keys();
  test_churn();
  test_many();
  return tap_done();
}
