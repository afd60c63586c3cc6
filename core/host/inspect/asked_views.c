/* asked_views.c - asks the hooks of an event again, and keeps what they would be shown. */
#include "core/host/inspect/asked_views.h"

#include <stdlib.h>
#include <string.h>

/* An engine that answers nothing. */
typedef struct watching {
  ck_asked_views *out;
  const ck_hook_rerun *rerun;
  int64_t seq; /* of the event that is wanted */
  const char *const *unknown;
} watching;

/* ---- copies ---- */

static const char *keep(ck_asked_views *self, const char *text, size_t len) {
  if (!text) return NULL;
  char *kept = self->text_count < CK_ASKED_TEXTS_MAX ? strndup(text, len) : NULL;
  if (!kept)
    self->failed = true;
  else
    self->texts[self->text_count++] = kept;
  return kept;
}

static void keep_text(ck_asked_views *self, const char **text) {
  *text = keep(self, *text, *text ? strlen(*text) : 0);
}

static void keep_bytes(ck_asked_views *self, ck_bytes *bytes) {
  bytes->data = keep(self, bytes->data, bytes->len);
}

static void keep_effect(ck_asked_views *self, const ck_effect *effect) {
  self->own_effect = (ck_effect){.scope = effect->scope,
                                 .key = effect->key,
                                 .attempt = effect->attempt,
                                 .kind = effect->kind,
                                 .class = effect->class,
                                 .agent = effect->agent,
                                 .untrusted = effect->untrusted,
                                 .reserve_micros = effect->reserve_micros,
                                 .request = effect->request};
  keep_text(self, &self->own_effect.scope);
  keep_text(self, &self->own_effect.key);
  keep_text(self, &self->own_effect.agent);
  keep_bytes(self, &self->own_effect.untrusted);
  keep_bytes(self, &self->own_effect.request);
  self->effect = &self->own_effect;
}

static void keep_changed(ck_asked_views *self, const ck_changed_keys *keys) {
  ck_buffer list = {0};
  ck_error none = CK_ERROR_INIT;
  ck_status status = ck_changed_keys_write(&list, keys, false, &none);
  if (status == CK_OK) status = ck_changed_keys_read(&self->changed, ck_buffer_bytes(&list), &none);
  self->failed |= status != CK_OK;
  self->own_at.since.changed = &self->changed;
  ck_buffer_clear(&list);
}

static void keep_place(ck_asked_views *self, const ck_boundary *at) {
  ck_boundary *own = &self->own_at;
  *own = *at;
  if (at->since.changed) keep_changed(self, at->since.changed);
  const char **texts[] = {&own->scope,     &own->node,      &own->agent,
                          &own->next.node, &own->next.tool, &own->last_error};
  ck_bytes *bytes[] = {&own->calls, &own->message, &own->tools, &own->model};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) keep_text(self, texts[i]);
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) keep_bytes(self, bytes[i]);
  self->at = own;
}

/* The fields that nobody tells are constants. */
static bool begin(watching *self, const char *hook) {
  const ck_hook_rerun *rerun = self->rerun;
  ck_asked_views *out = self->out;
  if (out->hook || !rerun->count || rerun->list[rerun->count - 1].seq != self->seq) return false;
  out->hook = hook;
  for (size_t i = 0; self->unknown && self->unknown[i] && i < CK_ASKED_UNKNOWN_MAX; i++)
    out->unknown[i] = self->unknown[i];
  return true;
}

static bool is_unknown(const ck_asked_views *self, const char *field) {
  for (size_t i = 0; self->unknown[i]; i++)
    if (strcmp(self->unknown[i], field) == 0) return true;
  return false;
}

/* Of a place that is not told the boundary before is shown instead. */
static void drop_fields_of_place(ck_asked_views *self) {
  size_t kept = 0;
  for (size_t i = 0; self->unknown[i]; i++)
    if (strncmp(self->unknown[i], "at.", 3) != 0) self->unknown[kept++] = self->unknown[i];
  self->unknown[kept] = NULL;
}

/* ---- the hooks ---- */

static ck_status see_permit(ck_leave *answer, void *to, const ck_effect *effect,
                            const ck_boundary *at, ck_error *err) {
  watching *self = to;
  (void)err;
  *answer = (ck_leave){0};
  if (!begin(self, "permit")) return CK_OK;
  keep_effect(self->out, effect);
  if (is_unknown(self->out, "at.seq"))
    drop_fields_of_place(self->out);
  else
    keep_place(self->out, at);
  return CK_OK;
}

static ck_status see_in_doubt(ck_doubt_answer *answer, void *to, const ck_effect *effect,
                              ck_error *err) {
  watching *self = to;
  (void)err;
  *answer = (ck_doubt_answer){0};
  if (begin(self, "in_doubt")) keep_effect(self->out, effect);
  return CK_OK;
}

static ck_status see_failure(ck_failure_answer *answer, void *to, const ck_failure *failure,
                             ck_error *err) {
  watching *self = to;
  (void)err;
  *answer = (ck_failure_answer){0};
  if (!begin(self, "on_failure")) return CK_OK;
  ck_failure *own = &self->out->own_failure;
  *own = *failure;
  const char **texts[] = {&own->node, &own->agent, &own->key, &own->tool, &own->error};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) keep_text(self->out, texts[i]);
  self->out->failure = own;
  return CK_OK;
}

static ck_status see_resume(ck_resume_rules *answer, void *to, const ck_resume_case *of,
                            ck_error *err) {
  watching *self = to;
  ck_asked_views *out = self->out;
  (void)err;
  *answer = (ck_resume_rules){0};
  if (!begin(self, "resume")) return CK_OK;
  out->own_resume = *of;
  out->session = *of->session;
  out->totals = *of->totals;
  out->own_resume.session = &out->session;
  out->own_resume.totals = &out->totals;
  const char **texts[] = {(const char **)&out->session.reason, (const char **)&out->session.profile,
                          (const char **)&out->session.flow};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) keep_text(out, texts[i]);
  out->seen = of->seen ? ck_value_share((ck_value *)of->seen) : NULL;
  out->own_resume.seen = out->seen;
  if (of->checkpoint) {
    out->checkpoint = *of->checkpoint;
    out->checkpoint.info = of->checkpoint->info ? ck_value_share(of->checkpoint->info) : NULL;
    out->own_resume.checkpoint = &out->checkpoint;
  }
  out->resume = &out->own_resume;
  return CK_OK;
}

static void see_unknown(void *to, const char *const *fields, const char **read) {
  watching *self = to;
  (void)read;
  self->unknown = fields;
}

static void free_nothing(void *to) { (void)to; }

static ck_status open_watching(ck_policy_engine *out, void *to, ck_error *err) {
  (void)err;
  *out = (ck_policy_engine){.self = to,
                            .permit = see_permit,
                            .in_doubt = see_in_doubt,
                            .on_failure = see_failure,
                            .resume = see_resume,
                            .watch = see_unknown,
                            .free = free_nothing};
  return CK_OK;
}

/* ---- the whole ---- */

/* What can have been asked about an event of the kind. */
static bool is_asked(ck_rerun_hook hook, ck_event_kind kind) {
  switch (hook) {
    case CK_RERUN_PERMIT:
      return kind == CK_EVENT_INTENT || kind == CK_EVENT_OUTCOME;
    case CK_RERUN_ON_FAILURE:
      return kind == CK_EVENT_OUTCOME;
    case CK_RERUN_IN_DOUBT:
      return kind == CK_EVENT_INTENT || kind == CK_EVENT_OUTCOME || kind == CK_EVENT_RESOLUTION ||
             kind == CK_EVENT_SESSION_PAUSED;
    case CK_RERUN_RESUME:
      return kind == CK_EVENT_SESSION_RESUMED || kind == CK_EVENT_RESUME_REFUSED ||
             kind == CK_EVENT_RESUME_APPROVAL;
    default:
      return false;
  }
}

ck_status ck_asked_views_read(ck_asked_views *out, ck_store *store, const char *session_id,
                              const ck_event *event, const ck_profile *profile, ck_error *err) {
  *out = (ck_asked_views){0};
  ck_status status = CK_OK;
  for (int i = 0; status == CK_OK && !out->hook && i < CK_RERUN_HOOK_COUNT; i++) {
    ck_hook_rerun rerun = {0};
    watching self = {.out = out, .rerun = &rerun, .seq = event->seq};
    const ck_rerun_source source = {.open = open_watching, .to = &self, .profile = profile};
    if (!is_asked((ck_rerun_hook)i, event->kind)) continue;
    status = ck_hook_rerun_ask(&rerun, store, session_id, (ck_rerun_hook)i, &source, err);
    ck_hook_rerun_clear(&rerun);
  }
  if (status == CK_OK && out->failed) status = ck_error_no_memory(err);
  if (status != CK_OK) ck_asked_views_clear(out);
  return status;
}

void ck_asked_views_clear(ck_asked_views *self) {
  for (size_t i = 0; i < self->text_count; i++) free(self->texts[i]);
  ck_changed_keys_clear(&self->changed);
  ck_value_free(self->checkpoint.info);
  ck_value_free(self->seen);
  *self = (ck_asked_views){0};
}
