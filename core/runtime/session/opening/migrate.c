/* migrate.c - a session of an older version of its flow: the policies' migrate hook turns its state
 * into the one that the flow of today expects.
 *
 * A flow's `version` is kept with the session, later as the key "flow.version" of its state. Where
 * they differ, the hook gets all keys that a flow can see or depends on (memory, outputs, scratch,
 * positions) as one object, and returns it changed. Everything that can fail comes before the
 * resume; the changes are announced as edits, and kept by an edit checkpoint. */
#include "core/runtime/session/opening/migrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/session_private.h"

static const char *const prefixes[] = {"memory.", "outputs.", "scratch.", "position."};

static bool is_migrated(const char *key) {
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

static ck_status write_document(ck_value **out, const ck_state *state, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  *out = NULL;
  ck_status status = ck_state_list(&entries, &count, state, err);
  if (status != CK_OK) return status;
  ck_json_begin(&w, '{');
  for (size_t i = 0; i < count; i++)
    if (is_migrated(entries[i].key))
      ck_json_member_raw(&w, entries[i].key, ck_value_bytes(entries[i].value));
  ck_json_end(&w, '}');
  free(entries);
  status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

int64_t ck_session_flow_version(const ck_session_record *record, const ck_state *state) {
  int64_t version = 0;
  const ck_value *kept = state ? ck_state_get(state, "flow.version") : NULL;
  if (kept)
    ck_json_read_int(&version, ck_value_bytes(kept));
  else if (record->input)
    ck_json_read_int(&version, ck_json_get(ck_value_bytes(record->input), "flow_version"));
  return version;
}

static ck_status check_document(const ck_value *document, ck_error *err) {
  ck_status status = CK_OK;
  if (ck_json_type_of(ck_value_bytes(document)) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_POLICY,
                        "a migrate hook must give back the document, an object of keys and values");
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(document));
  while (status == CK_OK && ck_json_next(&it)) {
    char *key = ck_json_dup_string(it.name);
    if (!key) return ck_error_no_memory(err);
    status = ck_state_check_key(key, err);
    if (status == CK_OK && !is_migrated(key))
      status = ck_error_set(err, CK_E_POLICY,
                            "a migrate hook gave the key '%.100s': those of a document begin with "
                            "memory., outputs., scratch. or position.",
                            key);
    free(key);
  }
  return status;
}

ck_status ck_session_migrate(ck_value **out, ck_session *self, const ck_session_record *record,
                             int64_t version, ck_error *err) {
  int64_t from = ck_session_flow_version(record, self->state);
  const ck_policy_engine *policies = self->policies;
  ck_value *document;
  *out = NULL;
  if (version == from || version < 0) return CK_OK;
  if (!policies->migrate)
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s was left by version %lld of its flow, which is %lld now, and "
                        "no policy of its profile migrates it",
                        record->id, (long long)from, (long long)version);
  ck_status status = write_document(&document, self->state, err);
  if (status != CK_OK) return status;
  status = policies->migrate(out, policies->self, document, (int)from, (int)version, err);
  if (status == CK_OK) status = check_document(*out, err);
  if (status != CK_OK) {
    ck_value_free(*out);
    *out = NULL;
    ck_error_prefix(err, "session %s cannot be migrated from version %lld of its flow to %lld",
                    record->id, (long long)from, (long long)version);
  }
  ck_value_free(document);
  return status;
}

/* `value` NULL: the key is removed. */
static ck_status edit(ck_session *self, const char *key, const ck_value *value, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *body = NULL;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", key);
  if (value)
    ck_json_member_raw(&w, "value", ck_value_bytes(value));
  else
    ck_json_member_bool(&w, "removed", true);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK) status = ck_session_append(self, CK_EVENT_EDIT, NULL, NULL, body, err);
  if (status == CK_OK) status = ck_session_put(self, key, value, err);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status edit_changed(ck_session *self, ck_bytes document, ck_error *err) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(document);
  while (status == CK_OK && ck_json_next(&it)) {
    char *key = ck_json_dup_string(it.name);
    const ck_value *there = key ? ck_session_get(self, key) : NULL;
    ck_value *value = NULL;
    if (!key) return ck_error_no_memory(err);
    if (!there || !ck_bytes_equal(ck_value_bytes(there), it.value)) {
      status = ck_value_copy(&value, it.value, err);
      if (status == CK_OK) status = edit(self, key, value, err);
    }
    ck_value_free(value);
    free(key);
  }
  return status;
}

static ck_status edit_removed(ck_session *self, ck_bytes document, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_state *before;
  ck_status status = ck_state_copy(&before, self->state, err);
  if (status != CK_OK) return status;
  status = ck_state_list(&entries, &count, before, err);
  for (size_t i = 0; status == CK_OK && i < count; i++)
    if (is_migrated(entries[i].key) &&
        ck_json_type_of(ck_json_get(document, entries[i].key)) == CK_JSON_NONE)
      status = edit(self, entries[i].key, NULL, err);
  if (status == CK_OK) free(entries);
  ck_state_free(before);
  return status;
}

ck_status ck_session_make_migration(ck_session *self, const ck_value *document, int64_t version,
                                    ck_error *err) {
  char number[24];
  ck_value *value = NULL;
  ck_saved saved;
  if (!document) return CK_OK;
  snprintf(number, sizeof number, "%lld", (long long)version);
  ck_status status = edit_changed(self, ck_value_bytes(document), err);
  if (status == CK_OK) status = edit_removed(self, ck_value_bytes(document), err);
  if (status == CK_OK) status = ck_value_new(&value, ck_bytes_text(number), err);
  if (status == CK_OK) status = ck_session_put(self, "flow.version", value, err);
  if (status == CK_OK)
    status = ck_session_boundary(
        &saved, self,
        &(ck_boundary){.kind = CK_BOUNDARY_EDIT, .description = "migrated to the flow's version"},
        err);
  if (status == CK_OK) status = ck_session_wait(self, saved.ticket, err);
  ck_value_free(value);
  return status;
}
