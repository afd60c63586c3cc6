/* scope.c - folds one event after the other into a conversation and the number of outcomes. */
#include "core/runtime/session/scope.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/sources.h"

struct ck_scope {
  char *name;
  ck_conversation *conversation;
  ck_conversation *early; /* reports that came before the conversation began; NULL: none */
  uint64_t consumed;
  ck_value *untrusted; /* sources.h; NULL: none */
  ck_turn turn;
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
  ck_value_free(self->untrusted);
  ck_turn_clear(&self->turn);
  free(self->name);
  free(self);
}

const char *ck_scope_name(const ck_scope *self) { return self->name; }

ck_bytes ck_scope_untrusted(const ck_scope *self) { return ck_sources_bytes(self->untrusted); }

ck_conversation *ck_scope_conversation(const ck_scope *self) { return self->conversation; }

ck_turn *ck_scope_turn(ck_scope *self) { return &self->turn; }

uint64_t ck_scope_consumed(const ck_scope *self) { return self->consumed; }

const ck_conversation *ck_scope_early(const ck_scope *self) { return self->early; }

/* What is read of a body: at once, as its message can be long. */
typedef enum { KIND, STATUS, OWN, LIST, WANTS, ASIDE, MESSAGE, REPORT, UNTRUSTED, MEMBERS } member;

static void read_members(ck_bytes *out, ck_bytes body) {
  static const char *const names[MEMBERS] = {
      [KIND] = "kind",       [STATUS] = "status", [OWN] = "own",
      [LIST] = "list",       [WANTS] = "wants",   [ASIDE] = "aside",
      [MESSAGE] = "message", [REPORT] = "report", [UNTRUSTED] = CK_SOURCES_MEMBER};
  ck_json_get_all(out, names, MEMBERS, body);
}

static bool is_set(ck_bytes value) {
  bool set = false;
  return ck_json_read_bool(&set, value) && set;
}

/* A recording has the last outcome of a call alone, without what it wanted before that. How often
 * the tools of a server are listed says nothing of how far it is. */
static bool counts(const ck_bytes *members) {
  ck_bytes status = members[STATUS], kind = members[KIND];
  if (is_set(members[OWN]) || is_set(members[LIST]) || is_set(members[WANTS]) ||
      is_set(members[ASIDE]))
    return false;
  if (!ck_json_is_text(kind, "model") && !ck_json_is_text(kind, "tool") &&
      !ck_json_is_text(kind, "ask"))
    return false;
  return ck_json_is_text(status, "ok") || ck_json_is_text(status, "error") ||
         ck_json_is_text(status, "unknown");
}

bool ck_scope_counts(ck_bytes body) {
  ck_bytes members[MEMBERS];
  read_members(members, body);
  return counts(members);
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
static ck_status append_message(ck_scope *self, const ck_value *message, const ck_value *seen,
                                bool report, ck_error *err) {
  bool first = ck_conversation_count(self->conversation) == 0, prompt = is_prompt(message);
  if (first && report) return keep_early(self, message, err);
  ck_status status = prompt ? CK_OK : append_early(self, err);
  if (status == CK_OK) status = ck_conversation_append(self->conversation, message, err);
  if (status == CK_OK && seen) ck_conversation_set_seen(self->conversation, seen);
  return status == CK_OK && prompt ? append_early(self, err) : status;
}

ck_status ck_scope_apply(ck_scope *self, const ck_value *body, ck_error *err) {
  return ck_scope_apply_seen(self, body, NULL, err);
}

ck_status ck_scope_apply_seen(ck_scope *self, const ck_value *value, const ck_value *seen,
                              ck_error *err) {
  ck_bytes members[MEMBERS];
  read_members(members, ck_value_bytes(value));
  if (counts(members)) self->consumed++;
  ck_status status = ck_sources_add(&self->untrusted, members[UNTRUSTED], err);
  if (status != CK_OK || ck_json_type_of(members[MESSAGE]) == CK_JSON_NONE) return status;
  ck_value *message = NULL;
  bool report = false;
  ck_json_read_bool(&report, members[REPORT]);
  status = ck_value_copy(&message, members[MESSAGE], err);
  if (status == CK_OK) status = append_message(self, message, seen, report, err);
  ck_value_free(message);
  return status;
}

ck_status ck_scope_rewind(ck_scope *self, const ck_value *body, ck_error *err) {
  return ck_conversation_rewind(self->conversation, body, err);
}
