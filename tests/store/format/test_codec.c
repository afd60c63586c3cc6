/* test_codec.c - payloads come back as they were written, and nothing else comes back. */
#include <stdlib.h>
#include <string.h>

#include "core/store/format/arena.h"
#include "core/store/format/chain.h"
#include "core/store/format/payload.h"
#include "core/store/format/state_rebuild.h"
#include "tests/store/history.h"
#include "tests/tap.h"

static test_dice dice = {20260131};

static void must(ck_status status, const ck_error *err) {
  history_must(status, err, "a step of the test");
}

/* ---- splices ---- */

static void fill(char *to, size_t len, unsigned letters) {
  for (size_t i = 0; i < len; i++) to[i] = (char)('a' + dice_pick(&dice, letters));
}

static bool splice_is_longest(ck_bytes old, ck_bytes new) {
  ck_splice splice = ck_splice_get(old, new);
  size_t shorter = old.len < new.len ? old.len : new.len, prefix = 0, suffix = 0;
  while (prefix < shorter && old.data[prefix] == new.data[prefix]) prefix++;
  while (suffix < shorter - prefix &&
         old.data[old.len - 1 - suffix] == new.data[new.len - 1 - suffix])
    suffix++;
  return splice.prefix == prefix && splice.suffix == suffix;
}

static void test_splice(void) {
  char a[20000], b[20000];
  int wrong = 0;
  fill(a, sizeof a, 26);
  for (int i = 0; i < 3000; i++) {
    size_t old = 64 + dice_pick(&dice, 19000), at = dice_pick(&dice, old),
           put = dice_pick(&dice, 300);
    size_t cut = dice_pick(&dice, old - at), new = at + put + (old - at - cut);
    memcpy(b, a, at);
    fill(b + at, put, 2);
    memcpy(b + at + put, a + at + cut, old - at - cut);
    if (new >= 64 && !splice_is_longest((ck_bytes){a, old}, (ck_bytes){b, new})) wrong++;
  }
  tap_is_int(
      wrong, 0,
      "a splice is the longest prefix and the longest suffix of the rest, in 3,000 random edits");
  memset(a, 'x', sizeof a);
  tap_ok(splice_is_longest((ck_bytes){a, 9000}, (ck_bytes){a, 12000}),
         "prefix and suffix never overlap in a run of one letter");
  ck_splice same = ck_splice_get((ck_bytes){a, 9000}, (ck_bytes){a, 9000});
  tap_ok(same.prefix == 9000 && same.suffix == 0, "an equal value is all prefix");
  tap_ok(!ck_splice_pays(ck_splice_get((ck_bytes){a, 63}, (ck_bytes){a, 63}), (ck_bytes){a, 63}),
         "short values are never spliced");
}

static void test_splice_digest(void) {
  enum { SIZE = 60000 };
  char *old = malloc(SIZE), *new = malloc(SIZE);
  ck_splice_memo *memo = ck_splice_memo_new();
  size_t len = 16400;
  int wrong = 0;
  fill(old, len, 26);
  for (int i = 0; i < 2000; i++) {
    size_t at = dice_pick(&dice, 3) ? len - dice_pick(&dice, 80) : dice_pick(&dice, len);
    size_t next = at + dice_pick(&dice, 400);
    if (next < 200 || next > SIZE - 500) next = 16300 + dice_pick(&dice, 200);
    if (at > next) at = next;
    memcpy(new, old, at);
    fill(new + at, next - at, 26);
    ck_splice splice = ck_splice_get((ck_bytes){old, len}, (ck_bytes){new, next});
    ck_digest got = ck_splice_digest(memo, (ck_bytes){new, next}, splice.prefix),
              want = ck_digest_of((ck_bytes){new, next});
    wrong += !ck_digest_equal(&got, &want);
    memcpy(old, new, next);
    len = next;
  }
  tap_is_int(wrong, 0,
             "a hash that goes on where it stopped is the hash of the whole, through 2,000 edits "
             "around the threshold");
  ck_splice_memo_free(memo);
  free(old);
  free(new);
}

/* ---- payloads ---- */

/* A chain on its own, with the state it must come to. */
typedef struct encoding {
  ck_chain *chain;
  history_step step;
  ck_checkpoint_row row;
  ck_buffer plain;
} encoding;

static void encode(encoding *self, history *past, size_t changes) {
  ck_error err = CK_ERROR_INIT;
  history_prepare(past, &self->step, changes);
  must(ck_chain_encode(&self->row, &self->plain, self->chain, &self->step.checkpoint, 1, &err),
       &err);
}

static ck_chain *make_chain(const char *session_id, const ck_state *state, int64_t seq,
                            const ck_digest *digest) {
  ck_error err = CK_ERROR_INIT;
  ck_chain *chain;
  ck_state *copy;
  must(ck_chain_new(&chain, session_id, &err), &err);
  must(ck_state_copy(&copy, state, &err), &err);
  ck_chain_begin_state(chain, copy, seq, digest, &(ck_chain_base){0});
  ck_chain_begin_tail(chain, seq);
  return chain;
}

static bool replays_to(ck_state_rebuild *replay, ck_bytes plain, const ck_state *want) {
  ck_error err = CK_ERROR_INIT;
  ck_codec_reader reader;
  ck_state *got = NULL;
  must(ck_codec_open(&reader, plain, &err), &err);
  must(ck_state_rebuild_apply(replay, &reader, &err), &err);
  must(ck_state_rebuild_check_changes(replay, &reader, &err), &err);
  must(ck_state_rebuild_check_splices(replay, &err), &err);
  must(ck_state_rebuild_get_state(&got, replay, &err), &err);
  bool same = history_equal(got, want);
  ck_state_free(got);
  return same;
}

static void test_round_trip(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  history past;
  history_begin(&past, store, "round_trip", 7);
  past.value_max = 3000;
  ck_digest zero = {{0}};
  encoding pair = {.chain = make_chain(past.id, past.state, 0, &zero)};
  ck_state_rebuild *replay;
  must(ck_state_rebuild_new(&replay, &err), &err);
  int wrong = 0, differ = 0, keyframes = 0;
  for (int i = 0; i < 400; i++) {
    ck_digest parent = i ? pair.row.digest : zero;
    ck_chain *anew = make_chain(past.id, past.state, past.parent, &parent);
    ck_checkpoint_row row;
    ck_buffer plain = {0};
    encode(&pair, &past, 1 + dice_pick(&dice, 4));
    must(ck_chain_encode(&row, &plain, anew, &pair.step.checkpoint, 1, &err), &err);
    pair.row.covers = row.covers = 0;
    keyframes += pair.row.keyframe == pair.row.seq;
    differ += !ck_digest_equal(&pair.row.digest, &row.digest) || row.keyframe != row.seq;
    wrong += !replays_to(replay, ck_buffer_bytes(&pair.plain), pair.step.state);
    ck_state_rebuild *alone;
    must(ck_state_rebuild_new(&alone, &err), &err);
    wrong += !replays_to(alone, ck_buffer_bytes(&plain), pair.step.state);
    ck_state_rebuild_free(alone);
    ck_buffer_clear(&plain);
    ck_chain_free(anew);
    history_apply(&past, &pair.step);
  }
  tap_is_int(wrong, 0,
             "400 random checkpoints replay to what was written, as deltas and as keyframes");
  tap_is_int(differ, 0, "the digest is the same whichever form the payload has");
  tap_ok(keyframes > 1 && keyframes < 200, "both forms were written: %d keyframes of 400",
         keyframes);
  ck_state_rebuild_free(replay);
  ck_chain_free(pair.chain);
  ck_buffer_clear(&pair.plain);
  history_clear(&past);
}

/* ---- damage ---- */

typedef struct stored_row {
  ck_checkpoint_row row;
  ck_buffer bytes;
  ck_payload payload;
} stored_row;

static ck_status open_row(stored_row *self, ck_bytes bytes) {
  ck_error err = CK_ERROR_INIT;
  ck_codec_reader reader;
  self->row.payload = bytes;
  return ck_payload_open(&reader, &self->payload, &self->row, &err);
}

static void store_plain(stored_row *self, ck_bytes plain, bool compress) {
  ck_compress with = {0};
  ck_buffer_reset(&self->bytes);
  size_t len =
      compress ? ck_compress_encode(&with, ck_buffer_extend(&self->bytes, plain.len), plain) : 0;
  if (!compress)
    ck_buffer_append_bytes(&self->bytes, plain);
  else
    self->bytes.len = len;
  self->row.encoding = compress ? CK_ENCODING_ZSTD : CK_ENCODING_PLAIN;
  self->row.payload_digest = ck_digest_of(ck_buffer_bytes(&self->bytes));
  ck_compress_clear(&with);
}

static void attack_bytes(stored_row *self, const char *what) {
  int missed = 0, untyped = 0;
  ck_bytes whole = ck_buffer_bytes(&self->bytes);
  tap_is_int(open_row(self, whole), CK_OK, "%s: undamaged it opens", what);
  for (size_t i = 0; i < whole.len * 8; i++) {
    self->bytes.data[i / 8] = (char)(self->bytes.data[i / 8] ^ 1 << i % 8);
    missed += open_row(self, whole) == CK_OK;
    self->bytes.data[i / 8] = (char)(self->bytes.data[i / 8] ^ 1 << i % 8);
  }
  tap_is_int(missed, 0, "%s: each of %zu flipped bits is found", what, whole.len * 8);
  for (size_t len = 1; len < whole.len; len++) {
    char *copy = malloc(len); /* of its own, so that a read behind the end is seen */
    memcpy(copy, whole.data, len);
    untyped += open_row(self, (ck_bytes){copy, len}) != CK_E_TRUNCATED;
    free(copy);
  }
  tap_is_int(untyped, 0, "%s: cut anywhere it is truncated", what);
  tap_is_int(open_row(self, (ck_bytes){whole.data, 0}), CK_E_EMPTY, "%s: without bytes it is empty",
             what);
}

static void test_answers(stored_row *self, ck_bytes plain) {
  ck_checkpoint_row row = self->row;
  ck_bytes whole = ck_buffer_bytes(&self->bytes);
  self->row.format = 2;
  tap_is_int(open_row(self, whole), CK_E_NEWER, "a newer payload format is refused by name");
  self->row = row;
  self->row.encoding |= CK_ENCODING_SEALED;
  tap_is_int(open_row(self, whole), CK_E_WRONG_KEY,
             "a sealed payload without a key is CK_E_WRONG_KEY");
  self->row = row;
  self->row.plain_len = CK_PLAIN_MAX + 1;
  tap_is_int(open_row(self, whole), CK_E_OVERSIZE,
             "a payload that claims more than 1 GiB is refused unread");
  self->row = row;
  self->payload.head = ck_codec_head_of("another", 0);
  tap_is_int(open_row(self, whole), CK_E_WRONG_SESSION,
             "a payload of another session is CK_E_WRONG_SESSION");
  self->payload.head = ck_codec_head_of("damage", 0);
  self->row.seq++;
  tap_is_int(open_row(self, whole), CK_E_CORRUPT, "a payload of another checkpoint is refused");
  self->row = row;
  store_plain(self, plain, false);
}

/* Reads all there is, as a load does. */
static void walk(ck_bytes plain) {
  ck_codec_reader reader;
  ck_codec_seen change;
  ck_state_rebuild *replay;
  ck_state *state = NULL;
  ck_error err = CK_ERROR_INIT;
  if (ck_codec_open(&reader, plain, &err)) return;
  ck_codec_reader changes = reader;
  while (ck_codec_next_change(&change, &changes)) continue;
  must(ck_state_rebuild_new(&replay, &err), &err);
  ck_status status = ck_state_rebuild_apply(replay, &reader, &err);
  if (!status) status = ck_state_rebuild_check_changes(replay, &reader, &err);
  if (!status) status = ck_state_rebuild_get_state(&state, replay, &err);
  ck_state_free(state);
  ck_state_rebuild_free(replay);
}

/* The first failure of reading all entries. */
static ck_status read_entries(ck_bytes plain) {
  ck_codec_reader reader;
  ck_codec_entry entry;
  ck_error err = CK_ERROR_INIT;
  bool found = true;
  ck_status status = ck_codec_open(&reader, plain, &err);
  while (!status && found) status = ck_codec_next_entry(&entry, &found, &reader, &err);
  return status;
}

static void test_more_bytes(ck_bytes plain) {
  ck_buffer more = {0};
  ck_buffer_append_bytes(&more, plain);
  ck_buffer_append_char(&more, '\0');
  tap_is_int(read_entries(plain), CK_OK, "a payload is read to its end");
  tap_is_int(read_entries(ck_buffer_bytes(&more)), CK_E_CORRUPT, "bytes behind it are refused");
  ck_buffer_clear(&more);
}

/* No digest protects here: bytes that someone made on purpose. */
static void test_hostile(ck_bytes plain) {
  for (int i = 0; i < 60000; i++) {
    size_t len = dice_pick(&dice, 4) ? plain.len : 1 + dice_pick(&dice, plain.len);
    unsigned char *copy = malloc(len);
    memcpy(copy, plain.data, len);
    for (uint64_t n = 1 + dice_pick(&dice, 4); n > 0; n--)
      copy[dice_pick(&dice, len)] =
          (unsigned char)(dice_pick(&dice, 3) ? dice_pick(&dice, 256) : 255);
    walk((ck_bytes){(char *)copy, len});
    free(copy);
  }
  tap_ok(true, "60,000 hostile payloads are read without harm");
}

static void test_damage(ck_store *store) {
  history past;
  history_begin(&past, store, "damage", 11);
  past.value_max = 400;
  ck_digest zero = {{0}};
  encoding pair = {.chain = make_chain(past.id, past.state, 0, &zero)};
  for (int i = 0; i < 12; i++) {
    encode(&pair, &past, 3);
    history_apply(&past, &pair.step);
  }
  stored_row damaged = {.row = pair.row, .payload = {.head = ck_codec_head_of("damage", 0)}};
  ck_bytes plain = ck_buffer_bytes(&pair.plain);
  store_plain(&damaged, plain, false);
  attack_bytes(&damaged, "plain");
  test_answers(&damaged, plain);
  test_more_bytes(plain);
  test_hostile(plain);
  past.value_max = 3000;
  for (encode(&pair, &past, 4); pair.plain.len < 1500; encode(&pair, &past, 4))
    history_apply(&past, &pair.step);
  damaged.row = pair.row;
  store_plain(&damaged, ck_buffer_bytes(&pair.plain), true);
  attack_bytes(&damaged, "compressed");
  damaged.row.plain_len = CK_PLAIN_MAX;
  tap_is_int(open_row(&damaged, ck_buffer_bytes(&damaged.bytes)), CK_E_CORRUPT,
             "a false length is not believed, however great");
  history_drop(&pair.step);
  ck_payload_clear(&damaged.payload);
  ck_buffer_clear(&damaged.bytes);
  ck_buffer_clear(&pair.plain);
  ck_chain_free(pair.chain);
  history_clear(&past);
}

/* ---- compression ---- */

static void test_compress(void) {
  char text[4000], to[4000];
  ck_compress compress = {0};
  ck_buffer space = {0};
  ck_error err = CK_ERROR_INIT;
  ck_bytes plain;
  fill(text, sizeof text, 3);
  tap_is_int((int64_t)ck_compress_encode(&compress, to, (ck_bytes){text, CK_COMPRESS_FROM - 1}), 0,
             "short bytes stay plain");
  compress.from = 1;
  tap_ok(ck_compress_encode(&compress, to, (ck_bytes){text, CK_COMPRESS_FROM - 1}) > 0,
         "unless the threshold is lower");
  compress.from = sizeof text + 1;
  tap_is_int((int64_t)ck_compress_encode(&compress, to, (ck_bytes){text, sizeof text}), 0,
             "below a higher one all stay plain");
  compress.from = sizeof text;
  size_t len = ck_compress_encode(&compress, to, (ck_bytes){text, sizeof text});
  tap_ok(len > 0 && len < sizeof text / 2, "letters of three kinds become less than half");
  ck_stored stored = {CK_ENCODING_ZSTD, sizeof text, {to, len}};
  must(ck_compress_decode(&plain, &compress, &space, &stored, &err), &err);
  tap_is_bytes(plain, (ck_bytes){text, sizeof text}, "and come back");
  stored.plain_len--;
  tap_is_int(ck_compress_decode(&plain, &compress, &space, &stored, &err), CK_E_CORRUPT,
             "a frame of another length is refused");
  ck_random_bytes(text, sizeof text);
  tap_is_int((int64_t)ck_compress_encode(&compress, to, (ck_bytes){text, sizeof text}), 0,
             "what cannot shrink stays plain");
  stored = (ck_stored){8, 10, {text, 10}};
  tap_is_int(ck_compress_decode(&plain, &compress, &space, &stored, &err), CK_E_NEWER,
             "an unknown encoding is refused by name");
  stored = (ck_stored){CK_ENCODING_PLAIN, 11, {text, 10}};
  tap_is_int(ck_compress_decode(&plain, &compress, &space, &stored, &err), CK_E_TRUNCATED,
             "plain bytes that are too few are truncated");
  stored = (ck_stored){CK_ENCODING_PLAIN, -1, {text, 10}};
  tap_is_int(ck_compress_decode(&plain, &compress, &space, &stored, &err), CK_E_CORRUPT,
             "a negative length is refused");
  ck_compress_clear(&compress);
  ck_buffer_clear(&space);
}

static void test_arena(void) {
  ck_arena arena = {0};
  int wrong = 0;
  for (int round = 0; round < 20; round++) {
    unsigned char *pieces[300];
    size_t lens[300];
    for (int i = 0; i < 300; i++) {
      lens[i] = dice_pick(&dice, 20) ? dice_pick(&dice, 5000) : dice_pick(&dice, 800000);
      pieces[i] = ck_arena_push(&arena, lens[i]);
      size_t kept = lens[i] / 2;
      memset(pieces[i], i & 255, lens[i]);
      ck_arena_trim(&arena, pieces[i], kept);
      lens[i] = kept;
    }
    for (int i = 0; i < 300; i++) {
      for (size_t k = 0; k < lens[i]; k += 97) wrong += pieces[i][k] != (i & 255);
    }
    ck_arena_reset(&arena);
  }
  tap_is_int(wrong, 0, "pieces of one round never overlap, through 20 rounds");
  ck_arena_clear(&arena);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store;
  must(ck_store_open(&store, "memory:", &(ck_store_options){.create = true}, &err), &err);
  test_splice();
  test_splice_digest();
  test_compress();
  test_arena();
  test_round_trip(store);
  test_damage(store);
  ck_store_close(store);
  return tap_done();
}
