/* test_conversation.c - equal messages in equal order have equal digests, however they got
 * there. */
#include "core/model/conversation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { ROUNDS = 3000, MESSAGES_MAX = 200 };

static uint64_t seed = 0x853c49e6748fea9b;
static uint64_t next_random(void) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return seed;
}

static ck_conversation *new_conversation(void) {
  ck_conversation *self = NULL;
  if (ck_conversation_new(&self, NULL) != CK_OK) abort();
  return self;
}

static void append(ck_conversation *self, const char *text) {
  ck_value *value = NULL;
  if (ck_value_copy(&value, ck_bytes_text(text), NULL) != CK_OK) abort();
  if (ck_conversation_append(self, value, NULL) != CK_OK) abort();
  ck_value_free(value);
}

/* The digest of these messages in a fresh conversation. */
static ck_digest digest_of(const char *const *texts, size_t count) {
  ck_conversation *self = new_conversation();
  for (size_t i = 0; i < count; i++) append(self, texts[i]);
  ck_digest digest = ck_conversation_digest(self);
  ck_conversation_free(self);
  return digest;
}

static bool same(ck_digest a, ck_digest b) { return ck_digest_equal(&a, &b); }

static void test_digest(void) {
  const char *ab_c[] = {"\"ab\"", "\"c\""}, *a_bc[] = {"\"a\"", "\"bc\""},
             *c_ab[] = {"\"c\"", "\"ab\""};
  tap_ok(same(digest_of(ab_c, 2), digest_of(ab_c, 2)), "equal conversations have equal digests");
  tap_ok(!same(digest_of(ab_c, 2), digest_of(a_bc, 2)), "where one message ends counts");
  tap_ok(!same(digest_of(ab_c, 2), digest_of(c_ab, 2)), "the order counts");
  tap_ok(!same(digest_of(ab_c, 2), digest_of(ab_c, 1)), "a prefix has another digest");
  tap_ok(!same(digest_of(ab_c, 0), digest_of(ab_c, 1)), "so has no message at all");
  const char *spaced[] = {"{\"a\":1}"}, *other[] = {"{\"a\": 1}"};
  tap_ok(!same(digest_of(spaced, 1), digest_of(other, 1)), "spelling counts: bytes, not meaning");
  ck_conversation *self = new_conversation();
  append(self, "1");
  ck_digest once = ck_conversation_digest(self), twice = ck_conversation_digest(self);
  tap_ok(same(once, twice), "asking for the digest does not change it");
  ck_conversation_free(self);
}

/* The formula is part of request digests on disk: fields of all messages, then their count. */
static void test_formula(void) {
  const char *texts[] = {"{\"role\":\"user\",\"content\":\"hi\"}", "{}"};
  ck_digester digester;
  ck_digester_init(&digester);
  for (size_t i = 0; i < 2; i++) ck_digester_update_field(&digester, ck_bytes_text(texts[i]));
  ck_digester_update_int(&digester, 2);
  tap_ok(same(digest_of(texts, 2), ck_digester_final(&digester)),
         "the digest is that of length and bytes of each, and the count");
}

static void test_append_and_cut(void) {
  ck_conversation *self = new_conversation();
  const char *texts[MESSAGES_MAX];
  static char store[ROUNDS][16];
  size_t count = 0;
  int bad = 0;
  for (int i = 0; i < ROUNDS; i++) {
    if (count == MESSAGES_MAX || next_random() % 8 == 0) {
      count = next_random() % (count + 1);
      bad += ck_conversation_cut(self, count, NULL) != CK_OK;
    } else {
      snprintf(store[i], sizeof store[i], "\"%llx\"",
               (unsigned long long)(next_random() >> next_random() % 60 & 0xffffffffff));
      texts[count++] = store[i];
      append(self, store[i]);
    }
    bad += ck_conversation_count(self) != count;
    if (i % 16 == 0) bad += !same(ck_conversation_digest(self), digest_of(texts, count));
  }
  for (size_t i = 0; i < count; i++) {
    bad += !ck_bytes_equal(ck_value_bytes(ck_conversation_get(self, i)), ck_bytes_text(texts[i]));
  }
  tap_is_int(
      bad, 0,
      "after %d random appends and cuts: messages and digest are those of a fresh conversation",
      ROUNDS);
  ck_conversation_free(self);
}

static void test_cut_edges(void) {
  ck_conversation *self = new_conversation();
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_conversation_cut(self, 0, &err), CK_OK, &err,
                "an empty conversation is cut at 0");
  tap_is_status(ck_conversation_cut(self, 1, &err), CK_E_RANGE, &err, "and not behind its end");
  append(self, "1");
  append(self, "2");
  ck_digest two = ck_conversation_digest(self);
  tap_is_status(ck_conversation_cut(self, 3, &err), CK_E_RANGE, &err, "nor is a longer one");
  tap_ok(ck_conversation_count(self) == 2 && same(two, ck_conversation_digest(self)),
         "a refused cut changes nothing");
  tap_is_status(ck_conversation_cut(self, 2, &err), CK_OK, &err, "a cut at the end");
  tap_ok(ck_conversation_count(self) == 2 && same(two, ck_conversation_digest(self)),
         "changes nothing");
  tap_is_status(ck_conversation_cut(self, 0, &err), CK_OK, &err, "a cut at 0");
  tap_ok(ck_conversation_count(self) == 0 && same(digest_of(NULL, 0), ck_conversation_digest(self)),
         "empties it");
  ck_conversation_free(self);
  ck_conversation_free(NULL);
}

static ck_status rewind_to(ck_conversation *self, const char *what, ck_error *err) {
  ck_value *rewind = NULL;
  tap_must(ck_value_copy(&rewind, ck_bytes_text(what), NULL) == CK_OK, "a rewind");
  ck_status status = ck_conversation_rewind(self, rewind, err);
  ck_value_free(rewind);
  return status;
}

#define REPORT "{\"role\":\"user\",\"content\":\"R\"}"

static void test_rewind(void) {
  static const char *const four[] = {"1", "2", "3", "4"};
  static const struct {
    const char *rewind;
    const char *left[6];
  } cases[] = {
      {"{\"to\":1,\"report\":\"R\"}", {"1", REPORT}},
      {"{\"to\":1,\"report\":\"R\",\"keep\":2}", {"1", REPORT, "3", "4"}},
      {"{\"to\":2,\"report\":\"R\",\"keep\":2}", {"1", "2", REPORT, "3", "4"}},
      {"{\"to\":0,\"report\":\"R\",\"keep\":4}", {REPORT, "1", "2", "3", "4"}},
      {"{\"to\":4,\"report\":\"R\",\"keep\":0}", {"1", "2", "3", "4", REPORT}},
      {"{\"to\":0,\"report\":\"R\"}", {REPORT}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_conversation *self = new_conversation();
    size_t count = 0;
    for (size_t m = 0; m < 4; m++) append(self, four[m]);
    ck_error err = CK_ERROR_INIT;
    tap_is_status(rewind_to(self, cases[i].rewind, &err), CK_OK, &err, "%s is carried out",
                  cases[i].rewind);
    while (cases[i].left[count]) count++;
    tap_ok(ck_conversation_count(self) == count &&
               same(ck_conversation_digest(self), digest_of(cases[i].left, count)),
           "and leaves what lies before, the report, and what is kept");
    append(self, "5");
    tap_is_bytes(ck_value_bytes(ck_conversation_get(self, count)), ck_bytes_text("5"),
                 "more can be appended");
    ck_conversation_free(self);
  }
}

static void test_bad_rewinds(void) {
  static const struct {
    const char *rewind;
    ck_status want;
  } cases[] = {
      {"{\"to\":3,\"report\":\"R\"}", CK_E_RANGE},
      {"{\"to\":1,\"report\":\"R\",\"keep\":2}", CK_E_RANGE},
      {"{\"to\":-1,\"report\":\"R\"}", CK_E_RANGE},
      {"{\"to\":0,\"report\":\"R\",\"keep\":-1}", CK_E_RANGE},
      {"{\"to\":9223372036854775807,\"report\":\"R\",\"keep\":9223372036854775807}", CK_E_RANGE},
      {"{\"report\":\"R\"}", CK_E_TYPE},
      {"{\"to\":0}", CK_E_TYPE},
      {"{\"to\":0,\"report\":1}", CK_E_TYPE},
      {"{\"to\":0,\"report\":\"R\",\"keep\":\"1\"}", CK_E_TYPE},
  };
  ck_conversation *self = new_conversation();
  append(self, "1");
  append(self, "2");
  ck_digest before = ck_conversation_digest(self);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_error err = CK_ERROR_INIT;
    tap_is_status(rewind_to(self, cases[i].rewind, &err), cases[i].want, &err, "%s is refused",
                  cases[i].rewind);
    tap_ok(ck_conversation_count(self) == 2 && same(before, ck_conversation_digest(self)),
           "and changes nothing");
  }
  ck_conversation_free(self);
}

static void test_sharing(void) {
  ck_conversation *self = new_conversation();
  ck_value *value = NULL;
  tap_must(ck_message_user(&value, ck_bytes_text("\"hi\""), NULL) == CK_OK, "a message");
  for (int i = 0; i < 3; i++)
    tap_must(ck_conversation_append(self, value, NULL) == CK_OK, "the same one, time %d", i);
  tap_ok(ck_conversation_get(self, 2) == value, "a message is shared, not copied");
  ck_value_free(value);
  tap_is_bytes(ck_value_bytes(ck_conversation_get(self, 0)),
               ck_bytes_text("{\"role\":\"user\",\"content\":\"hi\"}"),
               "and lives as long as the conversation");
  ck_conversation_free(self);
}

static void is_message(ck_value *value, ck_status status, const char *want, const char *what) {
  tap_is_status(status, CK_OK, NULL, "%s is made", what);
  tap_is_bytes(ck_value_bytes(value), ck_bytes_text(want), "%s, byte for byte", what);
  tap_is_status(ck_json_check(ck_value_bytes(value), NULL), CK_OK, NULL, "%s is strict JSON", what);
  ck_value_free(value);
}

static void test_messages(void) {
  ck_value *value = NULL;
  ck_status status = ck_message_system(&value, ck_bytes_text("You \"are\"\n\xc3\xa4 \xff\\"), NULL);
  is_message(value, status,
             "{\"role\":\"system\",\"content\":\"You \\\"are\\\"\\n\xc3\xa4 \xef\xbf\xbd\\\\\"}",
             "a system message");
  status = ck_message_system(&value, (ck_bytes){NULL, 0}, NULL);
  is_message(value, status, "{\"role\":\"system\",\"content\":\"\"}", "an empty system message");
  status = ck_message_user(&value, ck_bytes_text("\"a\\u0041\\/\""), NULL);
  is_message(value, status, "{\"role\":\"user\",\"content\":\"a\\u0041\\/\"}",
             "a user message keeps escapes");
  status = ck_message_user(&value, ck_bytes_text("[{\"type\": \"text\", \"text\":\"x\"}]"), NULL);
  is_message(value, status,
             "{\"role\":\"user\",\"content\":[{\"type\": \"text\", \"text\":\"x\"}]}",
             "a user message of parts");
  status = ck_message_tool(&value, "call_\"1\"", "find", ck_bytes_text("\"\""), NULL);
  is_message(
      value, status,
      "{\"role\":\"tool\",\"tool_call_id\":\"call_\\\"1\\\"\",\"name\":\"find\",\"content\":\"\"}",
      "an empty tool result");
  status = ck_message_tool(&value, NULL, "find", ck_bytes_text("{\"n\":1e2}"), NULL);
  is_message(value, status, "{\"role\":\"tool\",\"name\":\"find\",\"content\":{\"n\":1e2}}",
             "a tool result without call id");
}

int main(void) {
  test_digest();
  test_formula();
  test_append_and_cut();
  test_cut_edges();
  test_rewind();
  test_bad_rewinds();
  test_sharing();
  test_messages();
  return tap_done();
}
