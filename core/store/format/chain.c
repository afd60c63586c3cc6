/* chain.c - holds the last state and the digests of a session, and decides between delta and
 * keyframe. */
#include "core/store/format/chain.h"

#include <stdlib.h>
#include <string.h>

#include "core/store/format/compress.h"

enum {
  DELTAS_MIN = 512,
  BYTES_PER_DELTA = 2048,
  ENTRY_OVERHEAD = 16, /* bytes of a keyframe's entry beyond key and value, at most */
  DELTA_OVERHEAD = 64, /* of a delta beyond its changes, at most, and of each of these */
  CHANGE_OVERHEAD = 128,
  MEMO_MAX = 64 /* number of large growing values whose unfinished hashes are kept */
};

typedef struct memo {
  char *key;
  ck_splice_memo *content;
} memo;

struct ck_chain {
  char session_id[CK_ID_SIZE];
  ck_codec_head head;
  /* The last checkpoint. */
  ck_state *state; /* NULL: not loaded */
  int64_t seq;     /* 0: the start */
  ck_digest digest;
  ck_chain_base base;
  /* The events after the last checkpoint by seq. */
  bool has_tail;
  int64_t covers, last; /* last: seq of the last event */
  ck_digester events;
  memo memos[MEMO_MAX];
  size_t memo_count;
  ck_codec_change *changes; /* room for those of one checkpoint */
  size_t change_cap;
};

ck_status ck_chain_new(ck_chain **out, const char *session_id, ck_error *err) {
  *out = NULL;
  ck_chain *self = aligned_alloc(_Alignof(ck_chain), sizeof *self);
  if (!self) return ck_error_no_memory(err);
  *self = (ck_chain){.head = ck_codec_head_of(session_id, 0)};
  strncpy(self->session_id, session_id, sizeof self->session_id - 1);
  *out = self;
  return CK_OK;
}

void ck_chain_free(ck_chain *self) {
  if (!self) return;
  ck_chain_drop(self);
  free(self->changes);
  free(self);
}

const char *ck_chain_session(const ck_chain *self) { return self->session_id; }

static void drop_memos(ck_chain *self) {
  for (size_t i = 0; i < self->memo_count; i++) {
    free(self->memos[i].key);
    ck_splice_memo_free(self->memos[i].content);
  }
  self->memo_count = 0;
}

void ck_chain_drop(ck_chain *self) {
  ck_state_free(self->state);
  self->state = NULL;
  self->has_tail = false;
  drop_memos(self);
}

bool ck_chain_follows(const ck_chain *self, int64_t seq) {
  return self->has_tail && seq == self->last + 1;
}

bool ck_chain_has_tail(const ck_chain *self) { return self->has_tail; }

void ck_chain_begin_tail(ck_chain *self, int64_t covers) {
  self->has_tail = true;
  self->covers = self->last = covers;
  ck_digester_init(&self->events);
}

ck_status ck_chain_append_event(ck_chain *self, int64_t seq, const ck_digest *digest,
                                ck_error *err) {
  if (seq != self->last + 1)
    return ck_error_set(err, CK_E_RANGE, "session %s: event %lld does not follow event %lld",
                        self->session_id, (long long)seq, (long long)self->last);
  ck_digester_update(&self->events, digest->bytes, sizeof digest->bytes);
  self->last = seq;
  return CK_OK;
}

bool ck_chain_is_at(const ck_chain *self, int64_t seq) { return self->state && self->seq == seq; }

void ck_chain_begin_state(ck_chain *self, ck_state *state, int64_t seq, const ck_digest *digest,
                          const ck_chain_base *base) {
  ck_state_free(self->state);
  self->state = state;
  self->seq = seq;
  self->digest = *digest;
  self->base = *base;
  drop_memos(self);
}

static int compare_changes(const void *a, const void *b) {
  return ck_codec_compare(((const ck_codec_change *)a)->key, ((const ck_codec_change *)b)->key);
}

/* The memo of a key; NULL: none, the value is hashed as a whole. An existing memo must see small
 * values too. */
static ck_splice_memo *memo_of(ck_chain *self, const ck_codec_change *change) {
  for (size_t i = 0; i < self->memo_count; i++) {
    if (strcmp(self->memos[i].key, change->key.data) == 0) return self->memos[i].content;
  }
  if (change->value.len < CK_SPLICE_MEMO_FROM || !change->old.data || self->memo_count == MEMO_MAX)
    return NULL;
  memo fresh = {strdup(change->key.data), ck_splice_memo_new()};
  if (!fresh.key || !fresh.content) {
    free(fresh.key);
    ck_splice_memo_free(fresh.content);
    return NULL;
  }
  self->memos[self->memo_count++] = fresh;
  return fresh.content;
}

static ck_status reserve_changes(ck_chain *self, size_t count, ck_error *err) {
  if (count <= self->change_cap) return CK_OK;
  ck_codec_change *changes = realloc(self->changes, count * 2 * sizeof *changes);
  if (!changes) return ck_error_no_memory(err);
  self->changes = changes;
  self->change_cap = count * 2;
  return CK_OK;
}

static ck_status oversize(const ck_chain *self, const ck_checkpoint *checkpoint, size_t bytes,
                          ck_error *err) {
  return ck_error_set(err, CK_E_OVERSIZE,
                      "session %s, checkpoint %s: a state of %zu bytes; at most %lld can be kept",
                      self->session_id, checkpoint->id, bytes, (long long)CK_PLAIN_MAX);
}

/* Called before anything is hashed or copied, so that a checkpoint that is too large costs
 * nothing. */
static ck_status check_size(const ck_chain *self, const ck_checkpoint *checkpoint, ck_error *err) {
  size_t count = ck_state_count(self->state) + checkpoint->change_count,
         most = (size_t)CK_PLAIN_MAX;
  size_t bytes = ck_state_bytes(self->state) + count * (ENTRY_OVERHEAD + CK_DIGEST_SIZE);
  for (size_t i = 0; i < checkpoint->change_count; i++) {
    bytes += self->changes[i].key.len + self->changes[i].value.len;
  }
  for (size_t i = 0; i < checkpoint->change_count && bytes > most; i++) {
    const ck_value *old = ck_state_get(self->state, self->changes[i].key.data);
    if (old) bytes -= ck_value_bytes(old).len;
  }
  return bytes > most ? oversize(self, checkpoint, bytes, err) : CK_OK;
}

static ck_status sort_changes(ck_chain *self, const ck_checkpoint *checkpoint, ck_error *err) {
  size_t count = checkpoint->change_count;
  ck_status status = reserve_changes(self, count, err);
  for (size_t i = 0; i < count && !status; i++) {
    const ck_change *from = &checkpoint->changes[i];
    status = ck_state_check_key(from->key, err);
    self->changes[i] = (ck_codec_change){.key = ck_bytes_text(from->key)};
    if (from->value) self->changes[i].value = ck_value_bytes(from->value);
  }
  if (status) return status;
  if (count > 1) qsort(self->changes, count, sizeof *self->changes, compare_changes);
  for (size_t i = 1; i < count; i++) {
    if (compare_changes(&self->changes[i - 1], &self->changes[i]) == 0)
      return ck_error_set(err, CK_E_USAGE, "session %s, checkpoint %s: key '%s' is changed twice",
                          self->session_id, checkpoint->id, self->changes[i].key.data);
  }
  return CK_OK;
}

static void compare_with_parent(ck_chain *self, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ck_codec_change *change = &self->changes[i];
    const ck_value *old = ck_state_get(self->state, change->key.data);
    if (old) change->old = ck_value_bytes(old);
    if (!change->value.data) continue;
    if (old) change->splice = ck_splice_get(change->old, change->value);
    change->content = ck_splice_digest(memo_of(self, change), change->value, change->splice.prefix);
  }
}

/* Afterwards `old` of the changes is void. */
static ck_status apply_changes(ck_chain *self, const ck_checkpoint *checkpoint, ck_error *err) {
  for (size_t i = 0; i < checkpoint->change_count; i++) {
    const ck_change *change = &checkpoint->changes[i];
    ck_status status = CK_OK;
    if (change->value)
      status = ck_state_put(self->state, change->key, change->value, err);
    else
      ck_state_remove(self->state, change->key);
    if (status) return status;
  }
  return CK_OK;
}

/* `bytes`: of the state, the changes made. A load reads the keyframe and the deltas, while the
 * state may have shrunk since the keyframe. */
static bool keyframe_is_due(const ck_chain *self, size_t bytes, size_t delta_len) {
  const ck_chain_base *base = &self->base;
  size_t most = bytes / BYTES_PER_DELTA > DELTAS_MIN ? bytes / BYTES_PER_DELTA : DELTAS_MIN;
  return base->keyframe == 0 || base->keyframe_bytes + base->delta_bytes + delta_len >= bytes * 2 ||
         base->delta_count >= most;
}

/* A delta goes on from the session's own last checkpoint. */
static bool follows_last(const ck_chain *self, const ck_checkpoint *checkpoint) {
  return checkpoint->parent == self->covers;
}

bool ck_chain_adds(const ck_chain *self, const ck_checkpoint *checkpoint) {
  if (!ck_chain_is_at(self, checkpoint->parent) || !follows_last(self, checkpoint)) return false;
  size_t bytes = ck_state_bytes(self->state), delta = DELTA_OVERHEAD;
  for (size_t i = 0; i < checkpoint->change_count; i++) {
    const ck_change *change = &checkpoint->changes[i];
    const ck_value *old = ck_state_get(self->state, change->key);
    size_t key = strlen(change->key), value = change->value ? ck_value_bytes(change->value).len : 0;
    delta += key + value + CHANGE_OVERHEAD;
    if (change->value) bytes += key + value;
    if (old) bytes -= key + ck_value_bytes(old).len;
  }
  return !keyframe_is_due(self, bytes, delta);
}

/* Head and changed section are the same in both forms; a delta that does not pay is replaced by a
 * keyframe. */
static ck_status write_payload(ck_buffer *plain, ck_chain *self, const ck_checkpoint *checkpoint,
                               ck_bytes *changed, ck_error *err) {
  size_t count = checkpoint->change_count;
  ck_buffer_reset(plain);
  ck_codec_write_head(plain, &self->head);
  size_t begin = plain->len;
  ck_codec_write_changed(plain, self->changes, count);
  size_t end = plain->len;
  if (self->base.keyframe != 0) ck_codec_write_delta(plain, self->changes, count);
  ck_status status = apply_changes(self, checkpoint, err);
  if (status) return status;
  if (keyframe_is_due(self, ck_state_bytes(self->state), plain->len)) {
    self->base = (ck_chain_base){checkpoint->seq, ck_state_bytes(self->state), 0, 0};
    if (!plain->failed) plain->len = end;
    status = ck_codec_write_keyframe(plain, self->state, self->changes, count, err);
  } else {
    self->base.delta_bytes += plain->len;
    self->base.delta_count++;
  }
  if (!status) status = ck_buffer_check(plain, err);
  if (!status && plain->len > (size_t)CK_PLAIN_MAX)
    status = oversize(self, checkpoint, plain->len, err);
  if (!status) *changed = (ck_bytes){plain->data + begin, end - begin};
  return status;
}

static void fill_row(ck_checkpoint_row *row, const ck_chain *self, const ck_checkpoint *checkpoint,
                     int64_t timeline) {
  ck_digester events = self->events;
  *row = (ck_checkpoint_row){.seq = checkpoint->seq,
                             .parent = checkpoint->parent,
                             .timeline = timeline,
                             .covers = self->covers,
                             .keyframe = self->base.keyframe,
                             .kind = checkpoint->kind,
                             .created_ms = checkpoint->created_ms,
                             .clean = checkpoint->clean,
                             .resumable = checkpoint->resumable,
                             .totals = checkpoint->totals,
                             .changed = (int64_t)checkpoint->change_count,
                             .format = CK_PAYLOAD_FORMAT,
                             .info = ck_value_bytes(checkpoint->info),
                             .events_digest = ck_digester_final(&events)};
  memcpy(row->id, checkpoint->id, sizeof row->id);
}

ck_status ck_chain_encode(ck_checkpoint_row *row, ck_buffer *plain, ck_chain *self,
                          const ck_checkpoint *checkpoint, int64_t timeline, ck_error *err) {
  ck_bytes changed;
  *row = (ck_checkpoint_row){0};
  self->head.seq = checkpoint->seq;
  ck_status status = sort_changes(self, checkpoint, err);
  if (!status) status = check_size(self, checkpoint, err);
  if (status) return status;
  if (!follows_last(self, checkpoint)) self->base.keyframe = 0;
  compare_with_parent(self, checkpoint->change_count);
  status = write_payload(plain, self, checkpoint, &changed, err);
  if (status) return status;
  fill_row(row, self, checkpoint, timeline);
  row->plain_len = (int64_t)plain->len;
  row->digest = ck_chain_digest_checkpoint(row, self->session_id, &self->digest, changed);
  self->seq = checkpoint->seq;
  self->digest = row->digest;
  ck_chain_begin_tail(self, checkpoint->seq);
  return CK_OK;
}
