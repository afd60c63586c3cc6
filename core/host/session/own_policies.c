/* own_policies.c - the policies of a stored session, asked about what is given to it. */
#include "core/host/session/own_policies.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/session/kept.h"
#include "core/host/session/last_run.h"
#include "core/host/session/place.h"
#include "core/host/session/policy_changes.h"
#include "lua/policy/policy.h"
#include "lua/policy/same_text.h"
#include "lua/profile/profile.h"

enum { UNPLACED = -1 };

struct ck_own_policies {
  ck_store *store;
  ck_scripts kept; /* what the store has of them, where the files are others; else empty */
  ck_profile *profile;
  ck_policy_engine policies;
  ck_policy_engine redacting;
  int places[CK_ANSWERS_POLICIES]; /* of each in the list of the last run */
  ck_event_kind kind;              /* of what is asked about */
  ck_answers said;                 /* by all of them, since then; by their own places */
};

/* What is known of the session. */
typedef struct accepted {
  const ck_head *head;
  ck_launch launch;
  ck_last_run last;
  char *name;      /* of the profile */
  ck_bytes list;   /* as it was accepted; no bytes: it was not recorded */
  ck_bytes of_run; /* as the last run had it */
} accepted;

static void clear(accepted *self) {
  ck_last_run_clear(&self->last);
  ck_launch_clear(&self->launch);
  free(self->name);
}

static ck_status read_accepted(accepted *out, ck_store *store, const ck_head *head, ck_error *err) {
  *out = (accepted){.head = head};
  ck_status status = ck_place_read_launch(&out->launch, store, head, err);
  if (status == CK_OK) status = ck_last_run_read(&out->last, store, head, err);
  if (status != CK_OK) return status;
  const char *first = out->launch.profile ? out->launch.profile : "default";
  ck_bytes other = ck_last_run_profile(&out->last);
  out->name = other.len ? ck_json_dup_string(other) : strdup(first);
  out->list = ck_last_run_own_policies(&out->last);
  out->of_run = ck_last_run_policies(&out->last);
  if (!out->list.len && out->launch.policies) out->list = ck_value_bytes(out->launch.policies);
  return out->name ? CK_OK : ck_error_no_memory(err);
}

static bool is(ck_bytes entry, const char *name, ck_json_type type) {
  return ck_json_type_of(ck_json_get(entry, name)) == type;
}

/* What an earlier ckrun recorded does not tell which of those that guard mask, or which guard. */
static bool masks(ck_bytes entry) {
  return is(entry, "guards", CK_JSON_TRUE) && !is(entry, "redacts", CK_JSON_FALSE);
}

static bool may_mask(ck_bytes list) {
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it);)
    if (masks(it.value) || is(it.value, "options", CK_JSON_NONE)) return true;
  return !list.len;
}

/* ---- loading ---- */

static void unload(ck_own_policies *self) {
  if (self->policies.free) self->policies.free(self->policies.self);
  ck_profile_free(self->profile);
  self->policies = (ck_policy_engine){0};
  self->profile = NULL;
}

static bool has_same_profile(const ck_own_policies *self, const accepted *of) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(hex, &self->profile->digest);
  return of->last.about &&
         ck_json_is_text(ck_json_get(ck_value_bytes(of->last.about), "profile"), hex);
}

/* As a run records them. */
static ck_status describe(ck_value **out, ck_own_policies *self, ck_error *err) {
  ck_value *list;
  ck_redactor *redactor;
  *out = NULL;
  ck_status status = ck_policy_describe(&list, &self->policies, false, err);
  if (status != CK_OK) return status;
  status = ck_redactor_new(&redactor, err);
  if (status == CK_OK) {
    const uint8_t *key = ck_store_fingerprint_key(self->store);
    ck_redactor_set_fingerprint_key(redactor, key);
    status =
        ck_policy_list_clean(out, &(ck_policy_cleaning){redactor, &self->policies, key}, list, err);
  }
  ck_redactor_free(redactor);
  ck_value_free(list);
  return status;
}

static ck_status check_same(ck_own_policies *self, const accepted *of, ck_error *err) {
  ck_value *now;
  char *name = NULL;
  bool other = !has_same_profile(self, of);
  ck_status status = describe(&now, self, err);
  if (status != CK_OK) return status;
  for (ck_json_iterator it = ck_json_iterate(of->list); !name && ck_json_next(&it);) {
    ck_bytes found = ck_policy_list_find(ck_value_bytes(now), it.value);
    bool hidden = other && ck_policy_hides_options(it.value);
    if (masks(it.value) && (!found.len || hidden || !ck_policy_is_same(it.value, found)))
      name = ck_json_dup_string(ck_json_get(it.value, "name"));
  }
  if (name)
    status =
        ck_error_set(err, CK_E_REFUSED, "policy %s is not as the session last ran with it", name);
  free(name);
  ck_value_free(now);
  return status;
}

static ck_status load_files(ck_own_policies *self, const accepted *of, ck_error *err) {
  ck_status status = ck_profile_load(&self->profile, of->name, err);
  if (status == CK_OK) status = ck_policy_engine_open(&self->policies, self->profile, err);
  return status == CK_OK ? check_same(self, of, err) : status;
}

static ck_status take_kept(ck_own_policies *self, const char **top, const ck_kept_files *files,
                           ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < files->count; i++) {
    const ck_kept_file *file = &files->list[i];
    ck_buffer text = {0};
    bool of_flow = strncmp(file->kind, "flow", 4) == 0;
    if (!*top && strcmp(file->kind, "profile") == 0) *top = file->asked;
    if (file->shipped || of_flow) continue;
    status = ck_kept_files_get_text(&text, self->store, file, err);
    if (status == CK_OK)
      status = ck_scripts_put(&self->kept, file->kind, file->asked, file->file,
                              ck_buffer_bytes(&text), err);
    ck_buffer_clear(&text);
  }
  return status;
}

static void keep_first(void *to, const ck_error *problem) {
  ck_error *first = to;
  if (first->status == CK_OK) *first = *problem;
}

static ck_status read_kept(ck_own_policies *self, const char *top, ck_error *err) {
  ck_error first = CK_ERROR_INIT;
  self->kept.closed = true;
  ck_status status = ck_profile_read(&self->profile, top, &self->kept, keep_first, &first, err);
  if (status == CK_OK && !self->profile) status = ck_error_set(err, CK_E_REFUSED, "%s", first.text);
  return status == CK_OK ? ck_policy_engine_open(&self->policies, self->profile, err) : status;
}

/* Each text is its digest's; they can do no more than mask. */
static ck_status load_kept(ck_own_policies *self, const accepted *of, ck_error *err) {
  ck_kept_files files;
  const char *top = NULL;
  unload(self);
  ck_status status = ck_kept_files_read(&files, self->store, of->head, 0, err);
  if (status == CK_OK) status = take_kept(self, &top, &files, err);
  if (status == CK_OK && !top)
    status = ck_error_set(err, CK_E_NOT_FOUND, "the store has not kept the profile");
  if (status == CK_OK) status = read_kept(self, top, err);
  if (status == CK_OK) status = check_same(self, of, err);
  ck_kept_files_clear(&files);
  return status;
}

static ck_status load(ck_own_policies *self, const accepted *of, ck_error *err) {
  ck_error why = CK_ERROR_INIT, kept = CK_ERROR_INIT;
  ck_status status = load_files(self, of, &why);
  if (status != CK_OK && status != CK_E_NO_MEMORY && load_kept(self, of, &kept) == CK_OK)
    return CK_OK;
  if (status == CK_OK || status == CK_E_NO_MEMORY)
    return status == CK_OK ? CK_OK : ck_error_no_memory(err);
  const char *id = of->head->session.id;
  return ck_error_set(err, CK_E_REFUSED,
                      "nothing is given to session %s that its policies cannot mask: profile %s: "
                      "%s; put it back as it was, or go on with another one first, by 'ckrun "
                      "resume %s --accept-changed' or --profile",
                      id, of->name, why.text, id);
}

/* ---- asking ---- */

static int place_of(ck_bytes list, ck_bytes entry) {
  int at = 0;
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it); at++)
    if (ck_bytes_equal(ck_json_get(it.value, "name"), ck_json_get(entry, "name")) &&
        ck_bytes_equal(ck_json_get(it.value, "agent"), ck_json_get(entry, "agent")))
      return at < CK_ANSWERS_POLICIES ? at : UNPLACED;
  return UNPLACED;
}

static ck_status find_places(ck_own_policies *self, ck_bytes list, ck_error *err) {
  ck_value *now;
  size_t at = 0;
  ck_status status = ck_policy_describe(&now, &self->policies, true, err);
  if (status != CK_OK) return status;
  for (ck_json_iterator it = ck_json_iterate(ck_value_bytes(now));
       at < CK_ANSWERS_POLICIES && ck_json_next(&it);)
    self->places[at++] = place_of(list, it.value);
  while (at < CK_ANSWERS_POLICIES) self->places[at++] = UNPLACED;
  ck_value_free(now);
  return CK_OK;
}

static ck_status redact(ck_redaction *out, void *to, const ck_item *item, ck_error *err) {
  ck_own_policies *self = to;
  ck_status status = self->policies.redact(out, self->policies.self, item, err);
  ck_answers said = out->answers;
  for (int answer = 0; answer < CK_ANSWER_COUNT; answer++) {
    out->answers.policies[answer] = 0;
    for (size_t i = 0; i < CK_ANSWERS_POLICIES; i++)
      if (said.policies[answer] >> i & 1 && self->places[i] != UNPLACED)
        ck_answers_put(&out->answers, (size_t)self->places[i], answer);
  }
  return status;
}

ck_status ck_own_policies_open(ck_own_policies **out, ck_store *store, const ck_head *head,
                               ck_error *err) {
  accepted of;
  *out = NULL;
  ck_own_policies *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->store = store;
  ck_status status = read_accepted(&of, store, head, err);
  bool own = status == CK_E_REFUSED; /* another program made it: it has no profile of ckrun's */
  if (own) status = CK_OK;
  if (status == CK_OK && !own && may_mask(of.list)) status = load(self, &of, err);
  if (status == CK_OK && self->policies.redact) status = find_places(self, of.of_run, err);
  clear(&of);
  self->redacting = (ck_policy_engine){.self = self, .redact = redact};
  if (status == CK_OK && self->policies.redact)
    *out = self;
  else
    ck_own_policies_free(self);
  return status;
}

ck_status ck_own_policies_open_profile(ck_own_policies **out, ck_store *store, const char *name,
                                       ck_error *err) {
  *out = NULL;
  ck_own_policies *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->store = store;
  self->redacting = (ck_policy_engine){.self = self, .redact = redact};
  ck_status status = ck_profile_load(&self->profile, name, err);
  if (status == CK_OK) status = ck_policy_engine_open(&self->policies, self->profile, err);
  if (status == CK_OK && self->policies.redact)
    *out = self;
  else
    ck_own_policies_free(self);
  return status;
}

void ck_own_policies_free(ck_own_policies *self) {
  if (!self) return;
  unload(self);
  ck_scripts_clear(&self->kept);
  free(self);
}

const ck_policy_engine *ck_own_policies_redacting(const ck_own_policies *self) {
  return self ? &self->redacting : NULL;
}

/* ---- a text ---- */

static ck_status ask(ck_redact_answer *out, void *to, const char *key, const ck_value *value,
                     ck_error *err) {
  ck_own_policies *self = to;
  ck_redaction redaction = {0};
  ck_fingerprint_key fingerprint;
  const uint8_t *bytes = ck_store_fingerprint_key(self->store);
  if (bytes) memcpy(fingerprint.bytes, bytes, sizeof fingerprint.bytes);
  ck_item item = {.key = key, .value = value, .fingerprint = bytes ? &fingerprint : NULL};
  if (!key) item.kind = self->kind;
  ck_status status = self->policies.redact(&redaction, self->policies.self, &item, err);
  ck_answers_add(&self->said, &redaction.answers);
  *out = (ck_redact_answer){status == CK_OK ? redaction.verdict : CK_REDACT_DROP, redaction.ref,
                            redaction.value};
  return status;
}

static ck_status write_body(ck_value **out, const ck_given_text *given, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", given->key);
  ck_json_member_text(&w, given->name, given->text);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

void ck_own_policies_hook(ck_own_policies *self, ck_redactor *redactor) {
  ck_redactor_set_hook(redactor, self ? ask : NULL, self);
}

static ck_status apply(ck_value **out, ck_own_policies *self, ck_redactor *redactor,
                       const ck_event *given, ck_error *err) {
  if (self) self->kind = given->kind;
  if (self) self->said = (ck_answers){0};
  ck_own_policies_hook(self, redactor);
  ck_status status = ck_redactor_apply_event(out, redactor, given->kind, given->body, err);
  ck_own_policies_hook(NULL, redactor);
  return status;
}

ck_status ck_own_policies_clean(char **out, ck_own_policies *self, ck_redactor *redactor,
                                const ck_given_text *given, ck_error *err) {
  ck_value *body, *kept = NULL;
  *out = NULL;
  ck_status status = write_body(&body, given, err);
  if (status != CK_OK) return status;
  status = apply(&kept, self, redactor, &(ck_event){.kind = given->kind, .body = body}, err);
  if (status == CK_OK && kept)
    *out = ck_json_dup_string(ck_json_get(ck_value_bytes(kept), given->name));
  if (status == CK_OK && !*out) status = ck_error_no_memory(err);
  ck_value_free(kept);
  ck_value_free(body);
  return status;
}

static void put_policy(ck_json_writer *who, ck_bytes entry, const ck_answers *said, size_t place) {
  for (int answer = CK_ANSWER_LEFT + 1; answer < CK_ANSWER_COUNT; answer++) {
    if (!(said->policies[answer] >> place & 1)) continue;
    ck_bytes agent = ck_json_get(entry, "agent");
    ck_json_begin(who, '{');
    ck_json_member_raw(who, "policy", ck_json_get(entry, "name"));
    if (agent.len) ck_json_member_raw(who, "agent", agent);
    ck_json_member_text(who, "rule", ck_answer_name(CK_HOOK_REDACT, answer));
    ck_json_end(who, '}');
  }
}

ck_status ck_own_policies_try(ck_value **out, ck_json_writer *who, ck_own_policies *self,
                              ck_redactor *redactor, const ck_event *given, ck_error *err) {
  ck_value *list = NULL;
  ck_status status = apply(out, self, redactor, given, err);
  if (status == CK_OK && self) status = ck_policy_describe(&list, &self->policies, true, err);
  if (status != CK_OK || !list) return status;
  size_t place = 0;
  for (ck_json_iterator it = ck_json_iterate(ck_value_bytes(list));
       place < CK_ANSWERS_POLICIES && ck_json_next(&it);)
    put_policy(who, it.value, &self->said, place++);
  ck_value_free(list);
  return CK_OK;
}
