/* test_answers.c - what policies answered is written in few bytes and read back exactly; bytes that
 * were cut, changed, made up or written by a later version are told apart and harm nothing. */
#include <stdlib.h>
#include <string.h>

#include "core/model/answers.h"
#include "tests/tap.h"

static ck_bytes bytes_of(const char *data, size_t len) { return (ck_bytes){data, len}; }

static bool same(const ck_answers *a, const ck_answers *b) {
  return a->hook == b->hook && a->took_us == b->took_us &&
         memcmp(a->policies, b->policies, sizeof a->policies) == 0;
}

/* The bytes are on disk: they are written down here as the header defines them. */
static void test_format(void) {
  static const char one[] = {1, 0x12, 3, 0x01, 0x02, 0x11, 0x01};
  static const char nobody[] = {1, 0x10, 0};
  static const char late[] = {1, 0x11, (char)0xe8, 0x07, 0x72, 0x00, 0x02};
  char space[CK_ANSWERS_SIZE];
  ck_answers of = {.hook = CK_HOOK_CHECKPOINT, .took_us = 3};
  ck_answers_put(&of, 1, CK_ANSWER_NO);
  ck_answers_put(&of, 0, CK_ANSWER_YES);
  tap_is_bytes(ck_answers_encode(space, &of), bytes_of(one, sizeof one),
               "one says yes, one no, a third was not asked");
  of = (ck_answers){.hook = CK_HOOK_CHECKPOINT, .took_us = -1};
  tap_is_bytes(ck_answers_encode(space, &of), bytes_of(nobody, sizeof nobody), "nobody was asked");
  of = (ck_answers){.hook = CK_HOOK_CHECKPOINT, .took_us = 1000};
  ck_answers_put(&of, 9, CK_ANSWER_FAILED);
  ck_answers_put(&of, 64, CK_ANSWER_YES);
  tap_is_bytes(ck_answers_encode(space, &of), bytes_of(late, sizeof late),
               "the tenth failed after 1,000 us; a 65th leaves no mark");
}

static void test_names(void) {
  static const char *const words[] = {"no", "yes", "yes, waited for", NULL, NULL,
                                      NULL, NULL,  "failed",          NULL};
  tap_is_text(ck_hook_name((ck_hook)1), "checkpoint", "hook 1");
  for (int i = 0; i < 9; i++)
    tap_is_text(ck_answer_name(CK_HOOK_CHECKPOINT, i), words[i], "answer %d of checkpoint", i);
  static const char *const pruning[] = {"no opinion", "drop", "keep", NULL};
  tap_is_text(ck_hook_name((ck_hook)2), "prune", "hook 2");
  for (int i = 0; i < 4; i++)
    tap_is_text(ck_answer_name(CK_HOOK_PRUNE, i), pruning[i], "answer %d of prune", i);
  static const char *const redacting[] = {"left", "drop", "mask", "ref", "texts", NULL};
  tap_is_text(ck_hook_name((ck_hook)3), "redact", "hook 3");
  for (int i = 0; i < 6; i++)
    tap_is_text(ck_answer_name(CK_HOOK_REDACT, i), redacting[i], "answer %d of redact", i);
  static const char *const telling[] = {"in", "out", NULL};
  tap_is_text(ck_hook_name((ck_hook)5), "tail", "hook 5");
  for (int i = 0; i < 3; i++)
    tap_is_text(ck_answer_name(CK_HOOK_TAIL, i), telling[i], "answer %d of tail", i);
  static const char *const failing[] = {"no opinion", "pause", "retry", "fail", "fallback", NULL};
  tap_is_text(ck_hook_name((ck_hook)6), "on_failure", "hook 6");
  for (int i = 0; i < 6; i++)
    tap_is_text(ck_answer_name(CK_HOOK_ON_FAILURE, i), failing[i], "answer %d of on_failure", i);
  static const char *const doubting[] = {"no opinion", "stop", "rerun", "tell", NULL};
  tap_is_text(ck_hook_name((ck_hook)7), "in_doubt", "hook 7");
  for (int i = 0; i < 5; i++)
    tap_is_text(ck_answer_name(CK_HOOK_IN_DOUBT, i), doubting[i], "answer %d of in_doubt", i);
  static const char *const leaving[] = {"allow", "ask", "deny", NULL};
  tap_is_text(ck_hook_name((ck_hook)8), "permit", "hook 8");
  for (int i = 0; i < 4; i++)
    tap_is_text(ck_answer_name(CK_HOOK_PERMIT, i), leaving[i], "answer %d of permit", i);
  tap_ok(ck_answer_name(CK_HOOK_CHECKPOINT, -1) == NULL, "there is no answer below 0");
  tap_ok(ck_hook_name((ck_hook)15) == NULL && ck_answer_name((ck_hook)15, 0) == NULL,
         "a hook of a later version has no name");
}

/* At most 24 bytes: 32 policies, four different answers, 16,383 us. */
static void test_size(void) {
  char space[CK_ANSWERS_SIZE];
  static const int answers[] = {CK_ANSWER_NO, CK_ANSWER_YES, CK_ANSWER_SYNC, CK_ANSWER_FAILED};
  size_t most = 0;
  for (size_t count = 1; count <= 32; count++) {
    ck_answers of = {.hook = CK_HOOK_CHECKPOINT, .took_us = 16383};
    for (size_t i = 0; i < count; i++) ck_answers_put(&of, i, answers[i % 4]);
    size_t len = ck_answers_encode(space, &of).len;
    most = len > most ? len : most;
  }
  tap_is_int((int64_t)most, 24, "the answers of up to 32 policies, in bytes");
}

static void check_reading(const char *name, ck_bytes bytes, ck_status want) {
  ck_answers got;
  ck_error err = CK_ERROR_INIT;
  ck_bytes rest = bytes;
  tap_is_status(ck_answers_decode(&got, &rest, &err), want, &err, "%s", name);
  ck_answers none = {0};
  tap_ok(same(&got, &none) && rest.len == bytes.len, "%s: nothing is read of it", name);
}

static void test_refusals(void) {
  static const char later[] = {2, 0x12, 3}, zero[] = {0, 0x10, 0};
  static const char wide[] = {1, 0x11, 0, 0x19, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  static const char unknown_answer[] = {1, 0x11, 0, (char)0x81, 1},
                    padded[] = {1, 0x11, 0, 0x02, 1, 0};
  static const char empty_mask[] = {1, 0x11, 0, 0x00}, order[] = {1, 0x12, 0, 0x11, 1, 0x01, 2};
  static const char long_time[] = {1, 0x10, (char)0x80, 0};
  check_reading("no bytes", bytes_of(NULL, 0), CK_E_EMPTY);
  check_reading("a later version", bytes_of(later, sizeof later), CK_E_NEWER);
  check_reading("version 0", bytes_of(zero, sizeof zero), CK_E_CORRUPT);
  check_reading("a mask of 9 bytes", bytes_of(wide, sizeof wide), CK_E_CORRUPT);
  check_reading("answer 8", bytes_of(unknown_answer, sizeof unknown_answer), CK_E_CORRUPT);
  check_reading("a zero byte at a mask's end", bytes_of(padded, sizeof padded), CK_E_CORRUPT);
  check_reading("an answer of nobody", bytes_of(empty_mask, sizeof empty_mask), CK_E_CORRUPT);
  check_reading("answers in another order", bytes_of(order, sizeof order), CK_E_CORRUPT);
  check_reading("a time that is written too long", bytes_of(long_time, sizeof long_time),
                CK_E_CORRUPT);
}

/* SplitMix64: the same numbers in each run of the test. */
static uint64_t number(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static ck_answers made_up(uint64_t *state) {
  ck_answers of = {.hook = (ck_hook)(number(state) % 16),
                   .took_us = (int64_t)(number(state) >> (1 + number(state) % 63))};
  size_t policies = (size_t)(number(state) % 65);
  for (size_t i = 0; i < policies; i++)
    ck_answers_put(&of, i, (int)(number(state) % CK_ANSWER_COUNT));
  return of;
}

/* What is read of any bytes is written as the same bytes; nothing behind `len` is looked at, which
 * an allocation of that size lets the sanitizers see. */
static bool is_safe(const char *data, size_t len) {
  char *copy = malloc(len + !len), space[CK_ANSWERS_SIZE];
  tap_must(copy != NULL, "memory");
  memcpy(copy, data, len);
  ck_answers of;
  ck_bytes rest = {copy, len};
  ck_status status = ck_answers_decode(&of, &rest, NULL);
  bool good = status == CK_OK
                  ? ck_bytes_equal(ck_answers_encode(space, &of), bytes_of(copy, len - rest.len))
                  : rest.len == len;
  free(copy);
  return good;
}

static void test_fuzz(void) {
  uint64_t state = 12;
  size_t read_back = 0, safe = 0, cuts = 0, refused = 0, tries = 0;
  for (int round = 0; round < 400; round++) {
    char space[2 * CK_ANSWERS_SIZE];
    ck_answers of = made_up(&state), got;
    ck_bytes bytes = ck_answers_encode(space, &of), rest = bytes;
    read_back += ck_answers_decode(&got, &rest, NULL) == CK_OK && same(&of, &got) && !rest.len;
    for (size_t len = 1; len < bytes.len; len++, cuts++) {
      rest = bytes_of(space, len);
      refused += ck_answers_decode(&got, &rest, NULL) == CK_E_CORRUPT;
    }
    for (size_t i = 0; i < bytes.len; i++, tries++) {
      char before = space[i];
      space[i] = (char)number(&state);
      safe += is_safe(space, bytes.len);
      space[i] = before;
    }
    size_t len = (size_t)(number(&state) % sizeof space);
    for (size_t i = 0; i < len; i++) space[i] = (char)number(&state);
    if (len && round % 2) space[0] = 1;
    safe += is_safe(space, len);
    tries++;
  }
  tap_is_int((int64_t)read_back, 400, "what was written is read back");
  tap_is_int((int64_t)refused, (int64_t)cuts, "all that were cut are refused");
  tap_is_int((int64_t)safe, (int64_t)tries, "changed and made-up bytes harm nothing");
}

/* The answers to two hooks of one event. */
static void test_several(void) {
  char space[2 * CK_ANSWERS_SIZE], second[CK_ANSWERS_SIZE];
  ck_answers first = {.hook = CK_HOOK_CHECKPOINT}, other = {.hook = (ck_hook)15}, got;
  ck_answers_put(&first, 0, CK_ANSWER_YES);
  ck_answers_put(&other, 5, 6);
  ck_error err = CK_ERROR_INIT;
  size_t len = ck_answers_encode(space, &first).len;
  ck_bytes behind = ck_answers_encode(second, &other);
  memcpy(space + len, behind.data, behind.len);
  ck_bytes rest = bytes_of(space, len + behind.len);
  tap_is_status(ck_answers_decode(&got, &rest, &err), CK_OK, &err, "the first of two is read");
  tap_ok(same(&got, &first), "as it was written");
  tap_is_status(ck_answers_decode(&got, &rest, &err), CK_OK, &err, "then the second");
  tap_ok(same(&got, &other), "also of a hook that this version does not know");
  tap_is_status(ck_answers_decode(&got, &rest, &err), CK_E_EMPTY, &err, "then there is none");
}

int main(void) {
  test_format();
  test_names();
  test_size();
  test_refusals();
  test_several();
  test_fuzz();
  return tap_done();
}
