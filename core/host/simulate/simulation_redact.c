/* simulation_redact.c - asks the redact hooks of a profile about recorded sessions, and counts what
 * they would take out. */
#include "core/host/simulate/simulation_redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/placeholder.h"
#include "core/base/utf8.h"
#include "core/host/session/kept.h"
#include "core/model/content.h"
#include "core/redact/options.h"
#include "core/redact/redact.h"
#include "core/store/rekey.h"
#include "lua/policy/policy.h"

typedef struct asking {
  ck_simulated_masks *out;
  ck_policy_engine policies;
  ck_value *described;            /* their list, in the order of ck_answers */
  ck_fingerprint_key fingerprint; /* zeros: the store has none */
  ck_redactor *redactor;
  ck_event_kind kind; /* of the event whose body is looked at */
  const char *agent;
  ck_status status;
  ck_error *err;
} asking;

/* ---- samples ---- */

static bool contains(ck_bytes text, ck_bytes part) {
  for (size_t i = 0; i + part.len <= text.len; i++)
    if (memcmp(text.data + i, part.data, part.len) == 0) return true;
  return false;
}

static bool continues(char byte) { return ((unsigned char)byte & 0xc0) == 0x80; }

/* As much before and behind the placeholder as fits, whole characters. */
static char *cut_around(ck_bytes text, ck_bytes found) {
  size_t begin = (size_t)(found.data - text.data), end = begin + found.len;
  for (int i = 0; i < CK_SIMULATED_SAMPLE_CHARS / 2; i++) {
    while (begin > 0 && continues(text.data[--begin])) continue;
    if (end < text.len) end++;
    while (end < text.len && continues(text.data[end])) end++;
  }
  return strndup(text.data + begin, end - begin);
}

/* The first placeholder of `after` that `before` has not; NULL in *out: none, or it is all. */
static ck_status find_sample(char **out, ck_bytes before, ck_bytes after, ck_error *err) {
  ck_bytes found, rest = after;
  *out = NULL;
  while (ck_placeholder_find(&found, NULL, rest)) {
    const char *behind = found.data + found.len;
    rest = (ck_bytes){behind, (size_t)(after.data + after.len - behind)};
    if (contains(before, found)) continue;
    *out = cut_around(after, found);
    return *out ? CK_OK : ck_error_no_memory(err);
  }
  return CK_OK;
}

/* Takes `sample`. */
static void keep_sample(ck_simulated_mask *row, char *sample) {
  for (size_t i = 0; sample && i < CK_SIMULATED_SAMPLES; i++) {
    if (row->samples[i] && strcmp(row->samples[i], sample) == 0) break;
    if (row->samples[i]) continue;
    row->samples[i] = sample;
    return;
  }
  free(sample);
}

/* ---- counting ---- */

static ck_status find_row(ck_simulated_mask **out, ck_simulated_masks *self, const char *policy,
                          const char *rule, const char *where, ck_error *err) {
  for (size_t i = 0; i < self->count; i++) {
    *out = &self->list[i];
    if (strcmp((*out)->policy, policy) == 0 && strcmp((*out)->rule, rule) == 0 &&
        strcmp((*out)->where, where) == 0)
      return CK_OK;
  }
  ck_simulated_mask *list = reallocarray(self->list, self->count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  *out = &list[self->count];
  **out = (ck_simulated_mask){.policy = strdup(policy), .rule = rule, .where = strdup(where)};
  if ((*out)->policy && (*out)->where) {
    self->count++;
    return CK_OK;
  }
  free((*out)->policy);
  free((*out)->where);
  return ck_error_no_memory(err);
}

/* Owned by the caller. */
static char *name_at(const asking *self, size_t place) {
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(self->described));
  for (size_t i = 0; ck_json_next(&it); i++)
    if (i == place) return ck_json_dup_string(ck_json_get(it.value, "name"));
  return strdup("?");
}

static ck_status count_answer(asking *self, size_t place, int answer, const ck_item *item,
                              const ck_redaction *redaction) {
  ck_simulated_mask *row = NULL;
  char *sample = NULL, *name = name_at(self, place);
  const char *where = item->key ? item->key : ck_event_kind_name(item->kind);
  if (!name) return ck_error_no_memory(self->err);
  ck_status status = find_row(&row, self->out, name, ck_answer_name(CK_HOOK_REDACT, answer),
                              where ? where : "event", self->err);
  free(name);
  if (status == CK_OK && redaction->value)
    status = find_sample(&sample, ck_value_bytes(item->value), ck_value_bytes(redaction->value),
                         self->err);
  if (status != CK_OK) return status;
  keep_sample(row, sample);
  row->count++;
  row->sessions += row->last != self;
  row->last = self;
  return CK_OK;
}

/* It was masked whole when it was recorded. */
static bool is_masked_whole(const ck_value *value) {
  ck_bytes found, text = ck_value_bytes(value);
  return ck_json_type_of(text) == CK_JSON_STRING && ck_placeholder_find(&found, NULL, text) &&
         found.len + 2 == text.len;
}

/* Nothing is changed by it: what the next item is does not depend on it. */
static ck_status ask(ck_redact_answer *out, void *to, const char *key, const ck_value *value,
                     ck_error *err) {
  asking *self = to;
  ck_redaction redaction = {0};
  ck_error failure = CK_ERROR_INIT;
  ck_item item = {.key = key, .value = value, .fingerprint = &self->fingerprint};
  if (!key) item.kind = self->kind, item.agent = self->agent;
  *out = (ck_redact_answer){.verdict = CK_REDACT_LEAVE};
  if (is_masked_whole(value)) {
    self->out->hidden++;
    return CK_OK;
  }
  self->out->items++;
  ck_status status = self->policies.redact(&redaction, self->policies.self, &item, &failure);
  if (status == CK_E_NO_MEMORY) self->status = ck_error_no_memory(self->err);
  if (status != CK_OK && self->out->failures++ == 0) self->out->failure = failure;
  for (int answer = 1; status == CK_OK && answer < CK_ANSWER_FAILED; answer++)
    for (size_t i = 0; self->status == CK_OK && i < CK_ANSWERS_POLICIES; i++)
      if (redaction.answers.policies[answer] >> i & 1)
        self->status = count_answer(self, i, answer, &item, &redaction);
  self->out->otherwise += status == CK_OK && redaction.verdict != CK_REDACT_LEAVE;
  free(redaction.ref);
  ck_value_free(redaction.value);
  return self->status == CK_OK ? CK_OK : ck_error_no_memory(err);
}

/* ---- a session ---- */

static bool take_event(void *to, const ck_event *event) {
  asking *self = to;
  ck_value *asked = NULL, *ignored = NULL;
  self->kind = event->kind;
  self->agent = event->agent;
  if (event->body) self->status = ck_content_recorded(&asked, event->kind, event->body, self->err);
  if (self->status == CK_OK && asked)
    self->status = ck_redactor_apply_event(&ignored, self->redactor, event->kind, asked, self->err);
  ck_value_free(asked);
  ck_value_free(ignored);
  return self->status == CK_OK;
}

static ck_status take_keys(asking *self, const ck_state *state) {
  ck_state_entry *entries = NULL;
  size_t count = 0;
  ck_status status = ck_state_list(&entries, &count, state, self->err);
  for (size_t i = 0; status == CK_OK && i < count; i++) {
    ck_value *ignored = NULL;
    status = ck_redactor_apply(&ignored, self->redactor, CK_SINK_STATE, entries[i].key,
                               entries[i].value, self->err);
    ck_value_free(ignored);
  }
  free(entries);
  return status;
}

/* As a run under the profile asks before it records them. */
static ck_status take_options(asking *self) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(self->described));
  while (status == CK_OK && ck_json_next(&it)) {
    ck_value *options = NULL, *ignored = NULL;
    status = ck_value_copy(&options, ck_json_get(it.value, "options"), self->err);
    if (status == CK_OK)
      status = ck_redactor_apply_options(&ignored, self->redactor, options, self->err);
    ck_value_free(options);
    ck_value_free(ignored);
  }
  return status == CK_OK ? self->status : status;
}

/* A text that is not there any more, as behind a scrub, is not asked about. */
static ck_status take_file(asking *self, ck_store *store, const ck_kept_file *file) {
  char key[32];
  ck_buffer text = {0};
  ck_value *value = NULL, *ignored = NULL;
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_kept_files_get_text(&text, store, file, &failure);
  bool gone = status == CK_E_NOT_FOUND;
  if (status != CK_OK && !gone) status = ck_error_set(self->err, status, "%s", failure.text);
  snprintf(key, sizeof key, "files.%s", file->kind);
  if (status == CK_OK) status = ck_value_text(&value, ck_buffer_bytes(&text), self->err);
  if (status == CK_OK)
    status = ck_redactor_apply(&ignored, self->redactor, CK_SINK_STATE, key, value, self->err);
  ck_value_free(ignored);
  ck_value_free(value);
  ck_buffer_clear(&text);
  return gone ? CK_OK : status;
}

static bool is_among(const ck_kept_files *files, size_t count, const ck_kept_file *file) {
  bool found = false;
  for (size_t i = 0; i < count; i++)
    found |= strcmp(files->list[i].digest, file->digest) == 0 && files->list[i].kind == file->kind;
  return found;
}

/* The texts that the runs executed, each once though several runs had it. */
static ck_status take_files(asking *self, ck_store *store, const ck_head *head) {
  ck_kept_files before = {0}, files;
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < head->timeline_count; i++) {
    status = ck_kept_files_read(&files, store, head, head->timelines[i].no, self->err);
    for (size_t k = 0; status == CK_OK && k < files.count; k++) {
      const ck_kept_file *file = &files.list[k];
      if (file->shipped || is_among(&before, before.count, file) || is_among(&files, k, file))
        continue;
      if (file->withheld)
        self->out->hidden++;
      else
        status = take_file(self, store, file);
    }
    ck_kept_files_clear(&before);
    before = files;
  }
  ck_kept_files_clear(&before);
  return status;
}

static ck_status read_session(asking *self, ck_store *store, const char *session_id) {
  ck_head head = {0};
  ck_state *state = NULL;
  ck_status status = ck_store_get_head(&head, store, session_id, self->err);
  if (status != CK_OK) return status;
  ck_event_query query = {.session = head.session.no};
  status = ck_store_read_events(store, &query, take_event, self, self->err);
  if (status == CK_OK) status = self->status;
  if (status == CK_OK && head.has_checkpoint)
    status = ck_store_get_state(&state, store, head.session.no, head.checkpoint.seq, self->err);
  if (status == CK_OK && state) status = take_keys(self, state);
  if (status == CK_OK) status = take_files(self, store, &head);
  ck_state_free(state);
  ck_head_clear(&head);
  return status;
}

ck_status ck_simulate_redact(ck_simulated_masks *out, ck_store *store, const char *session_id,
                             const ck_profile *profile, ck_error *err) {
  asking self = {.out = out, .err = err};
  ck_status status = ck_policy_engine_open(&self.policies, profile, err);
  if (status != CK_OK) return status;
  const uint8_t *fingerprint = ck_store_fingerprint_key(store);
  if (fingerprint) memcpy(self.fingerprint.bytes, fingerprint, sizeof self.fingerprint.bytes);
  status = ck_policy_describe(&self.described, &self.policies, true, err);
  if (status == CK_OK) status = ck_redactor_new(&self.redactor, err);
  if (status == CK_OK && self.policies.redact) {
    ck_redactor_set_fingerprint_key(self.redactor, fingerprint);
    ck_redactor_set_hook(self.redactor, ask, &self);
    status = take_options(&self);
    if (status == CK_OK) status = read_session(&self, store, session_id);
  }
  for (size_t i = 0; i < out->count; i++) out->list[i].last = NULL;
  ck_redactor_free(self.redactor);
  ck_value_free(self.described);
  self.policies.free(self.policies.self);
  return status;
}

void ck_simulated_masks_clear(ck_simulated_masks *self) {
  for (size_t i = 0; i < self->count; i++) {
    free(self->list[i].policy);
    free(self->list[i].where);
    for (size_t k = 0; k < CK_SIMULATED_SAMPLES; k++) free(self->list[i].samples[k]);
  }
  free(self->list);
  *self = (ck_simulated_masks){0};
}
