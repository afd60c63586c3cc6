/* kept_sums.c - adds up the events of a running session, and puts the sums into checkpoints. */
#include "core/runtime/session/kept_sums.h"

#include "core/runtime/session/session_private.h"
#include "core/store/session_sums.h"

/* An event that cannot be read may be one that the run does not need. */
ck_status ck_session_load_sums(ck_session *self, int64_t session, int64_t until, ck_error *err) {
  ck_error unreadable = CK_ERROR_INIT;
  ck_sums_clear(&self->sums);
  const ck_sums_query query = {
      .session = session, .until = until, .most = CK_SUMS_MOST, .said = true};
  ck_status status = ck_store_get_sums(&self->sums, self->runtime->store, &query, &unreadable);
  self->sums.failed |= status != CK_OK;
  return status == CK_E_NO_MEMORY ? ck_error_no_memory(err) : CK_OK;
}

void ck_session_take_sums(ck_session *self, const ck_event *event) {
  if (!self->sums.failed) ck_sums_take(&self->sums, event, ck_value_bytes(event->body));
}

/* The longer they are the more seldom, so that they take a few bytes for each event at most. */
static bool are_due(const ck_session *self, int64_t seq) {
  const ck_sums *sums = &self->sums;
  int64_t every = self->runtime->sums_every ? self->runtime->sums_every : CK_SUMS_EVERY;
  return seq - sums->kept >= every + every * (int64_t)(sums->count + sums->open.count) / 64;
}

/* Behind the redactor, which could take numbers for something else; what is in it was redacted. */
ck_status ck_session_put_sums(ck_value **info, ck_session *self, int64_t seq, ck_error *err) {
  bool due = are_due(self, seq);
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  if (self->sums.failed || (!due && !self->sums.kept)) return CK_OK;
  ck_json_begin(&w, '{');
  ck_json_put_members(&w, ck_value_bytes(*info), NULL);
  ck_json_name(&w, CK_SUMS_MEMBER);
  if (due)
    ck_sums_write(&text, &self->sums);
  else
    ck_buffer_append_format(&text, "%lld", (long long)self->sums.kept);
  w.comma = true;
  ck_json_end(&w, '}');
  ck_value *made = NULL;
  ck_status status = ck_value_from(&made, &text, err);
  ck_buffer_clear(&text);
  if (status != CK_OK) return status;
  ck_value_free(*info);
  *info = made;
  if (due) self->sums.kept = seq;
  return CK_OK;
}
