/* state_rebuild.c - a hash map from key to a growing buffer; removed keys keep their slot. */
#include "core/store/format/state_rebuild.h"

#include <stdlib.h>
#include <string.h>

#include "core/store/format/compress.h"

enum { FIRST_CAP = 64 };

typedef struct slot {
  char *key; /* NULL: free; NUL-terminated */
  size_t key_len;
  char *data;
  /* cap 0: data is borrowed. `same`: leading bytes that no splice has changed since the last
   * hashing */
  size_t len, cap, same;
  bool present;
  bool spliced; /* the last entry was a splice */
  bool expects; /* and `content` is the hash that the value must have */
  ck_digest content;
  ck_splice_memo *memo;
} slot;

struct ck_state_rebuild {
  slot *slots;
  size_t cap, used; /* cap: a power of two; used: slots with a key */
  size_t bytes;     /* of the keys and values that are present */
  /* random: keys can come from a model, which must not be able to choose colliding ones */
  uint64_t seed[2];
};

ck_status ck_state_rebuild_new(ck_state_rebuild **out, ck_error *err) {
  *out = NULL;
  ck_state_rebuild *self = calloc(1, sizeof *self);
  if (self) self->slots = calloc(FIRST_CAP, sizeof *self->slots);
  if (!self || !self->slots) {
    free(self);
    return ck_error_no_memory(err);
  }
  self->cap = FIRST_CAP;
  ck_random_bytes(self->seed, sizeof self->seed);
  *out = self;
  return CK_OK;
}

void ck_state_rebuild_free(ck_state_rebuild *self) {
  if (!self) return;
  for (size_t i = 0; i < self->cap; i++) {
    free(self->slots[i].key);
    if (self->slots[i].cap) free(self->slots[i].data);
    ck_splice_memo_free(self->slots[i].memo);
  }
  free(self->slots);
  free(self);
}

static uint64_t mix(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_key(const ck_state_rebuild *self, ck_bytes key) {
  uint64_t hash = self->seed[0] ^ key.len, word;
  for (; key.len >= sizeof word; key.data += sizeof word, key.len -= sizeof word) {
    memcpy(&word, key.data, sizeof word);
    hash = mix(hash ^ word, self->seed[1] | 1);
  }
  word = 0;
  if (key.len) memcpy(&word, key.data, key.len);
  return mix(hash ^ word, self->seed[1] | 1) ^ hash;
}

/* The slot of `key`, or the free one for it. */
static slot *find_slot(const ck_state_rebuild *self, ck_bytes key) {
  size_t mask = self->cap - 1, at = (size_t)hash_key(self, key) & mask;
  for (;; at = (at + 1) & mask) {
    slot *here = &self->slots[at];
    if (!here->key || ck_bytes_equal((ck_bytes){here->key, here->key_len}, key)) return here;
  }
}

static ck_status grow(ck_state_rebuild *self, ck_error *err) {
  slot *before = self->slots;
  size_t count = self->cap;
  slot *slots = calloc(count * 2, sizeof *slots);
  if (!slots) return ck_error_no_memory(err);
  self->slots = slots;
  self->cap = count * 2;
  for (size_t i = 0; i < count; i++) {
    if (before[i].key) *find_slot(self, (ck_bytes){before[i].key, before[i].key_len}) = before[i];
  }
  free(before);
  return CK_OK;
}

static ck_status make_slot(slot **out, ck_state_rebuild *self, ck_bytes key, ck_error *err) {
  *out = NULL;
  slot *here = find_slot(self, key);
  if (!here->key && self->used >= self->cap / 4 * 3) {
    ck_status status = grow(self, err);
    if (status) return status;
    here = find_slot(self, key);
  }
  if (!here->key) {
    here->key = strndup(key.data, key.len);
    if (!here->key) return ck_error_no_memory(err);
    here->key_len = key.len;
    self->used++;
  }
  *out = here;
  return CK_OK;
}

static ck_status reserve(slot *here, size_t len, ck_error *err) {
  if (len <= here->cap) return CK_OK;
  size_t cap =
      here->data ? len + len / 2 : len; /* a value that is patched once will be patched again */
  bool borrowed = here->cap == 0;
  if (borrowed && cap < here->len) cap = here->len;
  char *data = realloc(borrowed ? NULL : here->data, cap);
  if (!data) return ck_error_no_memory(err);
  if (borrowed && here->len) memcpy(data, here->data, here->len);
  here->data = data;
  here->cap = cap;
  return CK_OK;
}

static ck_status apply_splice(slot *here, const ck_codec_entry *entry, ck_error *err) {
  if (!here->present || here->len != entry->old)
    return ck_error_set(err, CK_E_CORRUPT, "key '%s' is a splice of %zu bytes where there are %zu",
                        here->key, entry->old, here->present ? here->len : 0);
  size_t len = entry->prefix + entry->bytes.len + entry->suffix;
  ck_status status = reserve(here, len, err);
  if (status) return status;
  memmove(here->data + len - entry->suffix, here->data + here->len - entry->suffix, entry->suffix);
  if (entry->bytes.len) memcpy(here->data + entry->prefix, entry->bytes.data, entry->bytes.len);
  here->len = len;
  here->same = here->same < entry->prefix ? here->same : entry->prefix;
  return CK_OK;
}

static ck_status apply_full(slot *here, const ck_codec_entry *entry, ck_error *err) {
  ck_status status = reserve(here, entry->bytes.len, err);
  if (status) return status;
  if (entry->bytes.len) memcpy(here->data, entry->bytes.data, entry->bytes.len);
  here->len = entry->bytes.len;
  here->same = 0;
  return CK_OK;
}

static void borrow_full(slot *here, const ck_codec_entry *entry) {
  if (here->cap) free(here->data);
  here->data = (char *)(uintptr_t)entry->bytes.data;
  here->len = entry->bytes.len;
  here->cap = here->same = 0;
}

static void remove_slot(ck_state_rebuild *self, slot *here) {
  if (!here->present) return;
  self->bytes -= here->key_len + here->len;
  here->present = here->spliced = false;
  here->len = here->same = 0;
}

static ck_status apply_value(slot *here, const ck_codec_entry *entry, bool borrow, ck_error *err) {
  if (entry->op == CK_CODEC_SPLICE) return apply_splice(here, entry, err);
  if (!borrow) return apply_full(here, entry, err);
  borrow_full(here, entry);
  return CK_OK;
}

static ck_status apply_entry(ck_state_rebuild *self, const ck_codec_entry *entry, bool borrow,
                             ck_error *err) {
  slot *here;
  size_t len = entry->prefix + entry->bytes.len + entry->suffix;
  if (entry->op != CK_CODEC_REMOVED && len + self->bytes > (size_t)CK_PLAIN_MAX * 2)
    return ck_error_set(err, CK_E_OVERSIZE, "the state grows beyond %lld bytes",
                        (long long)CK_PLAIN_MAX * 2);
  ck_status status = make_slot(&here, self, entry->key, err);
  if (status) return status;
  if (entry->op == CK_CODEC_REMOVED) {
    remove_slot(self, here);
    return CK_OK;
  }
  size_t before = here->present ? here->key_len + here->len : 0;
  status = apply_value(here, entry, borrow, err);
  if (status) return status;
  self->bytes += here->key_len + here->len - before;
  here->present = true;
  here->spliced = entry->op == CK_CODEC_SPLICE;
  here->expects = entry->changed;
  here->content = entry->change.content;
  return CK_OK;
}

static ck_status apply_all(ck_state_rebuild *self, const ck_codec_reader *reader, bool borrow,
                           ck_error *err) {
  ck_codec_reader walk = *reader;
  if (walk.form == CK_CODEC_KEYFRAME) {
    for (size_t i = 0; i < self->cap; i++) remove_slot(self, &self->slots[i]);
  }
  for (;;) {
    ck_codec_entry entry;
    bool found;
    ck_status status = ck_codec_next_entry(&entry, &found, &walk, err);
    if (status || !found) return status;
    status = apply_entry(self, &entry, borrow, err);
    if (status) return status;
  }
}

ck_status ck_state_rebuild_apply(ck_state_rebuild *self, const ck_codec_reader *reader,
                                 ck_error *err) {
  return apply_all(self, reader, false, err);
}

ck_status ck_state_rebuild_borrow(ck_state_rebuild *self, const ck_codec_reader *reader,
                                  ck_error *err) {
  return apply_all(self, reader, true, err);
}

static ck_status check_content(slot *here, const ck_digest *content, ck_error *err) {
  ck_bytes value = {here->data, here->len};
  if (!here->memo && here->len >= CK_SPLICE_MEMO_FROM) here->memo = ck_splice_memo_new();
  ck_digest found = ck_splice_digest(here->memo, value, here->same);
  here->same = here->len;
  if (ck_digest_equal(&found, content)) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT, "key '%s' does not have the content it was written with",
                      here->key);
}

ck_status ck_state_rebuild_check_splices(ck_state_rebuild *self, ck_error *err) {
  for (size_t i = 0; i < self->cap; i++) {
    slot *here = &self->slots[i];
    if (!here->present || !here->spliced || !here->expects) continue;
    ck_digest found = ck_digest_of((ck_bytes){here->data, here->len});
    if (!ck_digest_equal(&found, &here->content))
      return ck_error_set(err, CK_E_CORRUPT,
                          "key '%s' does not have the content it was written with", here->key);
  }
  return CK_OK;
}

ck_status ck_state_rebuild_check_changes(ck_state_rebuild *self, const ck_codec_reader *reader,
                                         ck_error *err) {
  ck_codec_reader walk = *reader;
  ck_codec_seen change;
  while (ck_codec_next_change(&change, &walk)) {
    slot *here = find_slot(self, change.key);
    bool present = here->key && here->present;
    if (present != (change.op == CK_CODEC_SET))
      return ck_error_set(err, CK_E_CORRUPT, "key '%.*s' is %s", (int)change.key.len,
                          change.key.data,
                          present ? "there though it was removed" : "missing though it was set");
    ck_status status = present ? check_content(here, &change.content, err) : CK_OK;
    if (status) return status;
  }
  return CK_OK;
}

bool ck_state_rebuild_get(ck_bytes *out, const ck_state_rebuild *self, ck_bytes key) {
  const slot *here = find_slot(self, key);
  *out = (ck_bytes){NULL, 0};
  if (!here->key || !here->present) return false;
  *out = (ck_bytes){here->data, here->len};
  return true;
}

/* Every key of `a` that is not in `changed` must have the same value in `b`. */
static ck_status check_unchanged(const ck_state_rebuild *a, const ck_state_rebuild *b,
                                 const ck_state_rebuild *changed, ck_error *err) {
  for (size_t i = 0; i < a->cap; i++) {
    const slot *here = &a->slots[i];
    ck_bytes key = {here->key, here->key_len}, other;
    if (!here->present || ck_state_rebuild_get(&other, changed, key)) continue;
    if (!ck_state_rebuild_get(&other, b, key) ||
        !ck_bytes_equal(other, (ck_bytes){here->data, here->len}))
      return ck_error_set(err, CK_E_CORRUPT, "key '%s' is not what it was at the parent",
                          here->key);
  }
  return CK_OK;
}

ck_status ck_state_rebuild_check_keyframe(const ck_state_rebuild *self,
                                          const ck_state_rebuild *parent,
                                          const ck_codec_reader *reader, ck_error *err) {
  ck_state_rebuild *changed;
  ck_status status = ck_state_rebuild_new(&changed, err);
  if (status) return status;
  ck_codec_reader walk = *reader;
  ck_codec_seen change;
  while (!status && ck_codec_next_change(&change, &walk)) {
    ck_codec_entry entry = {.key = change.key, .op = CK_CODEC_FULL};
    status = apply_entry(changed, &entry, false, err);
  }
  if (!status) status = check_unchanged(self, parent, changed, err);
  if (!status) status = check_unchanged(parent, self, changed, err);
  ck_state_rebuild_free(changed);
  return status;
}

ck_status ck_state_rebuild_get_state(ck_state **out, const ck_state_rebuild *self, ck_error *err) {
  ck_state *state;
  *out = NULL;
  ck_status status = ck_state_new(&state, err);
  if (status) return status;
  for (size_t i = 0; i < self->cap && !status; i++) {
    const slot *here = &self->slots[i];
    ck_value *value;
    if (!here->present) continue;
    status = ck_value_copy(&value, (ck_bytes){here->data, here->len}, err);
    if (!status) status = ck_state_put(state, here->key, value, err);
    ck_value_free(value);
    if (status == CK_E_USAGE && err) status = err->status = CK_E_CORRUPT;
  }
  if (status)
    ck_state_free(state);
  else
    *out = state;
  return status;
}
