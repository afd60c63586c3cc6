/* cassette.c - the records of a recording, and the conversation that each expects before it. */
#include "core/effect/cassette/cassette.h"

#include <stdlib.h>
#include <string.h>

#include "core/effect/cassette/record.h"

/* One call of the current message, and the record that answers it. */
typedef struct call {
  ck_bytes json;
  const ck_record *answer; /* NULL: not recorded */
} call;

typedef struct finishing {
  ck_cassette *cassette;
  ck_recorded_scope *scope;
  call *calls;
  size_t call_count, call_capacity;
  size_t batch; /* the first record after the current message */
} finishing;

/* Grows by doubling; false without memory. */
static bool make_room(void **items, size_t *capacity, size_t count, size_t size) {
  if (count < *capacity) return true;
  size_t wanted = *capacity ? *capacity * 2 : 8;
  void *grown = reallocarray(*items, wanted, size);
  if (!grown) return false;
  *items = grown;
  *capacity = wanted;
  return true;
}

static ck_status append_owned(ck_recorded_scope *scope, ck_value *message, ck_error *err) {
  ck_status status = ck_conversation_append(scope->conversation, message, err);
  ck_value_free(message);
  return status;
}

static ck_status add_hole(ck_recorded_scope *scope, ck_error *err) {
  if (!make_room((void **)&scope->holes, &scope->hole_capacity, scope->hole_count,
                 sizeof *scope->holes)) {
    return ck_error_no_memory(err);
  }
  scope->holes[scope->hole_count++] = ck_conversation_count(scope->conversation);
  return CK_OK;
}

/* A call without an id is answered without one. */
static ck_status read_text(char **out, ck_bytes value, ck_error *err) {
  *out = NULL;
  if (ck_json_type_of(value) != CK_JSON_STRING) return CK_OK;
  *out = ck_json_dup_string(value);
  return *out ? CK_OK : ck_error_no_memory(err);
}

static ck_status append_answer(ck_recorded_scope *scope, const call *it, ck_error *err) {
  char *id = NULL, *name = NULL;
  ck_value *message = NULL;
  bool recorded = it->answer && it->answer->value;
  ck_bytes content = recorded ? ck_value_bytes(it->answer->value) : ck_bytes_text("null");
  ck_status status = read_text(&id, ck_json_get(it->json, "id"), err);
  if (status == CK_OK)
    status = read_text(&name, ck_json_get(ck_json_get(it->json, "function"), "name"), err);
  if (status == CK_OK && !recorded) status = add_hole(scope, err);
  const char *of = it->answer ? it->answer->name : name ? name : "";
  if (status == CK_OK) status = ck_message_tool(&message, id, of, content, err);
  if (status == CK_OK) status = append_owned(scope, message, err);
  free(id);
  free(name);
  return status;
}

/* The answers enter in the order of the calls, whatever order they were recorded in. */
static ck_status end_batch(finishing *self, size_t end, ck_error *err) {
  for (size_t i = self->batch; i < end; i++) {
    self->scope->records[i].batch = self->batch;
    self->scope->records[i].batch_end = end;
  }
  for (size_t i = 0; i < self->call_count; i++) {
    ck_status status = append_answer(self->scope, &self->calls[i], err);
    if (status) return status;
  }
  self->call_count = 0;
  self->batch = end + 1;
  return CK_OK;
}

static ck_status finish_ask(finishing *self, const ck_record *record, ck_error *err) {
  ck_value *message = NULL;
  ck_status status = ck_message_user(&message, ck_value_bytes(record->value), err);
  return status ? status : append_owned(self->scope, message, err);
}

static ck_status finish_model(finishing *self, ck_record *record, ck_error *err) {
  record->messages = ck_conversation_count(self->scope->conversation);
  record->prefix = ck_conversation_digest(self->scope->conversation);
  ck_bytes calls = ck_json_get(ck_value_bytes(record->value), "tool_calls");
  ck_json_iterator it = ck_json_iterate(calls);
  while (ck_json_type_of(calls) == CK_JSON_ARRAY && ck_json_next(&it)) {
    if (!make_room((void **)&self->calls, &self->call_capacity, self->call_count,
                   sizeof *self->calls)) {
      return ck_error_no_memory(err);
    }
    self->calls[self->call_count++] = (call){.json = it.value};
  }
  return ck_conversation_append(self->scope->conversation, record->value, err);
}

/* A call of the flow's own enters the conversation at its position; a request without a name never
 * does. */
static ck_status finish_own(finishing *self, size_t at, ck_error *err) {
  ck_record *record = &self->scope->records[at];
  ck_bytes request = ck_value_bytes(record->own);
  ck_value *message = NULL;
  char *id = NULL, *name = NULL;
  record->batch = at > 0 && record[-1].own ? record[-1].batch : at;
  ck_status status = read_text(&id, ck_json_get(request, "call_id"), err);
  if (!status) status = read_text(&name, ck_json_get(request, "name"), err);
  if (!status && name && !record->value) status = add_hole(self->scope, err);
  ck_bytes content = record->value ? ck_value_bytes(record->value) : ck_bytes_text("null");
  if (!status && name) status = ck_message_tool(&message, id, name, content, err);
  if (!status && message) status = append_owned(self->scope, message, err);
  free(id);
  free(name);
  return status;
}

static ck_status finish_tool(finishing *self, const ck_record *record, ck_error *err) {
  const char *position = self->cassette->position_name;
  if (record->index < 0 || (uint64_t)record->index >= self->call_count) {
    return ck_error_set(err, CK_E_PARSE,
                        "%s %zu: a result of call %lld, but the message before it makes %zu call%s",
                        position, record->position, (long long)record->index, self->call_count,
                        self->call_count == 1 ? "" : "s");
  }
  call *answered = &self->calls[record->index];
  if (answered->answer) {
    return ck_error_set(
        err, CK_E_PARSE, "%s %zu: a second result of call %lld; the first is at %s %zu", position,
        record->position, (long long)record->index, position, answered->answer->position);
  }
  answered->answer = record;
  return CK_OK;
}

static ck_status finish_record(finishing *self, size_t at, ck_error *err) {
  ck_record *record = &self->scope->records[at];
  if (record->kind == CK_EFFECT_TOOL && !record->own) return finish_tool(self, record, err);
  ck_status status = end_batch(self, at, err);
  if (status) return status;
  if (record->own) return finish_own(self, at, err);
  return record->kind == CK_EFFECT_ASK ? finish_ask(self, record, err)
                                       : finish_model(self, record, err);
}

static ck_status begin_scope(ck_cassette *self, ck_recorded_scope *scope, ck_error *err) {
  ck_conversation_free(scope->conversation);
  scope->conversation = NULL;
  scope->hole_count = 0;
  ck_status status = ck_conversation_new(&scope->conversation, err);
  if (status || !self->prompt) return status;
  ck_value *message = NULL;
  status = ck_message_system(&message, ck_bytes_text(self->prompt), err);
  return status ? status : append_owned(scope, message, err);
}

static ck_status finish_scope(ck_cassette *self, ck_recorded_scope *scope, ck_error *err) {
  finishing work = {.cassette = self, .scope = scope};
  ck_status status = begin_scope(self, scope, err);
  for (size_t i = 0; i < scope->count && !status; i++) status = finish_record(&work, i, err);
  if (!status) status = end_batch(&work, scope->count, err);
  free(work.calls);
  return status;
}

ck_status ck_cassette_finish(ck_cassette *self, ck_error *err) {
  for (size_t i = 0; i < self->scope_count; i++) {
    ck_status status = finish_scope(self, &self->scopes[i], err);
    if (status) return status;
  }
  return CK_OK;
}

ck_recorded_scope *ck_cassette_find(const ck_cassette *self, const char *scope) {
  for (size_t i = self->scope_count; i-- > 0;) {
    if (strcmp(self->scopes[i].name, scope) == 0) return &self->scopes[i];
  }
  return NULL;
}

static ck_status find_or_add(ck_recorded_scope **out, ck_cassette *self, const char *name,
                             ck_error *err) {
  *out = ck_cassette_find(self, name);
  if (*out) return CK_OK;
  if (!make_room((void **)&self->scopes, &self->scope_capacity, self->scope_count,
                 sizeof *self->scopes)) {
    return ck_error_no_memory(err);
  }
  ck_recorded_scope *scope = &self->scopes[self->scope_count];
  *scope = (ck_recorded_scope){.name = strdup(name)};
  if (!scope->name) return ck_error_no_memory(err);
  self->scope_count++;
  *out = scope;
  return CK_OK;
}

void ck_record_clear(ck_record *self) {
  ck_value_free(self->value);
  ck_value_free(self->arguments);
  ck_value_free(self->own);
  free(self->name);
  free(self->cut);
  free(self->refusal);
  free(self->note);
  *self = (ck_record){0};
}

static bool is_list(const ck_record *record) {
  bool list = false;
  return record->own &&
         ck_json_read_bool(&list, ck_json_get(ck_value_bytes(record->own), "list")) && list;
}

/* Where a record that is added goes; NULL: there is no memory. */
static ck_record *make_place(ck_recorded_scope *to, bool list) {
  if (!list) {
    bool room = make_room((void **)&to->records, &to->capacity, to->count, sizeof *to->records);
    return room ? &to->records[to->count++] : NULL;
  }
  if (!make_room((void **)&to->lists, &to->list_capacity, to->list_count, sizeof *to->lists))
    return NULL;
  to->lists[to->list_count].before = to->count;
  return &to->lists[to->list_count++].record;
}

ck_status ck_cassette_add(ck_cassette *self, const char *scope, ck_record *record, ck_error *err) {
  ck_recorded_scope *to = NULL;
  ck_status status = find_or_add(&to, self, scope, err);
  ck_record *place = status ? NULL : make_place(to, is_list(record));
  if (!status && !place) status = ck_error_no_memory(err);
  if (status) {
    ck_record_clear(record);
  } else {
    *place = *record;
    *record = (ck_record){0};
  }
  return status;
}

static bool is_listed(const ck_record *record, const char *const *names) {
  if (record->kind != CK_EFFECT_TOOL) return false;
  ck_bytes own = record->own ? ck_json_get(ck_value_bytes(record->own), "name") : (ck_bytes){0};
  while (*names &&
         !(record->name ? strcmp(*names, record->name) == 0 : ck_json_is_text(own, *names)))
    names++;
  return *names != NULL;
}

ck_status ck_cassette_leave_out(ck_cassette *self, const char *const *names, ck_error *err) {
  for (size_t i = 0; i < self->scope_count; i++) {
    ck_recorded_scope *scope = &self->scopes[i];
    for (size_t j = 0; j < scope->count; j++) {
      if (!is_listed(&scope->records[j], names)) continue;
      ck_value_free(scope->records[j].value);
      scope->records[j].value = NULL;
    }
  }
  return ck_cassette_finish(self, err);
}

static void clear_scope(ck_recorded_scope *scope) {
  for (size_t i = 0; i < scope->count; i++) ck_record_clear(&scope->records[i]);
  for (size_t i = 0; i < scope->list_count; i++) ck_record_clear(&scope->lists[i].record);
  free(scope->lists);
  ck_conversation_free(scope->conversation);
  free(scope->records);
  free(scope->holes);
  free(scope->name);
}

void ck_cassette_close(ck_cassette *self) {
  if (!self) return;
  for (size_t i = 0; i < self->scope_count; i++) clear_scope(&self->scopes[i]);
  free(self->scopes);
  free(self->prompt);
  ck_value_free(self->tools);
  free(self);
}

const char *ck_cassette_prompt(const ck_cassette *self) { return self->prompt; }

const ck_value *ck_cassette_tools(const ck_cassette *self) { return self->tools; }

const char *ck_cassette_scope(const ck_cassette *self, size_t index) {
  return index < self->scope_count ? self->scopes[index].name : NULL;
}

size_t ck_cassette_count(const ck_cassette *self, const char *scope) {
  const ck_recorded_scope *found = ck_cassette_find(self, scope);
  return found ? found->count : 0;
}

size_t ck_cassette_left(const ck_cassette *self, const char *scope, uint64_t consumed) {
  size_t count = ck_cassette_count(self, scope);
  return consumed < count ? count - (size_t)consumed : 0;
}
