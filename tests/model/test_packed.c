/* test_packed.c - a long conversation whose older messages are packed has the same messages, byte
 * for byte, and the same digest, and what nobody reads takes little room. */
/* link: -Wl,--wrap=malloc,--wrap=realloc,--wrap=reallocarray,--wrap=ck_value_free */
/* link: -Wl,--wrap=ck_placeholder_digest_field */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/placeholder.h"
#include "core/store/packer.h"
#include "tests/starve.h"
#include "tests/tap.h"

WRAP(malloc, (size_t size), (size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))

static size_t hashed; /* messages */
bool __real_ck_placeholder_digest_field(ck_digester *to, ck_bytes text);
bool __wrap_ck_placeholder_digest_field(ck_digester *to, ck_bytes text);
bool __wrap_ck_placeholder_digest_field(ck_digester *to, ck_bytes text) {
  hashed++;
  return __real_ck_placeholder_digest_field(to, text);
}

static size_t freed; /* values, and what is none */
void __real_ck_value_free(ck_value *self);
void __wrap_ck_value_free(ck_value *self);
void __wrap_ck_value_free(ck_value *self) {
  freed++;
  __real_ck_value_free(self);
}

enum { ROUNDS = 400, MESSAGE_MAX = 60000, MESSAGES_MAX = 1000 };

static uint64_t seed = 0x9e3779b97f4a7c15;
static uint64_t next_random(void) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return seed;
}

/* What the conversation must hold, kept apart. */
static ck_value *expected[MESSAGES_MAX];
static size_t count;

static ck_value *make_message(bool tool) {
  static unsigned number;
  ck_buffer text = {0};
  ck_value *made;
  ck_buffer_append_format(&text, "{\"role\":\"%s\",\"content\":\"%u ", tool ? "tool" : "user",
                          number++);
  for (size_t len = next_random() % MESSAGE_MAX; text.len < len;)
    ck_buffer_append_format(&text, "%llx and so on and on, ",
                            (unsigned long long)next_random() % 4096);
  ck_buffer_append_text(&text, "\"}");
  tap_must(ck_value_from(&made, &text, NULL) == CK_OK, "a message");
  ck_buffer_clear(&text);
  return made;
}

static void append(ck_conversation *self, bool tool) {
  ck_value *message = expected[count++] = make_message(tool);
  tap_must(ck_conversation_append(self, message, NULL) == CK_OK, "it is appended");
}

static void drop_expected(size_t from, size_t to) {
  for (size_t i = from; i < to; i++) ck_value_free(expected[i]);
  memmove(&expected[from], &expected[to], (count - to) * sizeof *expected);
  count -= to - from;
}

static void rewind_both(ck_conversation *self) {
  size_t to = next_random() % (count + 1), keep = next_random() % (count - to + 1);
  char text[80];
  ck_value *rewind;
  snprintf(text, sizeof text, "{\"to\":%zu,\"keep\":%zu,\"report\":\"R\"}", to, keep);
  tap_must(ck_value_copy(&rewind, ck_bytes_text(text), NULL) == CK_OK, "a rewind");
  tap_must(ck_conversation_rewind(self, rewind, NULL) == CK_OK, "it is carried out");
  ck_value_free(rewind);
  drop_expected(to, count - keep);
  memmove(&expected[to + 1], &expected[to], (count - to) * sizeof *expected);
  tap_must(ck_message_user(&expected[to], ck_bytes_text("\"R\""), NULL) == CK_OK, "a report");
  count++;
}

static void cut_both(ck_conversation *self) {
  size_t at = next_random() % (count + 1);
  tap_must(ck_conversation_cut(self, at, NULL) == CK_OK, "it is cut");
  drop_expected(at, count);
}

static bool is_same_digest(const ck_conversation *self) {
  ck_conversation *fresh;
  tap_must(ck_conversation_new(&fresh, NULL) == CK_OK, "a conversation");
  for (size_t i = 0; i < count; i++)
    tap_must(ck_conversation_append(fresh, expected[i], NULL) == CK_OK, "a message");
  ck_digest a = ck_conversation_digest(self), b = ck_conversation_digest(fresh);
  ck_conversation_free(fresh);
  return ck_digest_equal(&a, &b);
}

static bool is_there(const ck_conversation *self, size_t from) {
  bool same = ck_conversation_count(self) == count;
  for (size_t i = from; same && i < count; i++)
    same =
        ck_bytes_equal(ck_value_bytes(ck_conversation_get(self, i)), ck_value_bytes(expected[i]));
  return same;
}

/* From where on it can be read while it is packed. */
static size_t readable_from(void) {
  size_t at = count;
  while (at > 0 && strncmp(ck_value_bytes(expected[at - 1]).data, "{\"role\":\"tool", 13) == 0)
    at--;
  return at ? at - 1 : 0;
}

static int wrong;

static void move(ck_conversation *self, int round) {
  static bool tools; /* for a while nothing but results of tools */
  uint64_t chance = next_random() % 256;
  if (round % 50 == 0) tools = next_random() % 2;
  if (chance == 0) cut_both(self);
  if (chance == 1) rewind_both(self);
  if (chance < 2 || count > MESSAGES_MAX - 4) return;
  append(self, tools && count);
  if (chance < 192) ck_conversation_pack(self, &ck_store_packer);
  wrong += !is_there(self, readable_from());
  if (chance > 240) wrong += ck_conversation_unpack(self, NULL) != CK_OK || !is_there(self, 0);
}

static void clear(ck_conversation *self) {
  ck_conversation_free(self);
  drop_expected(0, count);
}

static ck_conversation *new_conversation(void) {
  ck_conversation *self;
  tap_must(ck_conversation_new(&self, NULL) == CK_OK, "a conversation");
  return self;
}

static void test_random(void) {
  ck_conversation *self = new_conversation();
  for (int i = 0; i < ROUNDS; i++) {
    move(self, i);
    if (i % 20 == 0) wrong += !is_same_digest(self);
  }
  tap_is_int(wrong, 0, "after %d random appends, packs, cuts, rewinds: what can be read is right",
             ROUNDS);
  tap_ok(ck_conversation_unpack(self, NULL) == CK_OK && is_there(self, 0) && is_same_digest(self),
         "and all of it, unpacked, with the digest of a fresh conversation");
  clear(self);
}

static void fill(ck_conversation *self, size_t messages) {
  while (count < messages) {
    append(self, false);
    ck_conversation_pack(self, &ck_store_packer);
  }
}

static void test_room(void) {
  ck_conversation *self = new_conversation();
  size_t bytes = 0;
  freed = 0;
  fill(self, 300);
  tap_ok(freed > 100 && freed <= 300, "each is let go once, however often it is packed: %zu",
         freed);
  for (size_t i = 0; i < count; i++) bytes += ck_value_bytes(expected[i]).len;
  tap_ok(bytes > 5 * CK_CONVERSATION_LOOSE, "it is long: %zu bytes", bytes);
  tap_ok(ck_conversation_loose(self) < CK_CONVERSATION_LOOSE + MESSAGE_MAX,
         "what lies there unpacked is short: %zu", ck_conversation_loose(self));
  tap_ok(ck_conversation_unpack(self, NULL) == CK_OK && ck_conversation_loose(self) == bytes,
         "unpacked, it is all there");
  ck_conversation_pack(self, &ck_store_packer);
  tap_ok(ck_conversation_loose(self) < CK_CONVERSATION_LOOSE + MESSAGE_MAX, "and packed again");
  clear(self);
}

static void test_digest(void) {
  ck_conversation *self = new_conversation();
  hashed = 0;
  fill(self, 200);
  tap_is_int((int64_t)hashed, 0, "a conversation that nobody asks for its digest is not hashed");
  tap_ok(ck_conversation_unpack(self, NULL) == CK_OK && is_same_digest(self),
         "first asked for when it is unpacked, its digest is that of a fresh one");
  hashed = 0;
  fill(self, 400);
  tap_ok(hashed > 100 && hashed <= 200, "from then on what is packed is hashed, once: %zu", hashed);
  tap_ok(is_same_digest(self), "and the digest is right while it is packed");
  cut_both(self);
  hashed = 0;
  fill(self, 600);
  tap_ok(hashed > 100 && is_same_digest(self), "also behind a cut");
  clear(self);
  self = new_conversation();
  fill(self, 200);
  tap_ok(is_same_digest(self) && is_there(self, 0), "first asked for while packed, it is unpacked");
  fill(self, 300);
  rewind_both(self);
  fill(self, count + 100);
  tap_ok(is_same_digest(self), "also behind a rewind");
  clear(self);
}

/* ---- what cannot be packed, or not unpacked ---- */

static int tries;
static size_t pack_nothing(char *to, ck_bytes from) {
  (void)to, (void)from;
  tries++;
  return 0;
}

static void test_random_bytes(void) {
  ck_conversation *self = new_conversation();
  const ck_packer useless = {.pack = pack_nothing, .unpack = ck_store_packer.unpack};
  while (count < 300) {
    append(self, false);
    ck_conversation_pack(self, &useless);
  }
  tap_ok(is_there(self, 0), "what takes no less room stays as it is");
  tap_ok(tries > 0 && tries < 10, "and is not tried at each message: %d times", tries);
  clear(self);
}

static void test_no_memory(void) {
  ck_conversation *self = new_conversation();
  int failed = 0, bad = 0;
  bad += !is_same_digest(self);
  fill(self, 200);
  ck_digest before = ck_conversation_digest(self);
  ck_status status = CK_E_NO_MEMORY;
  for (long at = 0; status != CK_OK && at < 1000; at++) {
    ck_error err = CK_ERROR_INIT;
    budget = at;
    status = at % 2 ? ck_conversation_unpack(self, &err) : ck_conversation_cut(self, 100, &err);
    budget = -1;
    failed += status != CK_OK;
    bad += status != CK_OK && (status != CK_E_NO_MEMORY || ck_conversation_count(self) != 200);
    ck_digest now = ck_conversation_digest(self);
    bad += status != CK_OK && !ck_digest_equal(&before, &now);
  }
  tap_ok(failed > 3 && !bad, "whichever allocation fails, unpacking says so and changes nothing");
  if (ck_conversation_count(self) == 100) drop_expected(100, count);
  tap_ok(ck_conversation_unpack(self, NULL) == CK_OK && is_there(self, 0), "and all is there yet");
  for (long at = 0; at < 40; at++) {
    while (ck_conversation_loose(self) < CK_CONVERSATION_LOOSE) append(self, false);
    budget = at;
    ck_conversation_pack(self, &ck_store_packer);
    budget = -1;
    bad += !is_there(self, readable_from());
  }
  tap_is_int(bad, 0, "packing without memory loses nothing");
  tap_ok(ck_conversation_unpack(self, NULL) == CK_OK && is_there(self, 0) && is_same_digest(self),
         "not a byte");
  clear(self);
}

int main(void) {
  test_random();
  test_room();
  test_digest();
  test_random_bytes();
  test_no_memory();
  return tap_done();
}
