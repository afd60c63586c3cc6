/* fuzz_codec.c - payloads of checkpoints: any bytes are read within their bounds or refused; what
 * is written from any changes is read as the same state. The first byte chooses. */
#include <stdlib.h>
#include <string.h>

#include "core/store/format/chain.h"
#include "core/store/format/payload.h"
#include "core/store/format/state_rebuild.h"
#include "tests/fuzz/fuzz.h"
#include "tests/store/history.h"

static void must(ck_status status, const ck_error *err) {
  fuzz_must(status == CK_OK, "%s: %s", ck_status_name(status), err->text);
}

/* ---- any bytes ---- */

static void read_payload(ck_bytes plain) {
  ck_codec_reader reader, changes;
  ck_codec_seen seen;
  ck_error err = CK_ERROR_INIT;
  if (ck_codec_open(&reader, plain, &err) != CK_OK) return;
  changes = reader;
  uint64_t count = 0;
  while (ck_codec_next_change(&seen, &changes)) count++;
  fuzz_must(count == reader.change_count, "a payload that opens has all its changes");
  ck_state_rebuild *rebuild;
  ck_state *state = NULL;
  must(ck_state_rebuild_new(&rebuild, &err), &err);
  ck_status status = ck_state_rebuild_apply(rebuild, &reader, &err);
  if (status == CK_OK) status = ck_state_rebuild_check_changes(rebuild, &reader, &err);
  if (status == CK_OK) status = ck_state_rebuild_check_splices(rebuild, &err);
  if (status == CK_OK) status = ck_state_rebuild_get_state(&state, rebuild, &err);
  fuzz_must(status == CK_OK || *err.text, "a refusal says why");
  ck_state_free(state);
  ck_state_rebuild_free(rebuild);
}

static void read_stored(ck_bytes input) {
  ck_compress compress = {0};
  ck_buffer space = {0};
  ck_bytes plain;
  ck_error err = CK_ERROR_INIT;
  ck_stored stored = {.encoding = (int)fuzz_byte(&input),
                      .plain_len = (int64_t)fuzz_byte(&input) * fuzz_byte(&input)};
  stored.bytes = input;
  if (ck_compress_decode(&plain, &compress, &space, &stored, &err) == CK_OK) read_payload(plain);
  ck_buffer_clear(&space);
  ck_compress_clear(&compress);
}

static void read_row(ck_bytes input) {
  ck_payload payload;
  ck_codec_reader reader;
  ck_error err = CK_ERROR_INIT;
  ck_payload_init(&payload, "fuzzed");
  ck_checkpoint_row row = {
      .seq = fuzz_byte(&input), .format = CK_PAYLOAD_FORMAT, .info = {"{}", 2}};
  row.encoding = (int)fuzz_byte(&input) % 8;
  row.plain_len = (int64_t)fuzz_byte(&input) * fuzz_byte(&input);
  row.payload = input;
  row.payload_digest = ck_digest_of(input);
  if (ck_payload_open(&reader, &payload, &row, &err) == CK_OK)
    fuzz_must(reader.head.seq == row.seq, "a payload is of its checkpoint");
  ck_payload_clear(&payload);
}

/* ---- any changes ---- */

enum { KEYS = 6, CHANGES = 4 };

/* Keeps a part of the value before, so that there are splices; doubled, so that they pay. */
static ck_value *make_value(ck_bytes *input, const ck_value *old) {
  ck_buffer text = {0}, json = {0};
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  unsigned how = fuzz_byte(input);
  if (old && how % 2) ck_json_read_string(&text, ck_value_bytes(old));
  if (text.len > 4096) ck_buffer_reset(&text);
  if (how % 4 == 1 && text.len > 8) text.len -= how % text.len;
  ck_bytes more = fuzz_take(input, how / 4);
  for (unsigned n = 0; n <= how % 3 * 20; n++) ck_buffer_append_bytes(&text, more);
  ck_json_append_string(&json, ck_buffer_bytes(&text));
  must(ck_value_from(&value, &json, &err), &err);
  ck_buffer_clear(&text);
  ck_buffer_clear(&json);
  return value;
}

static bool is_changed(const ck_checkpoint *checkpoint, const char *key) {
  for (size_t i = 0; i < checkpoint->change_count; i++) {
    if (strcmp(checkpoint->changes[i].key, key) == 0) return true;
  }
  return false;
}

static void change(ck_checkpoint *checkpoint, ck_state *state, ck_bytes *input) {
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < CHANGES && input->len > 0; i++) {
    unsigned dice = fuzz_byte(input);
    char key[] = "memory.a";
    key[7] = (char)('a' + dice % KEYS);
    ck_value *old = ck_state_get(state, key);
    if (is_changed(checkpoint, key)) continue;
    ck_change made = {.key = strdup(key)};
    if (!old || dice < 230) made.value = make_value(input, old);
    checkpoint->changes[checkpoint->change_count++] = made;
    if (made.value)
      must(ck_state_put(state, key, made.value, &err), &err);
    else
      ck_state_remove(state, key);
  }
}

static void rebuild_one(ck_state_rebuild *rebuild, ck_bytes plain, const ck_state *want) {
  ck_error err = CK_ERROR_INIT;
  ck_codec_reader reader;
  ck_state *got;
  must(ck_codec_open(&reader, plain, &err), &err);
  must(ck_state_rebuild_apply(rebuild, &reader, &err), &err);
  must(ck_state_rebuild_check_changes(rebuild, &reader, &err), &err);
  must(ck_state_rebuild_check_splices(rebuild, &err), &err);
  must(ck_state_rebuild_get_state(&got, rebuild, &err), &err);
  fuzz_must(history_equal(got, want), "a state comes back as it was");
  ck_state_free(got);
}

static void write_states(ck_bytes input) {
  ck_error err = CK_ERROR_INIT;
  ck_chain *chain;
  ck_state *state, *empty;
  ck_state_rebuild *rebuild;
  ck_buffer plain = {0};
  ck_digest zero = {{0}};
  int64_t seq = 0;
  must(ck_state_new(&state, &err), &err);
  must(ck_state_new(&empty, &err), &err);
  must(ck_chain_new(&chain, "fuzzed", &err), &err);
  must(ck_state_rebuild_new(&rebuild, &err), &err);
  ck_chain_begin_state(chain, empty, 0, &zero, &(ck_chain_base){0});
  ck_chain_begin_tail(chain, 0);
  while (input.len > 0) {
    ck_checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    *checkpoint = (ck_checkpoint){.id = "c", .seq = seq + 1, .parent = seq, .resumable = true};
    checkpoint->kind = CK_BOUNDARY_SAFE_POINT;
    checkpoint->changes = calloc(CHANGES, sizeof *checkpoint->changes);
    must(ck_value_new(&checkpoint->info, ck_bytes_text("{}"), &err), &err);
    change(checkpoint, state, &input);
    ck_checkpoint_row row = {0};
    ck_digest digest = ck_digest_of(ck_bytes_text("an event"));
    must(ck_chain_append_event(chain, ++seq, &digest, &err), &err);
    must(ck_chain_encode(&row, &plain, chain, checkpoint, 1, &err), &err);
    rebuild_one(rebuild, ck_buffer_bytes(&plain), state);
    ck_checkpoint_free(checkpoint);
  }
  ck_buffer_clear(&plain);
  ck_state_rebuild_free(rebuild);
  ck_chain_free(chain);
  ck_state_free(state);
}

void fuzz_codec(ck_bytes input) {
  unsigned how = fuzz_byte(&input) % 4;
  if (how == 0) read_payload(input);
  if (how == 1) read_stored(input);
  if (how == 2) read_row(input);
  if (how == 3) write_states(input);
}
