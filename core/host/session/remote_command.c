/* remote_command.c - a command on one session: carried out here when no process runs it, else by
 * its owner. */
#include "core/host/session/remote_command.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/text.h"
#include "core/host/cli/duration.h"
#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/host/session/profile_secrets.h"
#include "core/host/session/next_command.h"
#include "core/host/session/resume_command.h"

enum { POLL_MS = 20, TIMEOUT_MS = 30000 };

static int64_t now_us(const ck_remote_command *self) {
  return self->runtime->clock.mono_us(self->runtime->clock.self);
}

static ck_status find_owner(ck_remote_command *self, ck_error *err) {
  ck_error owned = CK_ERROR_INIT;
  ck_status status = ck_store_check_owner(self->runtime->store, self->id, &owned);
  self->live = status == CK_E_OWNED;
  snprintf(self->owner, sizeof self->owner, "%s", self->live ? owned.text : "");
  return status == CK_OK || self->live ? CK_OK : ck_error_set(err, status, "%s", owned.text);
}

/* The owner is checked before the row is read, since an owner that is gone has written its last
 * row; and again after it, since another may have come. */
ck_status ck_remote_command_refresh(ck_remote_command *self, ck_error *err) {
  ck_head_clear(&self->head);
  ck_status status = find_owner(self, err);
  if (status == CK_OK) status = ck_store_get_head(&self->head, self->runtime->store, self->id, err);
  bool orphan = status == CK_OK && !self->live && self->head.session.status == CK_SESSION_RUNNING;
  return orphan ? find_owner(self, err) : status;
}

static ck_status open_session(ck_remote_command *out, const ck_host *host, const char *id,
                              bool read_only, ck_error *err) {
  *out = (ck_remote_command){.host = host, .id = out->full_id};
  ck_status status = ck_session_word_check(id, err);
  if (status == CK_OK) status = ck_store_location_find(&out->location, host, err);
  ck_store_options options = {
      .read_only = read_only, .key = out->location.key, .watch = &out->location.watch};
  if (status == CK_OK)
    status = ck_runtime_open(&out->runtime, out->location.opens, &options, NULL, err);
  if (status == CK_OK)
    status = ck_resolve_session_within(out->full_id, out->runtime->store, host->filter, id, err);
  if (status == CK_OK)
    status = ck_profile_secrets_hide(host->output, out->runtime->store, out->id, err);
  return status == CK_OK ? ck_remote_command_refresh(out, err) : status;
}

ck_status ck_remote_command_open(ck_remote_command *out, const ck_host *host, const char *id,
                                 const char *timeout, ck_error *err) {
  int64_t timeout_ms = TIMEOUT_MS;
  *out = (ck_remote_command){0};
  ck_status status = ck_duration_take(&timeout_ms, "--timeout", timeout, err);
  if (status == CK_OK) status = open_session(out, host, id, false, err);
  if (status == CK_OK) out->deadline_us = now_us(out) + timeout_ms * 1000;
  return status;
}

ck_status ck_remote_command_open_dry(ck_remote_command *out, const ck_host *host, const char *id,
                                     ck_error *err) {
  return open_session(out, host, id, true, err);
}

void ck_remote_command_close(ck_remote_command *self) {
  ck_head_clear(&self->head);
  free(self->left);
  ck_runtime_close(self->runtime);
  ck_own_policies_free(self->own);
  ck_store_location_clear(&self->location);
  *self = (ck_remote_command){0};
}

ck_status ck_remote_command_guard(ck_remote_command *self, ck_error *err) {
  if (self->guarded) return CK_OK;
  ck_status status = ck_own_policies_open(&self->own, self->runtime->store, &self->head, err);
  if (status != CK_OK) return status;
  self->runtime->redacting = ck_own_policies_redacting(self->own);
  self->guarded = true;
  return CK_OK;
}

ck_status ck_remote_command_mask(ck_masking *out, ck_remote_command *self,
                                 const ck_masking_word *word, ck_error *err) {
  *out = (ck_masking){0};
  ck_status status = ck_remote_command_guard(self, err);
  if (status == CK_OK)
    status = ck_masking_find(out, self->own, self->host->output->redactor, word, err);
  self->masking = status == CK_OK ? out : NULL;
  return status;
}

ck_status ck_remote_command_clean(char **out, ck_remote_command *self, const char *text,
                                  ck_error *err) {
  ck_buffer kept = {0};
  *out = NULL;
  if (!text) return CK_OK;
  ck_status status = ck_remote_command_guard(self, err);
  if (status == CK_OK)
    status = ck_redactor_apply_text(&kept, self->host->output->redactor, CK_SINK_REQUEST,
                                    ck_bytes_text(text), err);
  if (status == CK_OK) status = ck_buffer_check(&kept, err);
  if (status == CK_OK) *out = kept.len ? ck_buffer_take(&kept) : strdup("");
  ck_buffer_clear(&kept);
  return status == CK_OK && !*out ? ck_error_no_memory(err) : status;
}

ck_status ck_remote_command_clean_reason(char **out, ck_remote_command *self, const char *reason,
                                         ck_error *err) {
  if (reason) return ck_remote_command_clean(out, self, reason, err);
  return ck_text_copy(out, "user_requested", err);
}

/* As the policies have it of the event that it becomes part of, and of the note that it was
 * taken. */
static ck_status clean_request(ck_remote_command *self, const ck_session_request *request,
                               ck_error *err) {
  static const struct {
    ck_event_kind kind;
    const char *name;
  } becomes[] = {[CK_REQUEST_PAUSE] = {CK_EVENT_SESSION_PAUSED, "reason"},
                 [CK_REQUEST_CANCEL] = {CK_EVENT_SESSION_CANCELLED, "reason"},
                 [CK_REQUEST_ANSWER] = {CK_EVENT_RESOLUTION, "result"},
                 [CK_REQUEST_CHECKPOINT] = {CK_EVENT_BOUNDARY, "description"},
                 [CK_REQUEST_KIND_COUNT] = {0}};
  bool masked = self->own && request->text && becomes[request->kind].name;
  char *once = NULL;
  free(self->left);
  self->left = NULL;
  if (!masked) return ck_text_copy(&self->left, request->text, err);
  ck_given_text text = {becomes[request->kind].kind, becomes[request->kind].name, request->effect,
                        request->text};
  ck_redactor *redactor = self->host->output->redactor;
  ck_status status = ck_own_policies_clean(&once, self->own, redactor, &text, err);
  text = (ck_given_text){CK_EVENT_NOTE, "text", NULL, once};
  bool fixed = request->kind == CK_REQUEST_ANSWER; /* it may be one of an effect's structure */
  if (status == CK_OK && !fixed)
    status = ck_own_policies_clean(&self->left, self->own, redactor, &text, err);
  else if (status == CK_OK)
    status = ck_text_copy(&self->left, once, err);
  free(once);
  return status;
}

ck_status ck_remote_command_leave(ck_remote_command *self, ck_session_request *request,
                                  ck_error *err) {
  if (self->request[0]) return CK_OK;
  self->after = self->head.last_seq;
  self->kind = request->kind;
  ck_session_request cleaned = *request;
  ck_status status = clean_request(self, request, err);
  cleaned.text = self->left;
  if (status == CK_OK)
    status = ck_request_leave(self->runtime->store, &self->head.session, &cleaned, err);
  memcpy(request->id, cleaned.id, sizeof request->id);
  if (status != CK_OK) return status;
  memcpy(self->run, self->head.session.run, sizeof self->run);
  memcpy(self->request, request->id, sizeof self->request);
  return CK_OK;
}

static ck_status find_note(ck_remote_command *self, ck_error *err) {
  ck_buffer problem = {0};
  ck_status status = ck_request_find_note(&self->noted, self->runtime->store, self->head.session.no,
                                          self->after, self->request, &problem, err);
  if (status == CK_OK && self->noted)
    snprintf(self->problem, sizeof self->problem, "%s", problem.len ? problem.data : "");
  ck_buffer_clear(&problem);
  return status;
}

static ck_status too_late(const ck_remote_command *self, ck_error *err) {
  bool other = strcmp(self->head.session.run, self->run) != 0;
  if (self->noted && other)
    return ck_error_set(err, CK_E_PENDING,
                        "session %s goes on in another run: the one that has taken the request "
                        "ended before it could carry it out, and the request stands",
                        self->id);
  if (self->noted)
    return ck_error_set(
        err, CK_E_PENDING,
        "session %s goes on: its owner has taken the request and has not come to a boundary yet",
        self->id);
  return ck_error_set(err, CK_E_PENDING,
                      "%s, which has not taken the request yet; the request stands, for the next "
                      "run if that process dies",
                      self->owner);
}

/* Requests that the rest of a session ends. */
static ck_status find_rest(ck_remote_command *self, ck_error *err) {
  bool other = strcmp(self->head.session.run, self->run) != 0;
  bool rests = self->kind == CK_REQUEST_PAUSE || self->kind == CK_REQUEST_CHECKPOINT;
  if (!other || !rests || self->rested) return CK_OK;
  return ck_request_find_rest(&self->rested, self->runtime->store, self->head.session.no,
                              self->after, err);
}

/* Whether what is waited for has come. */
static ck_status find_end(bool *out, ck_remote_command *self, ck_remote_command_until until,
                          ck_error *err) {
  ck_status status = ck_remote_command_refresh(self, err);
  if (status == CK_OK) status = find_note(self, err);
  if (status == CK_OK && until == CK_REMOTE_COMMAND_SAVED)
    status = ck_request_find_checkpoint(self->saved, self->runtime->store, self->head.session.no,
                                        self->after, self->request, err);
  if (status == CK_OK) status = find_rest(self, err);
  *out = self->problem[0] || self->saved[0] || self->rested ||
         (until == CK_REMOTE_COMMAND_NOTED && self->noted);
  return status;
}

ck_status ck_remote_command_wait(ck_remote_command *self, ck_remote_command_until until,
                                 ck_error *err) {
  for (;;) {
    bool found;
    ck_status status = find_end(&found, self, until, err);
    if (status != CK_OK || found) return status;
    bool over = self->head.session.status != CK_SESSION_RUNNING;
    if (!self->live) return CK_OK;
    /* the owner of an ended session is awaited until it exits, so that a resume can follow */
    bool late = now_us(self) >= self->deadline_us;
    if (late) return over ? CK_OK : too_late(self, err);
    if (self->host->given_up && self->host->given_up(self->host->given_up_to))
      return ck_error_set(err, CK_E_INTERRUPTED, "session %s: nobody waits any more", self->id);
    nanosleep(&(struct timespec){0, POLL_MS * 1000 * 1000}, NULL);
  }
}

ck_status ck_remote_command_check_problem(const ck_remote_command *self, const char *done,
                                          ck_error *err) {
  if (!self->problem[0]) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED, "session %s was not %s: %s", self->id, done,
                      self->problem);
}

ck_status ck_remote_command_take(ck_session **out, ck_remote_command *self, ck_error *err) {
  ck_error taken = CK_ERROR_INIT;
  ck_resume_options options = {.keep_references = true};
  *out = NULL;
  ck_status status = ck_session_resume(out, self->runtime, self->id, &options, &taken);
  if (status == CK_OK || status == CK_E_OWNED || status == CK_E_FENCED) return CK_OK;
  return ck_error_set(err, status, "%s", taken.text);
}

static ck_status write_resume(ck_buffer *out, const ck_remote_command *self, ck_error *err) {
  const ck_session_record *record = &self->head.session;
  if (self->live || !ck_session_status_resumable(record->status)) return CK_OK;
  if (ck_next_command_refusal(record) != CK_OK) return CK_OK;
  return ck_resume_command_append(out, self->host, self->runtime->store, &self->head, "resume %s",
                                  err);
}

static ck_status print_json(const ck_remote_command *self, const char *status, const char *reason,
                            const char *resume, ck_error *err) {
  ck_document document;
  ck_document_init(&document, self->host->output);
  ck_document_put_text(&document, NULL, "session", self->id);
  ck_document_put_text(&document, NULL, "status", status);
  ck_document_put_text(&document, NULL, "reason", reason);
  ck_document_put_text(&document, NULL, "request", self->request[0] ? self->request : NULL);
  ck_document_put_text(&document, NULL, "resume", resume);
  if (self->masking) ck_masking_put(&document, self->masking);
  ck_status printed = ck_document_print(&document, err);
  ck_document_clear(&document);
  return printed;
}

static void put_text(ck_table *table, const char *name, const char *text) {
  if (!text) return;
  ck_table_put_word(table, name);
  ck_table_put_text(table, ck_bytes_text(text));
}

static ck_status refuse_dead(const ck_remote_command *self, ck_error *err) {
  ck_buffer next = {0};
  ck_status status = ck_resume_command_append(&next, self->host, self->runtime->store, &self->head,
                                              "resume %s", err);
  if (status == CK_OK)
    status = ck_error_set(err, CK_E_REFUSED,
                          "session %s is not running, its process is gone: '%s' goes on with it",
                          self->id, next.data);
  ck_buffer_clear(&next);
  return status;
}

ck_status ck_remote_command_check_paused(const ck_remote_command *self, ck_error *err) {
  const ck_session_record *record = &self->head.session;
  if (record->status == CK_SESSION_PAUSED) return CK_OK;
  if (record->status == CK_SESSION_RUNNING) return refuse_dead(self, err);
  return ck_error_set(err, CK_E_REFUSED, "session %s is not running: it is %s", record->id,
                      ck_session_status_name(record->status));
}

ck_status ck_remote_command_print(const ck_remote_command *self, const char *status,
                                  const char *reason, ck_error *err) {
  static const ck_column columns[] = {{"", false}, {"", false}, {NULL, false}};
  ck_table table;
  ck_buffer resume = {0};
  ck_status printed = write_resume(&resume, self, err);
  if (printed == CK_OK && self->host->output->json)
    printed = print_json(self, status, reason, resume.data, err);
  else if (printed == CK_OK) {
    ck_table_init(&table, self->host->output, columns);
    put_text(&table, "session", self->id);
    put_text(&table, "status", status);
    put_text(&table, "reason", reason);
    put_text(&table, "resume", resume.data);
    printed = ck_table_print(&table, err);
    ck_table_clear(&table);
    if (self->masking) ck_masking_tell(self->host->output, self->masking);
  }
  ck_buffer_clear(&resume);
  return printed;
}
