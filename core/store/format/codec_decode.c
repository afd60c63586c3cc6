/* codec_decode.c - reads payloads without trusting a byte of them; codec.h has the format. */
#include <string.h>

#include "core/store/format/codec.h"

static ck_status short_of(const char *what, ck_error *err) {
  return ck_error_set(err, CK_E_TRUNCATED, "its payload ends inside %s", what);
}

static ck_status wrong(const char *what, ck_error *err) {
  return ck_error_set(err, CK_E_CORRUPT, "its payload has %s", what);
}

/* A count of bytes or entries that follow; it cannot be greater than `most`. */
static ck_status read_number(size_t *out, ck_bytes *from, uint64_t most, ck_error *err) {
  uint64_t number;
  *out = 0;
  if (!ck_bytes_read_varint(&number, from))
    return from->len < 10 ? short_of("a number", err) : wrong("a number beyond 64 bits", err);
  if (number > most) return wrong("a number that is too great", err);
  *out = (size_t)number;
  return CK_OK;
}

static ck_status read_field(ck_bytes *out, ck_bytes *from, ck_error *err) {
  size_t len;
  *out = (ck_bytes){NULL, 0};
  ck_status status = read_number(&len, from, SIZE_MAX >> 1, err);
  if (status) return status;
  return ck_bytes_read(out, from, len) ? CK_OK : short_of("a value", err);
}

static ck_status read_byte(int *out, ck_bytes *from, ck_error *err) {
  ck_bytes byte;
  *out = 0;
  if (!ck_bytes_read(&byte, from, 1)) return short_of("an entry", err);
  *out = (unsigned char)byte.data[0];
  return CK_OK;
}

static ck_status check_key(ck_bytes key, ck_error *err) {
  if (key.len == 0 || key.len > CK_STATE_KEY_MAX) return wrong("a key of a wrong length", err);
  return memchr(key.data, '\0', key.len) ? wrong("a key with a NUL", err) : CK_OK;
}

/* Keys ascend strictly, so no key occurs twice and each content has exactly one encoding. */
static ck_status read_key(ck_bytes *out, ck_bytes *from, ck_bytes last, ck_error *err) {
  ck_status status = read_field(out, from, err);
  if (!status) status = check_key(*out, err);
  if (!status && last.data && ck_codec_compare(last, *out) >= 0)
    status = wrong("keys that are not in order", err);
  return status;
}

static ck_status read_change(ck_codec_seen *out, ck_bytes *from, ck_bytes last, ck_error *err) {
  ck_bytes content;
  int op;
  *out = (ck_codec_seen){0};
  ck_status status = read_key(&out->key, from, last, err);
  if (!status) status = read_byte(&op, from, err);
  if (status) return status;
  out->op = (ck_codec_change_op)op;
  if (op == CK_CODEC_UNSET) return CK_OK;
  if (op != CK_CODEC_SET) return wrong("a change of an unknown kind", err);
  if (!ck_bytes_read(&content, from, CK_DIGEST_SIZE)) return short_of("a content hash", err);
  memcpy(out->content.bytes, content.data, CK_DIGEST_SIZE);
  return CK_OK;
}

static ck_status read_head(ck_codec_head *out, ck_bytes *from, ck_error *err) {
  ck_bytes tag;
  size_t seq;
  if (!ck_bytes_read(&tag, from, CK_CODEC_TAG_SIZE)) return short_of("its head", err);
  memcpy(out->tag, tag.data, CK_CODEC_TAG_SIZE);
  ck_status status = read_number(&seq, from, INT64_MAX, err);
  out->seq = (int64_t)seq;
  return status;
}

static ck_status read_changed(ck_codec_reader *self, ck_bytes *from, ck_error *err) {
  ck_bytes begin = *from;
  size_t count;
  ck_status status = read_number(&count, from, from->len, err);
  self->change_count = count;
  self->change_rest = self->ref_rest = *from;
  ck_codec_seen change = {0};
  for (size_t i = 0; i < count && !status; i++)
    status = read_change(&change, from, change.key, err);
  self->changed = (ck_bytes){begin.data, begin.len - from->len};
  return status;
}

ck_status ck_codec_open(ck_codec_reader *out, ck_bytes plain, ck_error *err) {
  ck_codec_reader self = {0};
  size_t count = 0;
  int form = 0;
  *out = self;
  if (plain.len == 0) return ck_error_set(err, CK_E_EMPTY, "its payload has no bytes");
  ck_status status = read_head(&self.head, &plain, err);
  if (!status) status = read_changed(&self, &plain, err);
  if (!status) status = read_byte(&form, &plain, err);
  if (!status && form != CK_CODEC_DELTA && form != CK_CODEC_KEYFRAME)
    status = wrong("an unknown form", err);
  if (!status) status = read_number(&count, &plain, plain.len, err);
  if (status) return status;
  self.form = (ck_codec_form)form;
  self.entry_count = count;
  self.entry_rest = plain;
  *out = self;
  return CK_OK;
}

bool ck_codec_next_change(ck_codec_seen *out, ck_codec_reader *self) {
  *out = (ck_codec_seen){0};
  if (self->changes_read == self->change_count) return false;
  self->changes_read++;
  return read_change(out, &self->change_rest, (ck_bytes){NULL, 0}, NULL) == CK_OK;
}

/* Refs ascend with the keys, so one walk over the changed section resolves all of them. */
static ck_status read_ref(ck_codec_entry *out, ck_codec_reader *self, size_t ref, ck_error *err) {
  if (ref > self->change_count || ref <= self->refs_read)
    return wrong("a reference to no change", err);
  for (; self->refs_read < ref; self->refs_read++) {
    ck_status status = read_change(&self->ref, &self->ref_rest, (ck_bytes){NULL, 0}, err);
    if (status) return status;
  }
  out->changed = true;
  out->change = self->ref;
  out->key = self->ref.key;
  return CK_OK;
}

static ck_status read_entry_key(ck_codec_entry *out, ck_codec_reader *self, ck_error *err) {
  size_t ref;
  ck_status status = read_number(&ref, &self->entry_rest, UINT32_MAX, err);
  if (status) return status;
  if (ref == 0) return read_key(&out->key, &self->entry_rest, self->last_key, err);
  status = read_ref(out, self, ref, err);
  if (!status && self->last_key.data && ck_codec_compare(self->last_key, out->key) >= 0)
    status = wrong("entries that are not in order", err);
  return status;
}

static ck_status read_splice(ck_codec_entry *out, ck_bytes *from, ck_error *err) {
  uint64_t most = SIZE_MAX >> 2;
  ck_status status = read_number(&out->old, from, most, err);
  if (!status) status = read_number(&out->prefix, from, out->old, err);
  if (!status) status = read_number(&out->suffix, from, out->old - out->prefix, err);
  return status ? status : read_field(&out->bytes, from, err);
}

/* The operation of an entry must agree with that of its change. */
static ck_status check_op(const ck_codec_entry *entry, ck_codec_form form, ck_error *err) {
  bool removed = entry->op == CK_CODEC_REMOVED;
  if (form == CK_CODEC_KEYFRAME && entry->op != CK_CODEC_FULL)
    return wrong("a keyframe that is not whole", err);
  if (entry->changed && removed != (entry->change.op == CK_CODEC_UNSET))
    return wrong("an entry that contradicts its change", err);
  return CK_OK;
}

ck_status ck_codec_next_entry(ck_codec_entry *out, bool *found, ck_codec_reader *self,
                              ck_error *err) {
  int op;
  *out = (ck_codec_entry){0};
  *found = false;
  if (self->entries_read == self->entry_count)
    return self->entry_rest.len ? wrong("bytes behind its last entry", err) : CK_OK;
  ck_status status = read_entry_key(out, self, err);
  if (!status) status = read_byte(&op, &self->entry_rest, err);
  if (status) return status;
  out->op = (ck_codec_entry_op)op;
  if (op == CK_CODEC_FULL)
    status = read_field(&out->bytes, &self->entry_rest, err);
  else if (op == CK_CODEC_SPLICE)
    status = read_splice(out, &self->entry_rest, err);
  else if (op != CK_CODEC_REMOVED)
    status = wrong("an entry of an unknown kind", err);
  if (!status) status = check_op(out, self->form, err);
  if (status) return status;
  self->entries_read++;
  self->last_key = out->key;
  *found = true;
  return CK_OK;
}
