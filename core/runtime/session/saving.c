/* saving.c - opens a session's channel, and records when saving begins to fail and when it works
 * again. */
#include "core/runtime/session/saving.h"

#include "core/runtime/session/session_private.h"

ck_status ck_session_open_channel(ck_session *self, ck_error *err) {
  const ck_profile *profile = self->profile;
  ck_status status =
      ck_channel_new(&self->channel, self->runtime->writer, self->lease, self->runtime->waker, err);
  if (status != CK_OK || !profile || !profile->continue_on_save_failure) return status;
  ck_channel_allow_unsaved(self->channel, &(ck_unsaved_limits){profile->unsaved_checkpoints,
                                                               profile->unsaved_ms * 1000});
  return CK_OK;
}

size_t ck_session_compress_from(const ck_session *self) {
  const ck_profile *profile = self->profile;
  if (!profile) return 0;
  if (!profile->compress) return SIZE_MAX;
  return profile->compression_threshold > 0 ? (size_t)profile->compression_threshold : 1;
}

void ck_session_get_saving(ck_saving *out, const ck_session *self) {
  *out = (ck_saving){0};
  if (self->channel) ck_channel_get_saving(out, self->channel);
}

bool ck_session_is_unsaved(ck_session *self, uint64_t ticket) {
  return ck_channel_is_unsaved(self->channel, ticket);
}

static ck_status append(ck_session *self, ck_buffer *text, ck_error *err) {
  ck_value *body = NULL;
  ck_status status = ck_value_from(&body, text, err);
  if (status == CK_OK) status = ck_session_append(self, CK_EVENT_SAVING, NULL, NULL, body, err);
  ck_value_free(body);
  return status;
}

static ck_status append_failing(ck_session *self, const ck_saving *now, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "what", "failing");
  ck_json_member_text(&w, "error", now->cause);
  ck_json_end(&w, '}');
  ck_status status = append(self, &text, err);
  ck_buffer_clear(&text);
  self->saving.failing = true;
  self->saving.since_us = now->since_us;
  return status;
}

/* `late`: checkpoints that came late in all. What is said of the time between is from when the
 * first of them was queued. */
static ck_status append_saved(ck_session *self, int64_t late, ck_error *err) {
  const ck_clock *clock = &self->runtime->clock;
  int64_t since = self->saving.since_us;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "what", "saved");
  ck_json_member_int(&w, "checkpoints", late - self->saving.late);
  if (since) ck_json_member_int(&w, "ms", (clock->mono_us(clock->self) - since) / 1000);
  ck_json_end(&w, '}');
  ck_status status = append(self, &text, err);
  ck_buffer_clear(&text);
  self->saving.failing = false;
  self->saving.since_us = 0;
  self->saving.late = late;
  return status;
}

ck_status ck_session_watch_saving(ck_saving *out, bool *changed, ck_session *self, ck_error *err) {
  ck_session_get_saving(out, self);
  bool began = out->failing && !self->saving.failing;
  bool over = !out->failing && (self->saving.failing || out->times > self->saving.times);
  *changed = began || over;
  self->saving.times = out->times;
  if (began) return append_failing(self, out, err);
  return over ? append_saved(self, out->late, err) : CK_OK;
}

/* The closing rows are only written behind all that waits: when they are in the store, this is
 * true. */
ck_status ck_session_close_saving(ck_session *self, ck_error *err) {
  ck_saving now;
  bool changed;
  ck_status status = ck_session_watch_saving(&now, &changed, self, err);
  return status == CK_OK && now.failing ? append_saved(self, now.late + now.checkpoints, err)
                                        : status;
}
