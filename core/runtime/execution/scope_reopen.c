/* scope_reopen.c - child scopes of an earlier process: opened again, or put away when the flow has
 * gone past them without them.
 *
 * A scope that was forked before its parent's last boundary is open when the parent goes on; one
 * that was forked behind it is found by the fork when the parent comes there again. After a failure
 * the parent may come elsewhere: a scope that it has not forked by its next boundary is an
 * orphan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/scope_private.h"

static const char prefix[] = "position.";

/* The scope's writes are its overlay in the state. */
static ck_status read_overlay(ck_runner *self, ck_error *err) {
  ck_state_entry *entries;
  size_t count, skip = strlen(self->overlays[0]);
  ck_status status =
      ck_state_list(&entries, &count, ck_session_state(self->execution->session), err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < count && status == CK_OK; i++)
    if (strncmp(entries[i].key, self->overlays[0], skip) == 0)
      status = ck_state_put(self->written, entries[i].key + skip, entries[i].value, err);
  free(entries);
  return status;
}

ck_status ck_runner_reattach(ck_runner *self, const ck_value *saved, ck_error *err) {
  bool done;
  ck_status status = ck_runner_take_position(self, &done, saved, err);
  if (status == CK_OK) status = read_overlay(self, err);
  if (status != CK_OK) return status;
  if (!done) return ck_runner_open(self, err);
  ck_runner_set_ended(self);
  return CK_OK;
}

/* ---- after a resume ---- */

static bool is_below(const ck_runner *self, const ck_runner *root) {
  while (self && self != root) self = self->parent;
  return self == root;
}

/* The saved position of a scope that is not open, though its parent is. */
typedef struct saved_scope {
  const char *scope; /* borrowed from the state */
  ck_bytes record;
  ck_runner *parent;
  int64_t born;
  bool tagged;
} saved_scope;

/* False for a key of any other kind, and for a scope that was set aside. */
static bool read_saved(saved_scope *out, const ck_execution *self, const ck_state_entry *entry) {
  bool aside = false;
  if (strncmp(entry->key, prefix, sizeof prefix - 1) != 0) return false;
  *out = (saved_scope){.scope = entry->key + sizeof prefix - 1,
                       .record = ck_value_bytes(entry->value)};
  char *parent = ck_json_dup_string(ck_json_get(out->record, "parent"));
  out->parent = parent ? ck_execution_find(self, parent) : NULL;
  free(parent);
  ck_json_read_int(&out->born, ck_json_get(out->record, "born"));
  ck_json_read_bool(&out->tagged, ck_json_get(out->record, "tagged"));
  ck_json_read_bool(&aside, ck_json_get(out->record, "aside"));
  return !aside && out->parent && !ck_execution_find(self, out->scope);
}

static ck_status reopen_one(bool *opened, const ck_runner *root, const ck_state_entry *entry,
                            ck_error *err) {
  saved_scope saved;
  ck_runner *made;
  *opened = read_saved(&saved, root->execution, entry) && saved.parent->phase != CK_PHASE_ENDED &&
            saved.born <= saved.parent->cut && is_below(saved.parent, root);
  if (!*opened) return CK_OK;
  ck_status status = ck_runner_new(&made, root->execution, saved.parent, saved.scope, err);
  return status == CK_OK ? ck_runner_reattach(made, entry->value, err) : status;
}

ck_status ck_runner_reopen_below(ck_runner *self, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  bool any = true;
  ck_status status =
      ck_state_list(&entries, &count, ck_session_state(self->execution->session), err);
  if (status != CK_OK) return status;
  while (any && status == CK_OK) { /* parents before children, whatever their names */
    any = false;
    for (size_t i = 0; i < count && status == CK_OK; i++) {
      bool opened;
      status = reopen_one(&opened, self, &entries[i], err);
      any |= opened;
    }
  }
  free(entries);
  return status;
}

ck_status ck_execution_reopen(ck_execution *self, ck_error *err) {
  self->has_orphans = self->session->cut > 0;
  return self->has_orphans ? ck_runner_reopen_below(self->runners.first, err) : CK_OK;
}

/* ---- orphans ---- */

/* The first key for which `is` is true, as a copy; NULL when there is none, or no memory. */
static char *find_key(const ck_execution *self,
                      bool (*is)(const ck_execution *, const ck_state_entry *, const char *),
                      const char *of, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  char *found = NULL;
  err->status = ck_state_list(&entries, &count, ck_session_state(self->session), err);
  if (err->status != CK_OK) return NULL;
  for (size_t i = 0; i < count && !found; i++) {
    if (!is(self, &entries[i], of)) continue;
    found = strdup(entries[i].key);
    if (!found) err->status = ck_error_no_memory(err);
  }
  free(entries);
  return found;
}

static bool is_orphan_of(const ck_execution *self, const ck_state_entry *entry,
                         const char *parent) {
  saved_scope saved;
  return read_saved(&saved, self, entry) && strcmp(saved.parent->scope, parent) == 0;
}

static bool is_write_of(const ck_execution *self, const ck_state_entry *entry, const char *scope) {
  size_t len = strlen(scope);
  (void)self;
  return strncmp(entry->key, "branch.", 7) == 0 && strncmp(entry->key + 7, scope, len) == 0 &&
         entry->key[7 + len] == '/';
}

static bool is_child_of(const ck_execution *self, const ck_state_entry *entry, const char *scope) {
  (void)self;
  return strncmp(entry->key, prefix, sizeof prefix - 1) == 0 &&
         ck_json_is_text(ck_json_get(ck_value_bytes(entry->value), "parent"), scope);
}

/* Removes all keys for which `is` is true. */
static ck_status remove_all(ck_execution *self,
                            bool (*is)(const ck_execution *, const ck_state_entry *, const char *),
                            const char *of, bool with_scope, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status = CK_OK;
  char *found = NULL;
  while (status == CK_OK && (found = find_key(self, is, of, &failure))) {
    status = with_scope ? ck_execution_remove_saved(self, found, err)
                        : ck_session_put(self->session, found, NULL, err);
    free(found);
  }
  if (status == CK_OK && failure.status != CK_OK) *err = failure;
  return status == CK_OK ? failure.status : status;
}

/* The scope's conversation stays, up to the cut in its position: it is folded while that is
 * known. */
ck_status ck_execution_remove_saved(ck_execution *self, const char *key, ck_error *err) {
  const char *scope = key + sizeof prefix - 1;
  ck_scope *kept;
  ck_status status = ck_session_scope(&kept, self->session, scope, err);
  if (status == CK_OK) status = ck_session_put(self->session, key, NULL, err);
  if (status == CK_OK) status = remove_all(self, is_write_of, scope, false, err);
  return status == CK_OK ? remove_all(self, is_child_of, scope, true, err) : status;
}

ck_status ck_runner_remove_orphans(ck_runner *self, ck_error *err) {
  return self->execution->has_orphans
             ? remove_all(self->execution, is_child_of, self->scope, true, err)
             : CK_OK;
}

/* A scope with a tag may be forked again under it, at another position. */
static ck_status put_away(ck_runner *parent, const char *key, ck_error *err) {
  ck_execution *execution = parent->execution;
  const ck_value *saved = ck_session_get(execution->session, key);
  bool tagged = false, done;
  ck_json_read_bool(&tagged, ck_json_get(ck_value_bytes(saved), "tagged"));
  if (!tagged) return ck_execution_remove_saved(execution, key, err);
  ck_runner *made;
  ck_status status = ck_runner_new(&made, execution, parent, key + sizeof prefix - 1, err);
  if (status != CK_OK) return status;
  status = ck_runner_take_position(made, &done, saved, err);
  made->set_aside = true;
  if (done) ck_runner_set_ended(made);
  if (status == CK_OK) status = ck_runner_put_position(made, made->cut, err);
  ck_runner_drop(made);
  return status;
}

ck_status ck_runner_settle_orphans(ck_runner *self, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status = CK_OK;
  char *found = NULL;
  if (!self->execution->has_orphans || self->orphans_settled) return CK_OK;
  self->orphans_settled = true;
  while (status == CK_OK &&
         (found = find_key(self->execution, is_orphan_of, self->scope, &failure))) {
    status = put_away(self, found, err);
    free(found);
  }
  if (status == CK_OK && failure.status != CK_OK) *err = failure;
  return status == CK_OK ? failure.status : status;
}
