/* pads.c - the scratch pad of an agent, with what it wrote in scopes that are still open.
 *
 * A scope writes to an overlay, branch.<scope>/scratch.<agent>, which its parent takes over once it
 * has joined it. It begins with the notes of its parent, so what it has added is what follows them;
 * lua/ck/flow/pads.lua joins them in the same way. */
#include "core/host/inspect/pads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for a scope's name and a key of the state. */
enum { KEY_MAX = 3 * CK_STATE_KEY_MAX };

static const ck_value *own_pad(const ck_snapshot *snapshot, const char *scope, const char *agent) {
  char key[KEY_MAX];
  snprintf(key, sizeof key, "branch.%.*s/scratch.%.*s", CK_STATE_KEY_MAX, scope, CK_STATE_KEY_MAX,
           agent);
  const ck_value *pad = ck_state_get(snapshot->state, key);
  return pad && ck_json_type_of(ck_value_bytes(pad)) != CK_JSON_NULL ? pad : NULL;
}

/* Goes from a scope to the one that opened it; false: that is none with a record. `record` becomes
 * the parent's. */
static bool go_up(char scope[KEY_MAX], const ck_snapshot *snapshot) {
  char key[KEY_MAX];
  snprintf(key, sizeof key, "position.%.*s", CK_STATE_KEY_MAX, scope);
  const ck_value *record = ck_state_get(snapshot->state, key);
  char *parent = record ? ck_json_dup_string(ck_json_get(ck_value_bytes(record), "parent")) : NULL;
  bool found = parent && strcmp(parent, scope) != 0;
  if (found) snprintf(scope, KEY_MAX, "%s", parent);
  free(parent);
  return found;
}

/* As a scope reads it: the nearest overlay at or above it, else that of the main scope. */
static const ck_value *pad_seen(const ck_snapshot *snapshot, const char *from, const char *agent) {
  char scope[KEY_MAX], key[KEY_MAX];
  snprintf(scope, sizeof scope, "%s", from ? from : "");
  snprintf(key, sizeof key, "scratch.%.*s", CK_STATE_KEY_MAX, agent);
  for (size_t left = snapshot->entry_count; from && left > 0; left--) {
    const ck_value *pad = own_pad(snapshot, scope, agent);
    if (pad) return pad;
    if (!go_up(scope, snapshot)) break;
  }
  return ck_state_get(snapshot->state, key);
}

static ck_bytes notes_of(const ck_value *pad) {
  ck_bytes notes = pad ? ck_json_get(ck_value_bytes(pad), "notes") : (ck_bytes){0};
  return ck_json_type_of(notes) == CK_JSON_ARRAY ? notes : (ck_bytes){0};
}

/* Appends what `notes` has behind the first `skipped`. */
static void add_notes(ck_json_writer *w, ck_bytes notes, size_t skipped) {
  for (ck_json_iterator it = ck_json_iterate(notes); ck_json_next(&it);)
    if (skipped > 0)
      skipped--;
    else
      ck_json_put_raw(w, it.value);
}

/* The scope that an overlay of the agent's pad belongs to, in `scope`; false: it is another key. */
static bool read_overlay(char scope[KEY_MAX], const char *key, const char *agent) {
  static const char branch[] = "branch.", area[] = "scratch.";
  const char *end = strncmp(key, branch, sizeof branch - 1) == 0 ? strchr(key, '/') : NULL;
  if (!end || strncmp(end + 1, area, sizeof area - 1) != 0) return false;
  if (strcmp(end + sizeof area, agent) != 0) return false;
  snprintf(scope, KEY_MAX, "%.*s", (int)(end - key - (sizeof branch - 1)), key + sizeof branch - 1);
  return true;
}

typedef struct overlay {
  char scope[KEY_MAX];
  int64_t born; /* the seq behind which the scope was opened */
  const ck_value *pad;
} overlay;

static int64_t born_of(const ck_snapshot *snapshot, const char *scope) {
  char key[KEY_MAX];
  int64_t born = 0;
  snprintf(key, sizeof key, "position.%.*s", CK_STATE_KEY_MAX, scope);
  const ck_value *record = ck_state_get(snapshot->state, key);
  if (record) ck_json_read_int(&born, ck_json_get(ck_value_bytes(record), "born"));
  return born;
}

/* A scope comes behind those above it: they were opened before, and their names begin its own. */
static int compare_overlays(const void *a, const void *b) {
  const overlay *x = a, *y = b;
  return x->born != y->born ? (x->born > y->born) - (x->born < y->born)
                            : strcmp(x->scope, y->scope);
}

/* The scopes that have written to the pad; NULL: no memory. */
static overlay *list_overlays(size_t *count, const ck_snapshot *snapshot, const char *agent) {
  overlay *list = calloc(1, sizeof *list);
  *count = 0;
  for (size_t i = 0; list && i < snapshot->entry_count; i++) {
    overlay one = {.pad = snapshot->entries[i].value};
    if (!read_overlay(one.scope, snapshot->entries[i].key, agent)) continue;
    one.born = born_of(snapshot, one.scope);
    overlay *grown = reallocarray(list, *count + 1, sizeof *grown);
    if (!grown) free(list);
    list = grown;
    if (list) list[(*count)++] = one;
  }
  if (list) qsort(list, *count, sizeof *list, compare_overlays);
  return list;
}

static ck_status write_notes(size_t *count, ck_json_writer *w, const ck_snapshot *snapshot,
                             const char *agent, ck_error *err) {
  overlay *list = list_overlays(count, snapshot, agent);
  if (!list) return ck_error_no_memory(err);
  add_notes(w, notes_of(pad_seen(snapshot, NULL, agent)), 0);
  for (size_t i = 0; i < *count; i++) {
    bool has_above = go_up(list[i].scope, snapshot);
    const ck_value *base = pad_seen(snapshot, has_above ? list[i].scope : NULL, agent);
    ck_bytes notes = notes_of(list[i].pad); /* its parent's can have grown since it was opened */
    add_notes(w, notes, ck_json_count_common(notes, notes_of(base)));
  }
  free(list);
  return CK_OK;
}

static void write_pad(ck_json_writer *w, ck_bytes pad, ck_bytes notes) {
  ck_buffer name = {0};
  ck_json_begin(w, '{');
  for (ck_json_iterator it = ck_json_iterate(pad); ck_json_next(&it);) {
    ck_buffer_reset(&name);
    ck_json_read_string(&name, it.name);
    ck_buffer_append_char(&name, '\0');
    if (name.failed) break;
    ck_json_member_raw(w, name.data, strcmp(name.data, "notes") == 0 ? notes : it.value);
  }
  ck_json_end(w, '}');
  if (name.failed) w->out->failed = true;
  ck_buffer_clear(&name);
}

ck_status ck_pad_read(ck_value **out, const ck_snapshot *snapshot, const char *agent,
                      const char *scope, ck_error *err) {
  const ck_value *seen = pad_seen(snapshot, scope, agent);
  ck_buffer notes = {0}, text = {0};
  ck_json_writer of_notes = {.out = &notes}, w = {.out = &text};
  ck_json_begin(&of_notes, '[');
  size_t scopes;
  ck_status status = write_notes(&scopes, &of_notes, snapshot, agent, err);
  ck_json_end(&of_notes, ']');
  *out = NULL;
  if (status == CK_OK) status = ck_buffer_check(&notes, err);
  if (status == CK_OK && seen && (scopes == 0 || !notes_of(seen).len)) {
    *out = ck_value_share(seen);
  } else if (status == CK_OK && (seen || scopes)) {
    write_pad(&w, seen ? ck_value_bytes(seen) : ck_bytes_text("{\"notes\":[]}"),
              ck_buffer_bytes(&notes));
    status = ck_value_from(out, &text, err);
  }
  ck_buffer_clear(&notes);
  ck_buffer_clear(&text);
  return status;
}
