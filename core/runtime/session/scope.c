/* scope.c - folds a scope's events into its conversation and the number of its outcomes. */
#include "core/runtime/session/scope.h"

#include <stdlib.h>
#include <string.h>

struct ck_scope {
  char *name;
  ck_conversation *conversation;
  ck_conversation *early; /* reports that came before the conversation began; NULL: none */
  uint64_t consumed;
};

ck_status ck_scope_new(ck_scope **out, const char *name, ck_error *err) {
  *out = NULL;
  ck_scope *self = calloc(1, sizeof *self);
  if (!self || !(self->name = strdup(name))) {
    free(self);
    return ck_error_no_memory(err);
  }
  ck_status status = ck_conversation_new(&self->conversation, err);
  if (status != CK_OK) {
    ck_scope_free(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

void ck_scope_free(ck_scope *self) {
  if (!self) return;
  ck_conversation_free(self->early);
  ck_conversation_free(self->conversation);
  free(self->name);
  free(self);
}

const char *ck_scope_name(const ck_scope *self) { return self->name; }

ck_conversation *ck_scope_conversation(const ck_scope *self) { return self->conversation; }

uint64_t ck_scope_consumed(const ck_scope *self) { return self->consumed; }

/* Outcomes that a recording holds: of models, tools and asks, ended well, with an error or
 * without telling how. */
static bool counts(ck_bytes body) {
  ck_bytes status = ck_json_get(body, "status"), kind = ck_json_get(body, "kind");
  if (!ck_json_is_text(kind, "model") && !ck_json_is_text(kind, "tool") &&
      !ck_json_is_text(kind, "ask"))
    return false;
  return ck_json_is_text(status, "ok") || ck_json_is_text(status, "error") ||
         ck_json_is_text(status, "unknown");
}

static bool is_prompt(const ck_value *message) {
  ck_bytes role = ck_json_get(ck_value_bytes(message), "role");
  return ck_json_is_text(role, "system") || ck_json_is_text(role, "developer");
}

static ck_status keep_early(ck_scope *self, const ck_value *report, ck_error *err) {
  ck_status status = self->early ? CK_OK : ck_conversation_new(&self->early, err);
  return status == CK_OK ? ck_conversation_append(self->early, report, err) : status;
}

static ck_status append_early(ck_scope *self, ck_error *err) {
  ck_status status = CK_OK;
  size_t count = self->early ? ck_conversation_count(self->early) : 0;
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = ck_conversation_append(self->conversation, ck_conversation_get(self->early, i), err);
  ck_conversation_free(self->early);
  self->early = NULL;
  return status;
}

/* A conversation begins with its prompt: a report that came before waits for it. */
static ck_status append_message(ck_scope *self, const ck_value *message, bool report,
                                ck_error *err) {
  bool first = ck_conversation_count(self->conversation) == 0, prompt = is_prompt(message);
  if (first && report) return keep_early(self, message, err);
  ck_status status = prompt ? CK_OK : append_early(self, err);
  if (status == CK_OK) status = ck_conversation_append(self->conversation, message, err);
  return status == CK_OK && prompt ? append_early(self, err) : status;
}

ck_status ck_scope_apply(ck_scope *self, const ck_value *value, ck_error *err) {
  ck_bytes body = ck_value_bytes(value), span = ck_json_get(body, "message");
  if (counts(body)) self->consumed++;
  if (ck_json_type_of(span) == CK_JSON_NONE) return CK_OK;
  ck_value *message = NULL;
  bool report = false;
  ck_json_read_bool(&report, ck_json_get(body, "report"));
  ck_status status = ck_value_copy(&message, span, err);
  if (status == CK_OK) status = append_message(self, message, report, err);
  ck_value_free(message);
  return status;
}

ck_status ck_scope_rewind(ck_scope *self, const ck_value *body, ck_error *err) {
  return ck_conversation_rewind(self->conversation, body, err);
}

/* One event of the scope: its body, or (for a replay) the reference to another event. */
typedef struct item {
  int64_t seq;
  ck_event_kind kind;
  ck_value *body;
} item;

typedef struct fold {
  ck_scope *scope;
  ck_store *store;
  int64_t session;
  item *items;
  size_t count, cap;
  bool failed;
} fold;

/* A resume goes on from the scope's own cut, which can lie before the checkpoint's end: the scope
 * does again what it did in between, and that counts there. So does a rewind. */
static void cut_back(fold *self, ck_bytes resumed) {
  int64_t cut;
  if (!ck_json_read_int(&cut, ck_json_get(ck_json_get(resumed, "cuts"), self->scope->name))) return;
  while (self->count > 0 && self->items[self->count - 1].seq > cut)
    ck_value_free(self->items[--self->count].body);
}

static bool collect(void *to, const ck_event *event) {
  fold *self = to;
  bool back = event->kind == CK_EVENT_SESSION_RESUMED || event->kind == CK_EVENT_SESSION_REWOUND;
  if (back) cut_back(self, ck_value_bytes(event->body));
  if (back || strcmp(event->scope, self->scope->name) != 0) return true;
  if (self->count == self->cap) {
    size_t cap = self->cap ? self->cap * 2 : 64;
    item *items = realloc(self->items, cap * sizeof *items);
    if (!items) return !(self->failed = true);
    self->items = items;
    self->cap = cap;
  }
  self->items[self->count++] =
      (item){.seq = event->seq, .kind = event->kind, .body = ck_value_share(event->body)};
  return true;
}

static bool keep_body(void *to, const ck_event *event) {
  *(ck_value **)to = ck_value_share(event->body);
  return false;
}

/* The body of the event at `seq`; a replay refers to an outcome, never to a replay. */
static ck_status read_body(ck_value **out, const fold *self, int64_t seq, ck_error *err) {
  ck_event_query query = {.session = self->session, .after = seq - 1, .until = seq};
  *out = NULL;
  ck_status status = ck_store_read_events(self->store, &query, keep_body, out, err);
  if (status == CK_OK && !*out)
    status =
        ck_error_set(err, CK_E_CORRUPT, "a replay refers to event %lld, which is not in the store",
                     (long long)seq);
  return status;
}

static ck_status apply_collected(fold *self, const item *collected, ck_error *err) {
  const ck_value *body = collected->body;
  int64_t of;
  if (collected->kind == CK_EVENT_REWIND) return ck_scope_rewind(self->scope, body, err);
  if (!ck_json_read_int(&of, ck_json_get(ck_value_bytes(body), "of")))
    return ck_scope_apply(self->scope, body, err);
  ck_value *referred;
  ck_status status = read_body(&referred, self, of, err);
  if (status == CK_OK) status = ck_scope_apply(self->scope, referred, err);
  ck_value_free(referred);
  return status;
}

ck_status ck_scope_fold(ck_scope *self, ck_store *store, int64_t session, const ck_view *view,
                        int64_t until, ck_error *err) {
  fold f = {.scope = self, .store = store, .session = session};
  ck_event_query query = {.session = session,
                          .view = view,
                          .until = until,
                          .kinds = 1ull << CK_EVENT_SESSION_RESUMED |
                                   1ull << CK_EVENT_SESSION_REWOUND | 1ull << CK_EVENT_MESSAGE |
                                   1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_REPLAY |
                                   1ull << CK_EVENT_REWIND};
  ck_status status = ck_store_read_events(store, &query, collect, &f, err);
  if (status == CK_OK && f.failed) status = ck_error_no_memory(err);
  for (size_t i = 0; i < f.count && status == CK_OK; i++)
    status = apply_collected(&f, &f.items[i], err);
  for (size_t i = 0; i < f.count; i++) ck_value_free(f.items[i].body);
  free(f.items);
  return status;
}
