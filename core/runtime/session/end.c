/* end.c - ends a run: the last checkpoint where one is due, the closing event, the status, all
 * durable before it returns. */
#include "core/runtime/session/end.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/reserve.h"
#include "core/model/pause_reason.h"
#include "core/runtime/session/prune.h"
#include "core/runtime/session/session_private.h"
#include "core/store/maintenance.h"

/* What each status leaves in the transcript. A boundary kind of 0 takes no checkpoint: the
 * coroutine is not at a boundary. */
typedef struct ending {
  ck_session_status status;
  ck_event_kind event;
  ck_boundary_kind boundary;
} ending;

static const ending endings[] = {
    {CK_SESSION_COMPLETED, CK_EVENT_SESSION_COMPLETED, CK_BOUNDARY_FINAL},
    {CK_SESSION_PAUSED, CK_EVENT_SESSION_PAUSED, CK_BOUNDARY_PAUSE},
    {CK_SESSION_WAITING, CK_EVENT_SESSION_PAUSED, CK_BOUNDARY_USER_CHECKPOINT},
    {CK_SESSION_IN_DOUBT, CK_EVENT_SESSION_PAUSED, 0},
    {CK_SESSION_FAILED, CK_EVENT_SESSION_FAILED, CK_BOUNDARY_FAILURE},
    {CK_SESSION_CANCELLED, CK_EVENT_SESSION_CANCELLED, 0},
};

static const ending *find_ending(ck_session_status status) {
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (endings[i].status == status) return &endings[i];
  return NULL;
}

/* Of one that waits for a person, or for a word on what is in doubt: a pause that is none. */
static const char *word_of(ck_session_status status) {
  bool stands = status == CK_SESSION_WAITING || status == CK_SESSION_IN_DOUBT;
  return stands ? ck_session_status_name(status) : NULL;
}

static ck_status append_closing(ck_session *self, ck_session_status status, const char *reason,
                                const char *node, const char *checkpoint, const ck_value *result,
                                ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_event_kind kind = find_ending(status)->event;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "reason", reason);
  ck_json_member_text(&w, "status", word_of(status));
  if (kind == CK_EVENT_SESSION_FAILED && self->failure)
    ck_json_member_text(&w, "status", ck_status_name(self->failure));
  ck_json_member_text(&w, "node", node);
  ck_json_member_text(&w, "checkpoint", checkpoint && *checkpoint ? checkpoint : NULL);
  if (result) ck_json_member_raw(&w, "result", ck_value_bytes(result));
  ck_json_end(&w, '}');
  ck_value *body = NULL;
  ck_status done = ck_value_from(&body, &buffer, err);
  if (done == CK_OK) done = ck_session_append(self, kind, NULL, NULL, body, err);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return done;
}

/* A reason can be an error's text, and that can quote anything: it is redacted, and then one line.
 * So are names. */
static ck_status clean(char **out, ck_session *self, const char *text, ck_error *err) {
  ck_buffer kept = {0};
  *out = NULL;
  if (!text) return CK_OK;
  ck_status status =
      ck_redactor_apply_text(&kept, self->redactor, CK_SINK_EVENT, ck_bytes_text(text), err);
  if (status == CK_OK) status = ck_buffer_check(&kept, err);
  if (status == CK_OK) ck_error_make_line(kept.data, kept.len);
  if (status == CK_OK && kept.len > 0) *out = ck_buffer_take(&kept);
  ck_buffer_clear(&kept);
  return status;
}

/* What nobody meant for programs is none of their words, whatever the policies have left of it. */
static ck_status quote(char **text, ck_error *err) {
  int64_t from_ms;
  if (!ck_pause_reason_goes_on(&from_ms, *text)) return CK_OK;
  ck_buffer quoted = {0};
  ck_buffer_append_format(&quoted, CK_PAUSE_QUOTED, *text);
  free(*text);
  *text = NULL;
  ck_status status = ck_buffer_check(&quoted, err);
  if (status == CK_OK) *text = ck_buffer_take(&quoted);
  ck_buffer_clear(&quoted);
  return status;
}

/* The session's row shows it, too: the policies have their say of it as of the closing event's. Not
 * of a word that programs go by: nobody would go on with the session. */
static ck_status clean_reason(char **out, ck_session *self, ck_session_status as,
                              const char *reason, ck_error *err) {
  char *ruled;
  ck_value *body = NULL, *kept = NULL;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  const ending *closing = find_ending(as);
  int64_t from_ms;
  *out = NULL;
  ck_status status = clean(&ruled, self, reason, err);
  bool asks = closing && self->redacting->redact && !ck_pause_reason_goes_on(&from_ms, reason);
  if (status != CK_OK || !ruled || !asks) {
    *out = ruled;
    return status;
  }
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "reason", ruled);
  ck_json_end(&w, '}');
  status = ck_value_from(&body, &text, err);
  if (status == CK_OK) status = ck_session_redact(&kept, self, closing->event, NULL, body, err);
  if (status == CK_OK) {
    ck_masked_hold(&self->masked);
    *out = ck_json_dup_string(ck_json_get(ck_value_bytes(kept), "reason"));
    status = *out ? quote(out, err) : ck_error_no_memory(err);
  }
  ck_value_free(kept);
  ck_value_free(body);
  ck_buffer_clear(&text);
  free(ruled);
  return status;
}

/* Where the flow stands: at the node that failed, else where the main scope was last. */
static ck_status read_node(char **out, ck_session *self, ck_error *err) {
  const ck_value *reached = self->boundaries.reached;
  ck_bytes node = reached ? ck_json_get(ck_value_bytes(reached), "node") : (ck_bytes){0};
  *out = NULL;
  if (self->failed_node) return clean(out, self, self->failed_node, err);
  if (ck_json_type_of(node) != CK_JSON_STRING) return CK_OK;
  char *text = ck_json_dup_string(node);
  ck_status status = text ? clean(out, self, text, err) : ck_error_no_memory(err);
  free(text);
  return status;
}

/* The closing event and the status are one commit, behind everything else. */
static ck_status close_run(ck_session *self, ck_session_status status, const char *reason,
                           const char *node, ck_error *err) {
  uint64_t ticket;
  ck_session_update update = {.status = status, .reason = reason, .node = node};
  if (status == CK_SESSION_FAILED && self->failure) update.failure = ck_status_name(self->failure);
  ck_queueing how = {.update = &update, .durability = CK_DURABLE_POWER, .waited = true};
  ck_status done = ck_session_queue(&ticket, self, &how, err);
  if (done == CK_OK) done = ck_session_wait(self, ticket, err);
  if (done != CK_OK) return done;
  ck_session_set_status(self, status);
  ck_session_settle_requests(self, status, reason);
  return CK_OK;
}

/* Behind a failure or a doubt all stays that tells how it came to it, and where to go back to. */
static bool prunes(const ck_session *self, ck_session_status status) {
  bool single = self->profile && self->profile->single_checkpoint;
  return status == CK_SESSION_COMPLETED || status == CK_SESSION_PAUSED ||
         status == CK_SESSION_WAITING || single;
}

static ck_status end(ck_session *self, ck_session_status status, const char *reason,
                     const ck_value *result, ck_error *err) {
  const ending *as = find_ending(status);
  ck_saved saved = {0};
  char *node = NULL;
  bool failed = status == CK_SESSION_FAILED;
  if (!as)
    return ck_error_set(err, CK_E_USAGE, "a session does not end as %s",
                        ck_session_status_name(status));
  ck_boundary at = {.kind = as->boundary,
                    .node = self->failed_node,
                    .next = {.node = self->failed_node}, /* where a resume goes on */
                    .last_error = failed ? reason : NULL,
                    .reason = failed ? NULL : reason,
                    .waits = status == CK_SESSION_WAITING};
  ck_status done = as->boundary ? ck_session_boundary(&saved, self, &at, err) : CK_OK;
  if (done == CK_OK && prunes(self, status)) done = ck_session_prune(self, err);
  if (done == CK_OK) done = ck_session_close_saving(self, err);
  if (done == CK_OK) done = read_node(&node, self, err);
  const char *where = failed || self->failed_node ? node : NULL;
  if (done == CK_OK) done = append_closing(self, status, reason, where, saved.id, result, err);
  if (done == CK_OK) done = close_run(self, status, reason, node, err);
  free(node);
  return done;
}

ck_status ck_session_end_for(ck_session *self, ck_session_status status, const char *reason,
                             const ck_value *result, ck_error *err) {
  char *kept;
  ck_status done = clean_reason(&kept, self, status, reason, err);
  if (done == CK_OK) done = end(self, status, kept, result, err);
  free(kept);
  return done;
}

ck_status ck_session_end(ck_session *self, ck_session_status status, const char *reason,
                         const ck_value *result, ck_error *err) {
  ck_status checked = status == CK_SESSION_PAUSED ? ck_pause_reason_check(reason, err) : CK_OK;
  return checked == CK_OK ? ck_session_end_for(self, status, reason, result, err) : checked;
}

ck_status ck_session_pause(ck_session *self, const char *reason, ck_error *err) {
  return ck_session_end(self, CK_SESSION_PAUSED, reason ? reason : "user_requested", NULL, err);
}

/* False: the store does not take it; a failure was already reported to whoever waited. What there
 * is no memory to write is as if the process had died before it. */
static bool flush(ck_session *self) {
  ck_error ignored = CK_ERROR_INIT;
  if (!self->channel) return true;
  ck_status status = ck_session_flush(self, CK_DURABLE_PROCESS, &ignored);
  if (status == CK_E_NO_MEMORY && ck_reserve_use())
    status = ck_session_flush(self, CK_DURABLE_PROCESS, &ignored);
  return status == CK_OK || status == CK_E_NO_MEMORY;
}

bool ck_session_park(ck_session *self, ck_status cause, const char *reason) {
  char *kept;
  ck_error ignored = CK_ERROR_INIT;
  if (cause == CK_E_FENCED || cause == CK_E_LAPSED || self->record.status != CK_SESSION_RUNNING ||
      !self->lease.session)
    return false;
  if (cause == CK_E_NO_MEMORY) ck_reserve_use();
  /* What a store that works has not taken yet comes first. */
  if (ck_status_exit(cause) != ck_status_exit(CK_E_IO)) flush(self);
  if (clean(&kept, self, reason, &ignored) != CK_OK) kept = NULL;
  ck_session_update update = {.status = CK_SESSION_PAUSED,
                              .reason = kept ? kept : ck_status_text(cause)};
  ck_batch batch = {.lease = self->lease, .update = &update, .durability = CK_DURABLE_POWER};
  bool parked =
      ck_store_commit(self->runtime->store, &batch, 1, &ignored) == CK_OK && batch.status == CK_OK;
  if (parked) ck_session_set_status(self, CK_SESSION_PAUSED);
  free(kept);
  return parked;
}

void ck_session_leave_for(ck_session *self, const char *reason) {
  ck_error ignored = CK_ERROR_INIT;
  if (self->record.status != CK_SESSION_RUNNING || !self->lease.session || !flush(self)) return;
  ck_status status = append_closing(self, CK_SESSION_PAUSED, reason, NULL, NULL, NULL, &ignored);
  if (status == CK_OK) status = close_run(self, CK_SESSION_PAUSED, reason, NULL, &ignored);
  if (status != CK_OK) ck_session_park(self, status, reason);
}

void ck_session_leave(ck_session *self, const char *reason) {
  char said[CK_PAUSE_REASON_SIZE + 16];
  int64_t from_ms;
  bool goes_on = ck_pause_reason_goes_on(&from_ms, reason);
  if (goes_on) snprintf(said, sizeof said, CK_PAUSE_QUOTED, reason);
  ck_session_leave_for(self, goes_on ? said : reason);
}

/* It is left paused, so that its next resume does not take this run for one that died. Where the
 * store has failed, or the session is fenced, the row stays as it is. */
void ck_session_close(ck_session *self) {
  if (!self) return;
  if (flush(self)) ck_session_park(self, CK_E_PAUSED, "its program closed it without ending it");
  ck_channel_free(self->channel);
  self->channel = NULL;
  if (self->lease.session) ck_store_release(self->runtime->store, self->lease);
  ck_session_free(self);
}

ck_status ck_session_delete(ck_session *self, ck_error *err) {
  int64_t freed;
  ck_status status = ck_session_flush(self, CK_DURABLE_PROCESS, err);
  if (status == CK_OK)
    status = ck_store_delete_session(self->runtime->store, self->lease, false, err);
  if (status != CK_OK) return status;
  ck_session_drop_lease(self);
  /* Where the pages cannot be freed, the store uses them again all the same. */
  ck_error ignored = CK_ERROR_INIT;
  if (ck_store_vacuum(&freed, self->runtime->store, &ignored) != CK_OK) freed = 0;
  return CK_OK;
}
