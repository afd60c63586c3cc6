/* test_seal.c - what is sealed opens with its key and in its place only; keys are read as they are
 * written, or not at all. */
#include <stdio.h>
#include <string.h>

#include "core/store/format/seal.h"
#include "core/store/fact.h"
#include "core/store/request.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

static ck_error err;
static const uint8_t store_a[CK_DIGEST_SIZE] = {1}, store_b[CK_DIGEST_SIZE] = {2};

static ck_seal *make_seal(const ck_key *key, const uint8_t store[CK_DIGEST_SIZE]) {
  ck_seal *seal;
  tap_must(ck_seal_new(&seal, key, store, &err) == CK_OK, "a seal: %s", err.text);
  return seal;
}

static void test_places(void) {
  ck_key *key = fixture_make_key(), *other = fixture_make_key();
  ck_seal *seals[] = {make_seal(key, store_a), make_seal(key, store_b), make_seal(other, store_a)};
  ck_digest here = ck_digest_of(ck_bytes_text("here")),
            there = ck_digest_of(ck_bytes_text("there"));
  char space[CK_SEAL_OVERHEAD + 5], again[sizeof space], plain[sizeof space];
  memcpy(space + CK_SEAL_NONCE, "hello", 5);
  memcpy(again + CK_SEAL_NONCE, "hello", 5);
  ck_seal_encode(seals[0], space, 5, &here);
  ck_seal_encode(seals[0], again, 5, &here);
  ck_bytes sealed = {space, sizeof space};
  tap_ok(memcmp(space, again, sizeof space) != 0, "the same bytes are sealed to others each time");
  tap_ok(ck_seal_decode(plain, seals[0], sealed, &here) && memcmp(plain, "hello", 5) == 0,
         "they open where they belong");
  tap_ok(!ck_seal_decode(plain, seals[0], sealed, &there), "and nowhere else");
  tap_ok(!ck_seal_decode(plain, seals[1], sealed, &here), "not in another store with the same key");
  tap_ok(!ck_seal_decode(plain, seals[2], sealed, &here), "nor with another key");
  bool opened = false;
  for (size_t len = 0; len < sizeof space; len++)
    opened |= ck_seal_decode(plain, seals[0], (ck_bytes){space, len}, &here);
  for (size_t bit = 0; bit < sizeof space * 8; bit++) {
    space[bit / 8] ^= (char)(1 << bit % 8);
    opened |= ck_seal_decode(plain, seals[0], sealed, &here);
    space[bit / 8] ^= (char)(1 << bit % 8);
  }
  tap_ok(!opened, "cut anywhere, or with any bit flipped, they do not open");
  ck_digest signatures[] = {ck_seal_sign(seals[0], &here), ck_seal_sign(seals[0], &there),
                            ck_seal_sign(seals[1], &here), ck_seal_sign(seals[2], &here),
                            ck_seal_mask(seals[0], &here), here};
  bool equal = false;
  for (size_t i = 0; i < 6; i++)
    for (size_t j = i + 1; j < 6; j++) equal |= ck_digest_equal(&signatures[i], &signatures[j]);
  tap_ok(!equal, "a signature is one of its content, key, store and use");
  for (size_t i = 0; i < 3; i++) ck_seal_free(seals[i]);
  ck_key_free(key);
  ck_key_free(other);
}

static void test_keys(void) {
  ck_key *key = fixture_make_key(), *read = NULL;
  char text[CK_KEY_TEXT_SIZE], line[CK_KEY_TEXT_SIZE + 8];
  ck_key_write(text, key);
  snprintf(line, sizeof line, " %s\r\n", text);
  tap_is_status(ck_key_read(&read, ck_bytes_text(line), "env:K", &err), CK_OK, &err,
                "a key is read as it was written, blanks around it");
  ck_key_id id = ck_key_get_id(key), same = read ? ck_key_get_id(read) : (ck_key_id){{0}};
  tap_ok(ck_key_id_equal(&id, &same), "and has the same id");
  char hex[CK_KEY_ID_TEXT_SIZE];
  ck_key_id_hex(hex, &id);
  tap_ok(!strstr(text, hex), "which is no part of it");
  ck_key_free(read);
  static const char *const wrong[] = {
      "", "abc", "0123456789012345678901234567890123456789012345678901234567890123456789",
      "zz23456789012345678901234567890123456789012345678901234567890123"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    tap_is_status(ck_key_read(&read, ck_bytes_text(wrong[i]), "env:K", &err), CK_E_PARSE, &err,
                  "'%s' is no key", wrong[i]);
    tap_ok(!read && strstr(err.text, "env:K") && (!*wrong[i] || !strstr(err.text, wrong[i])),
           "the text names the place, not what is there");
  }
  ck_key_free(key);
}

/* What a store says to a key, by how it was made. */
static ck_status open_with(const char *url, const ck_key *key, bool read_only) {
  ck_store *store;
  ck_status status = ck_store_open(
      &store, url, &(ck_store_options){.create = !read_only, .read_only = read_only, .key = key},
      &err);
  ck_store_close(store);
  return status;
}

static void test_stores(const char *url, bool lasts) {
  ck_key *key = fixture_make_key(), *other = fixture_make_key();
  char plain[600];
  snprintf(plain, sizeof plain, "%s-plain", url);
  fixture_key = key;
  ck_store *store = fixture_open(url), *unsealed;
  fixture session, second;
  tap_must(fixture_create(&session, store, "one", &err) == CK_OK, "a session: %s", err.text);
  tap_is_status(
      fixture_commit(&session, &(fixture_step){.text = "t", .key = "memory.a", .value = "\"x\""},
                     &err),
      CK_OK, &err, "%s: it is written", url);
  tap_is_status(open_with(url, NULL, false), CK_E_SECRET_MISSING, &err, "%s: no key", url);
  tap_is_status(open_with(url, NULL, true), CK_E_SECRET_MISSING, &err, "%s: no key, for reading",
                url);
  tap_is_status(open_with(url, other, false), CK_E_OTHER_KEY, &err, "%s: another key", url);
  tap_is_status(open_with(url, other, true), CK_E_OTHER_KEY, &err, "%s: another key, for reading",
                url);
  tap_is_status(open_with(url, key, true), CK_OK, &err, "%s: its key", url);
  tap_is_int(fixture_verify(store), 0, "%s: it is whole", url);
  fixture_key = NULL;
  unsealed = fixture_open(plain);
  tap_is_status(open_with(plain, NULL, true), CK_OK, &err, "%s: an empty store without a key",
                plain);
  tap_must(fixture_create(&second, unsealed, "one", &err) == CK_OK, "a session: %s", err.text);
  tap_is_status(open_with(plain, key, false), CK_E_WRONG_KEY, &err,
                "%s: a store that is not sealed takes no key", plain);
  tap_is_status(open_with(plain, key, true), CK_E_WRONG_KEY, &err, "%s: nor for reading", plain);
  ck_store_close(unsealed);
  ck_store_close(store);
  if (lasts)
    tap_is_status(open_with(url, key, false), CK_OK, &err, "%s: the key opens it again", url);
  ck_key_free(key);
  ck_key_free(other);
}

/* Somebody opened the store before it was given a key: nothing of his comes into it. */
static void test_late(const char *url) {
  ck_key *key = fixture_make_key();
  fixture session;
  ck_store *early = fixture_open(url);
  fixture_key = key;
  ck_store *store = fixture_open(url);
  fixture_key = NULL;
  tap_is_status(fixture_create(&session, early, "plain", &err), CK_E_OTHER_KEY, &err,
                "a session by one who knows no key");
  ck_value *value = NULL;
  tap_must(ck_value_new(&value, ck_bytes_text("1"), &err) == CK_OK, "a value");
  tap_is_status(ck_store_put_fact(early, &(ck_fact){"", "k", value, 1}, &err), CK_E_OTHER_KEY, &err,
                "and a fact");
  ck_value_free(value);
  tap_is_status(fixture_create(&session, store, "sealed", &err), CK_OK, &err,
                "one by another is made");
  ck_store_close(early);
  ck_store_close(store);
  ck_key_free(key);
}

static void test_requests(const char *url) {
  ck_key *key = fixture_make_key();
  fixture_key = key;
  fixture session;
  ck_store *store = fixture_open(url);
  tap_must(fixture_create(&session, store, "one", &err) == CK_OK, "a session: %s", err.text);
  ck_request request = {.session = session.lease.session, .kind = (char[]){"answer"}}, got;
  bool found;
  tap_must(ck_value_new(&request.body, ck_bytes_text("{\"text\":\"canary\"}"), &err) == CK_OK,
           "a value");
  tap_is_status(ck_store_put_request(store, &request, &err), CK_OK, &err, "a request is left");
  tap_is_status(ck_store_get_request(&got, &found, store, session.lease, 0, &err), CK_OK, &err,
                "and taken");
  tap_ok(
      found && got.body && ck_bytes_equal(ck_value_bytes(got.body), ck_value_bytes(request.body)),
      "as it was");
  ck_request_clear(&got);
  ck_value_free(request.body);
  ck_store_close(store);
  fixture_key = NULL;
  ck_key_free(key);
}

int main(void) {
  char url[500];
  test_places();
  test_keys();
  test_stores("memory:sealed", false);
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("sealed.db"));
  test_stores(url, true);
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("late.db"));
  test_late(url);
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("requests.db"));
  test_requests(url);
  test_requests("memory:");
  return tap_done();
}
