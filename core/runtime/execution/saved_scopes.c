/* saved_scopes.c - an index of the scopes that the state holds, built from one listing of it. */
#include "core/runtime/execution/saved_scopes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/execution_private.h"

static const char position[] = "position.", branch[] = "branch.";

/* ---- its members ---- */

static void free_scope(ck_saved_scope *self) {
  free(self->scope);
  ck_state_free(self->written);
  free(self);
}

/* The one of this name, made when there is none. */
static ck_status get_scope(ck_saved_scope **out, ck_saved_scopes *self, const char *scope,
                           ck_error *err) {
  *out = ck_map_get(&self->by_scope, scope);
  if (*out) return CK_OK;
  ck_saved_scope *made = calloc(1, sizeof *made);
  if (!made) return ck_error_no_memory(err);
  made->scope = strdup(scope);
  ck_status status =
      made->scope ? ck_map_add(&self->by_scope, made->scope, made, err) : ck_error_no_memory(err);
  if (status == CK_OK)
    *out = made;
  else
    free_scope(made);
  return status;
}

static void drop_when_empty(ck_saved_scopes *self, ck_saved_scope *scope) {
  if (scope->parent || scope->child || scope->written) return;
  ck_map_remove(&self->by_scope, scope->scope);
  free_scope(scope);
}

static void link_below(ck_saved_scope *parent, ck_saved_scope *scope) {
  scope->parent = parent;
  scope->previous = parent->last_child;
  *(parent->last_child ? &parent->last_child->next : &parent->child) = scope;
  parent->last_child = scope;
}

static void unlink_scope(ck_saved_scopes *self, ck_saved_scope *scope) {
  ck_saved_scope *parent = scope->parent;
  if (!parent) return;
  *(scope->previous ? &scope->previous->next : &parent->child) = scope->next;
  *(scope->next ? &scope->next->previous : &parent->last_child) = scope->previous;
  scope->next = scope->previous = scope->parent = NULL;
  if (parent != scope) drop_when_empty(self, parent);
}

ck_saved_scope *ck_saved_scopes_first(const ck_saved_scopes *self, const char *parent) {
  const ck_saved_scope *found = ck_map_get(&self->by_scope, parent);
  return found ? found->child : NULL;
}

ck_status ck_saved_scopes_add(ck_saved_scopes *self, const char *scope, const char *parent,
                              ck_state **written, ck_error *err) {
  ck_saved_scope *above, *made = NULL;
  ck_status status = get_scope(&above, self, parent, err);
  if (status == CK_OK) status = get_scope(&made, self, scope, err);
  if (status != CK_OK) return status;
  link_below(above, made);
  if (!*written) return CK_OK;
  ck_state_free(made->written);
  made->written = *written;
  *written = NULL;
  return CK_OK;
}

ck_state *ck_saved_scopes_take(ck_saved_scopes *self, const char *scope) {
  ck_saved_scope *found = ck_map_get(&self->by_scope, scope);
  if (!found) return NULL;
  ck_state *written = found->written;
  found->written = NULL;
  unlink_scope(self, found);
  drop_when_empty(self, found);
  return written;
}

/* ---- all of them ---- */

static ck_status add_position(ck_execution *execution, const char *scope, ck_bytes record,
                              ck_error *err) {
  ck_bytes parent = ck_json_get(record, "parent");
  if (ck_json_type_of(parent) != CK_JSON_STRING) return CK_OK;
  char *name = ck_json_dup_string(parent);
  if (!name) return ck_error_no_memory(err);
  ck_status status = ck_saved_scopes_add(&execution->saved, scope, name, &(ck_state *){NULL}, err);
  free(name);
  return status;
}

/* `key` is SCOPE/KEY: KEY as the scope wrote it. */
static ck_status add_write(ck_execution *execution, const char *key, const ck_value *value,
                           ck_error *err) {
  char scope[CK_STATE_KEY_MAX + 1];
  const char *slash = strchr(key, '/');
  if (!slash) return CK_OK;
  snprintf(scope, sizeof scope, "%.*s", (int)(slash - key), key);
  if (ck_execution_find(execution, scope)) return CK_OK;
  ck_saved_scope *of;
  ck_status status = get_scope(&of, &execution->saved, scope, err);
  if (status == CK_OK && !of->written) status = ck_state_new(&of->written, err);
  return status == CK_OK ? ck_state_put(of->written, slash + 1, value, err) : status;
}

static ck_status add_entry(ck_execution *execution, const ck_state_entry *entry, ck_error *err) {
  const char *key = entry->key;
  if (strncmp(key, branch, sizeof branch - 1) == 0)
    return add_write(execution, key + sizeof branch - 1, entry->value, err);
  if (strncmp(key, position, sizeof position - 1) != 0) return CK_OK;
  const char *scope = key + sizeof position - 1;
  return ck_execution_find(execution, scope)
             ? CK_OK
             : add_position(execution, scope, ck_value_bytes(entry->value), err);
}

ck_status ck_saved_scopes_keep(ck_execution *execution, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  if (execution->saved.is_kept) return CK_OK;
  ck_status status = ck_state_list(&entries, &count, ck_session_state(execution->session), err);
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = add_entry(execution, &entries[i], err);
  free(entries);
  execution->saved.is_kept = status == CK_OK;
  if (status != CK_OK) ck_saved_scopes_clear(&execution->saved);
  return status;
}

void ck_saved_scopes_clear(ck_saved_scopes *self) {
  for (size_t i = 0; i < self->by_scope.cap; i++)
    if (self->by_scope.slots[i].key) free_scope(self->by_scope.slots[i].value);
  ck_map_clear(&self->by_scope);
  self->is_kept = false;
}
