/* scope_notes.c - the notes of scopes that the flow has gone past without: an agent has them for
 * the rest of its session, wherever it took them.
 *
 * A scope's pad, its key scratch.<agent>, begins with the notes that it found there, so what it has
 * added is what follows those; lua/ck/flow/pads.lua joins the pads of scopes that have ended in the
 * same way. Of an orphan only the notes stay: anything else in its pad goes with what it wrote. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/sources.h"
#include "core/runtime/execution/scope_private.h"

static const char area[] = "scratch.", notes_name[] = "notes";

static ck_bytes notes_of(const ck_value *pad) {
  ck_bytes notes = pad ? ck_json_get(ck_value_bytes(pad), notes_name) : (ck_bytes){0};
  return ck_json_type_of(notes) == CK_JSON_ARRAY ? notes : (ck_bytes){0};
}

static void write_notes(ck_json_writer *w, ck_bytes notes, size_t skipped) {
  for (ck_json_iterator it = ck_json_iterate(notes); ck_json_next(&it);)
    if (skipped > 0)
      skipped--;
    else
      ck_json_put_raw(w, it.value);
}

/* What the flow itself keeps in the pad. */
static void write_others(ck_json_writer *w, const ck_value *pad) {
  ck_buffer name = {0};
  ck_json_iterator it = ck_json_iterate(pad ? ck_value_bytes(pad) : (ck_bytes){0});
  while (ck_json_next(&it)) {
    ck_buffer_reset(&name);
    ck_json_read_string(&name, it.name);
    ck_buffer_append_char(&name, '\0');
    if (name.failed) break;
    if (strcmp(name.data, notes_name) != 0) ck_json_member_raw(w, name.data, it.value);
  }
  if (name.failed) w->out->failed = true;
  ck_buffer_clear(&name);
}

/* `pad` (NULL: none) with the notes that `other` has more; NULL in *out: there are none. */
static ck_status join(ck_value **out, const ck_value *pad, const ck_value *other, ck_error *err) {
  ck_bytes ours = notes_of(pad), theirs = notes_of(other);
  size_t common = ck_json_count_common(ours, theirs);
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  *out = NULL;
  if (common == ck_json_count(theirs)) return CK_OK;
  if (pad && ck_json_type_of(ck_value_bytes(pad)) != CK_JSON_OBJECT) return CK_OK;
  ck_json_begin(&w, '{');
  write_others(&w, pad);
  ck_json_name(&w, notes_name);
  ck_json_begin(&w, '[');
  write_notes(&w, ours, 0);
  write_notes(&w, theirs, common);
  ck_json_end(&w, ']');
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_scope_notes_add(ck_state *pads, const ck_state *written, ck_error *err) {
  ck_state_entry *entries = NULL;
  size_t count = 0;
  ck_status status = written ? ck_state_list(&entries, &count, written, err) : CK_OK;
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    const char *key = entries[i].key;
    ck_value *joined = NULL;
    if (strncmp(key, area, sizeof area - 1) != 0) continue;
    status = join(&joined, ck_state_get(pads, key), entries[i].value, err);
    if (status == CK_OK && joined) status = ck_state_put(pads, key, joined, err);
    ck_value_free(joined);
  }
  free(entries);
  return status;
}

/* The nearest overlay's at or above the scope, else the session's. */
static const ck_value *get_pad(const ck_runner *self, const char *key) {
  const ck_session *session = self->execution->session;
  const ck_value *found = NULL;
  for (char **overlay = self->overlays; !found && overlay && *overlay; overlay++) {
    char whole[CK_STATE_KEY_MAX + 1];
    int len = snprintf(whole, sizeof whole, "%s%s", *overlay, key);
    if (len > 0 && len <= CK_STATE_KEY_MAX) found = ck_session_get(session, whole);
  }
  if (!found) found = ck_session_get(session, key);
  bool removed = found && ck_json_type_of(ck_value_bytes(found)) == CK_JSON_NULL;
  return removed ? NULL : found;
}

ck_status ck_left_notes_init(ck_left_notes *self, ck_error *err) {
  *self = (ck_left_notes){0};
  return ck_state_new(&self->pads, err);
}

void ck_left_notes_clear(ck_left_notes *self) {
  ck_state_free(self->pads);
  ck_value_free(self->untrusted);
  *self = (ck_left_notes){0};
}

ck_status ck_runner_add_notes(ck_runner *self, const ck_left_notes *left, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_status status = ck_state_list(&entries, &count, left->pads, err);
  if (status != CK_OK) return status;
  status = ck_sources_add(&self->joined_untrusted, ck_sources_bytes(left->untrusted), err);
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    ck_value *joined;
    status = join(&joined, get_pad(self, entries[i].key), entries[i].value, err);
    if (status == CK_OK && joined) status = ck_runner_write(self, entries[i].key, joined, err);
    ck_value_free(joined);
  }
  free(entries);
  return status;
}
