/* scrub_payload.c - writes the payload of a checkpoint again with what the rules left of its
 * values. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/store/scrub_walk.h"

ck_status ck_scrub_ask(ck_buffer *out, bool *changed, ck_scrub_walk *self,
                       const ck_scrub_item *item, ck_error *err) {
  ck_buffer_reset(out);
  *changed = false;
  ck_status status = self->rules->apply(out, changed, self->rules->self, item, err);
  return status ? status : ck_buffer_check(out, err);
}

ck_status ck_scrub_look(ck_scrub_walk *self, const char *what, int64_t seq, const char *name,
                        ck_error *err) {
  bool changed;
  if (!name || !*name) return CK_OK;
  const ck_scrub_item item = {.place = CK_SCRUB_NAME,
                              .session = strcmp(what, "fact") == 0 ? 0 : self->session,
                              .seq = seq,
                              .name = what,
                              .bytes = ck_bytes_text(name)};
  return ck_scrub_ask(&self->space, &changed, self, &item, err);
}

/* The changes of one payload with their values, before and after. All bytes lie in `texts`; while
 * they are gathered it moves, so places are kept. */
typedef struct span {
  size_t at, len;
  bool there;
} span;
typedef struct change {
  ck_codec_seen seen;
  span old, now;
} change;
typedef struct rewriting {
  ck_scrub_walk *walk;
  const ck_codec_reader *reader;
  int64_t seq;
  change *list;
  size_t count;
  ck_buffer texts;
  bool differs;
} rewriting;

/* The value of a key as it is from now on, NULL data: absent, at the end of `texts`. Each stored
 * value counts once (`seq`). */
static ck_status keep_value(span *out, rewriting *self, int64_t seq, ck_bytes key, ck_error *err) {
  char name[CK_STATE_KEY_MAX + 1];
  bool changed;
  ck_bytes value;
  *out = (span){.at = self->texts.len};
  if (!ck_state_rebuild_get(&value, self->walk->state, key)) return CK_OK;
  if (key.len > CK_STATE_KEY_MAX)
    return ck_error_set(err, CK_E_CORRUPT, "a key of %zu bytes", key.len);
  memcpy(name, key.data, key.len);
  name[key.len] = '\0';
  const ck_scrub_item item = {.place = CK_SCRUB_STATE,
                              .session = self->walk->session,
                              .seq = seq,
                              .name = name,
                              .bytes = value};
  ck_status status = seq ? ck_scrub_look(self->walk, "key", seq, name, err) : CK_OK;
  if (!status) status = ck_scrub_ask(&self->walk->space, &changed, self->walk, &item, err);
  if (status) return status;
  self->differs |= changed;
  ck_buffer_append_bytes(&self->texts, changed ? ck_buffer_bytes(&self->walk->space) : value);
  out->len = self->texts.len - out->at;
  out->there = true;
  return ck_buffer_check(&self->texts, err);
}

static ck_status read_changes(rewriting *self, ck_error *err) {
  ck_codec_reader reader = *self->reader;
  self->list = calloc(reader.change_count + 1, sizeof *self->list);
  if (!self->list) return ck_error_no_memory(err);
  ck_status status = CK_OK;
  while (!status && self->count < reader.change_count &&
         ck_codec_next_change(&self->list[self->count].seen, &reader)) {
    change *at = &self->list[self->count++];
    status = keep_value(&at->old, self, 0, at->seen.key, err);
  }
  return status;
}

static ck_status read_values(rewriting *self, ck_error *err) {
  ck_status status = CK_OK;
  int64_t seq = self->reader->form == CK_CODEC_KEYFRAME ? 0 : self->seq;
  for (size_t i = 0; i < self->count && !status; i++)
    status = keep_value(&self->list[i].now, self, seq, self->list[i].seen.key, err);
  return status;
}

static ck_bytes bytes_of(const rewriting *self, span of) {
  return of.there ? (ck_bytes){self->texts.data + of.at, of.len} : (ck_bytes){NULL, 0};
}

static void make_changes(ck_codec_change *out, const rewriting *self) {
  for (size_t i = 0; i < self->count; i++) {
    const change *from = &self->list[i];
    ck_codec_change *to = &out[i];
    *to = (ck_codec_change){.key = from->seen.key,
                            .value = bytes_of(self, from->now),
                            .old = bytes_of(self, from->old)};
    if (from->seen.op == CK_CODEC_UNSET) to->value = (ck_bytes){NULL, 0};
    if (to->value.data) to->content = ck_digest_of(to->value);
    if (to->value.data && to->old.data) to->splice = ck_splice_get(to->old, to->value);
  }
}

/* A keyframe holds all keys, the unchanged ones too. */
static ck_status scrub_state(ck_state **out, rewriting *self, ck_error *err) {
  ck_state_entry *entries = NULL;
  size_t count = 0;
  ck_state *before = NULL;
  ck_status status = ck_state_rebuild_get_state(&before, self->walk->state, err);
  if (!status) status = ck_state_new(out, err);
  if (!status) status = ck_state_list(&entries, &count, before, err);
  for (size_t i = 0; i < count && !status; i++) {
    span kept;
    ck_value *value = NULL;
    ck_buffer_reset(&self->texts);
    status = keep_value(&kept, self, self->seq, ck_bytes_text(entries[i].key), err);
    if (!status) status = ck_value_copy(&value, bytes_of(self, kept), err);
    if (!status) status = ck_state_put(*out, entries[i].key, value, err);
    ck_value_free(value);
  }
  free(entries);
  ck_state_free(before);
  return status;
}

static ck_status write_keyframe(rewriting *self, const ck_codec_change *changes, ck_error *err) {
  ck_state *state = NULL;
  rewriting all = {.walk = self->walk, .reader = self->reader, .seq = self->seq};
  ck_status status = scrub_state(&state, &all, err);
  self->differs |= all.differs;
  if (!status)
    status = ck_codec_write_keyframe(&self->walk->body, state, changes, self->count, err);
  ck_state_free(state);
  ck_buffer_clear(&all.texts);
  return status;
}

static ck_status write_payload(rewriting *self, ck_error *err) {
  ck_buffer *out = &self->walk->body;
  ck_codec_change *changes = calloc(self->count + 1, sizeof *changes);
  if (!changes) return ck_error_no_memory(err);
  make_changes(changes, self);
  ck_status status = CK_OK;
  ck_buffer_reset(out);
  ck_codec_write_head(out, &self->reader->head);
  ck_codec_write_changed(out, changes, self->count);
  if (self->reader->form == CK_CODEC_KEYFRAME)
    status = write_keyframe(self, changes, err);
  else
    ck_codec_write_delta(out, changes, self->count);
  free(changes);
  return status ? status : ck_buffer_check(out, err);
}

/* The state at the parent, as it was: the store's readers do not see the transaction. */
static ck_status load_parent(ck_scrub_walk *self, int64_t parent, ck_error *err) {
  if (self->state && self->state_seq == parent) return CK_OK;
  ck_state_rebuild_free(self->state);
  self->state = NULL;
  self->state_seq = parent;
  if (parent == 0) return ck_state_rebuild_new(&self->state, err);
  const ck_load_request load = {.rebuild = &self->state, .pruned = true};
  return ck_store_core_load(&load, self->store, self->session, parent, err);
}

/* A keyframe is whole without its parent, which may be a stub. */
static ck_status begin_state(ck_scrub_walk *self, const ck_codec_reader *reader, int64_t parent,
                             ck_error *err) {
  if (reader->form == CK_CODEC_DELTA) return load_parent(self, parent, err);
  ck_state_rebuild_free(self->state);
  return ck_state_rebuild_new(&self->state, err);
}

ck_status ck_scrub_payload(bool *changed, ck_scrub_walk *self, const ck_codec_reader *reader,
                           int64_t parent, ck_error *err) {
  rewriting work = {.walk = self, .reader = reader, .seq = reader->head.seq};
  *changed = false;
  if (reader->form == CK_CODEC_DELTA && reader->entry_count != reader->change_count)
    return ck_error_set(err, CK_E_NEWER, "its payload was packed by a newer version");
  ck_status status = begin_state(self, reader, parent, err);
  if (!status) status = read_changes(&work, err);
  if (!status) status = ck_state_rebuild_apply(self->state, reader, err);
  if (!status) self->state_seq = reader->head.seq;
  if (!status) status = read_values(&work, err);
  bool keyframe = reader->form == CK_CODEC_KEYFRAME;
  if (!status && (work.differs || keyframe)) status = write_payload(&work, err);
  *changed = !status && work.differs;
  free(work.list);
  ck_buffer_clear(&work.texts);
  return status;
}
