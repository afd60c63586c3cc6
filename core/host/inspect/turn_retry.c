/* turn_retry.c - says by what the next try of an agent's turn goes on. */
#include "core/host/inspect/turn_retry.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/history/resolve.h"

/* SCOPE/POSITION/agent/ORDINAL */
bool ck_turn_retry_is_of(const char *key) {
  const char *last = strrchr(key, '/'), *kind = ck_effect_kind_name(CK_EFFECT_AGENT);
  size_t len = strlen(kind);
  return last && (size_t)(last - key) > len && last[-1 - (ptrdiff_t)len] == '/' &&
         strncmp(last - len, kind, len) == 0;
}

typedef struct retry {
  ck_bytes session; /* JSON */
  const char *by;   /* "new": in none */
} retry;

static retry read_retry(const ck_value *known) {
  ck_bytes json = known ? ck_value_bytes(known) : (ck_bytes){0};
  retry self = {.session = ck_json_get(json, "session"), .by = "new"};
  if (ck_json_is_text(ck_json_get(json, "resumes"), "resume")) self.by = "resume";
  if (ck_json_is_text(ck_json_get(json, "resumes"), "load")) self.by = "load";
  return self;
}

static ck_status put(ck_document *document, const retry *self, bool begins, ck_error *err) {
  ck_buffer json = {0};
  ck_value *value = NULL;
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "by", self->by);
  if (!begins) ck_json_member_raw(&w, "session", self->session);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&value, &json, err);
  if (status == CK_OK) ck_document_put_value(document, NULL, "retry", value);
  ck_value_free(value);
  ck_buffer_clear(&json);
  return status;
}

static void notice(ck_output *output, const char *key, const retry *self, bool begins) {
  if (begins) {
    ck_output_notice(output,
                     "a retry of %s begins the turn anew, in a new session: the agent has told of "
                     "none that it can go on with",
                     key);
    return;
  }
  char *session = ck_json_dup_string(self->session);
  ck_output_notice(output, "a retry of %s goes on by a %s of its session %s", key, self->by,
                   session ? session : "");
  free(session);
}

ck_status ck_turn_retry_tell(ck_document *document, const ck_remote_command *remote,
                             const char *key, ck_error *err) {
  ck_value *known;
  ck_status status = ck_session_find_interrupted(&known, remote->runtime, remote->id, key, err);
  if (status != CK_OK) return status;
  retry self = read_retry(known);
  bool begins = strcmp(self.by, "new") == 0;
  if (document)
    status = put(document, &self, begins, err);
  else
    notice(remote->host->output, key, &self, begins);
  ck_value_free(known);
  return status;
}
