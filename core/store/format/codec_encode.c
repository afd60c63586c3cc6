/* codec_encode.c - writes payloads; codec.h has the format. */
#include <stdlib.h>
#include <string.h>

#include "core/store/format/codec.h"

ck_codec_head ck_codec_head_of(const char *session_id, int64_t seq) {
  ck_codec_head head = {.seq = seq};
  ck_digest digest = ck_digest_of(ck_bytes_text(session_id));
  memcpy(head.tag, digest.bytes, sizeof head.tag);
  return head;
}

int ck_codec_compare(ck_bytes a, ck_bytes b) {
  size_t shorter = a.len < b.len ? a.len : b.len;
  int order = shorter ? memcmp(a.data, b.data, shorter) : 0;
  return order ? order : (a.len > b.len) - (a.len < b.len);
}

static void write_field(ck_buffer *out, ck_bytes field) {
  ck_buffer_append_varint(out, field.len);
  ck_buffer_append_bytes(out, field);
}

void ck_codec_write_head(ck_buffer *out, const ck_codec_head *head) {
  ck_buffer_append(out, head->tag, sizeof head->tag);
  ck_buffer_append_varint(out, (uint64_t)head->seq);
}

void ck_codec_write_changed(ck_buffer *out, const ck_codec_change *changes, size_t count) {
  ck_buffer_append_varint(out, count);
  for (size_t i = 0; i < count; i++) {
    write_field(out, changes[i].key);
    ck_buffer_append_char(out, changes[i].value.data ? CK_CODEC_SET : CK_CODEC_UNSET);
    if (changes[i].value.data) ck_buffer_append(out, changes[i].content.bytes, CK_DIGEST_SIZE);
  }
}

static void write_splice(ck_buffer *out, const ck_codec_change *change) {
  ck_splice splice = change->splice;
  ck_buffer_append_char(out, CK_CODEC_SPLICE);
  ck_buffer_append_varint(out, change->old.len);
  ck_buffer_append_varint(out, splice.prefix);
  ck_buffer_append_varint(out, splice.suffix);
  write_field(out, (ck_bytes){change->value.data + splice.prefix,
                              change->value.len - splice.prefix - splice.suffix});
}

static void write_full(ck_buffer *out, ck_bytes value) {
  ck_buffer_append_char(out, CK_CODEC_FULL);
  write_field(out, value);
}

void ck_codec_write_delta(ck_buffer *out, const ck_codec_change *changes, size_t count) {
  ck_buffer_append_char(out, CK_CODEC_DELTA);
  ck_buffer_append_varint(out, count);
  for (size_t i = 0; i < count; i++) {
    ck_buffer_append_varint(out, i + 1);
    if (!changes[i].value.data) {
      ck_buffer_append_char(out, CK_CODEC_REMOVED);
    } else if (changes[i].old.data && ck_splice_pays(changes[i].splice, changes[i].value)) {
      write_splice(out, &changes[i]);
    } else {
      write_full(out, changes[i].value);
    }
  }
}

ck_status ck_codec_write_keyframe(ck_buffer *out, const ck_state *state,
                                  const ck_codec_change *changes, size_t count, ck_error *err) {
  ck_state_entry *entries = NULL;
  size_t entry_count;
  ck_status status = ck_state_list(&entries, &entry_count, state, err);
  if (status) return status;
  ck_buffer_append_char(out, CK_CODEC_KEYFRAME);
  ck_buffer_append_varint(out, entry_count);
  size_t next = 0;
  for (size_t i = 0; i < entry_count; i++) {
    ck_bytes key = ck_bytes_text(entries[i].key);
    while (next < count && ck_codec_compare(changes[next].key, key) < 0) next++;
    bool changed = next < count && ck_bytes_equal(changes[next].key, key);
    ck_buffer_append_varint(out, changed ? next + 1 : 0);
    if (!changed) write_field(out, key);
    write_full(out, ck_value_bytes(entries[i].value));
  }
  free(entries);
  return ck_buffer_check(out, err);
}
