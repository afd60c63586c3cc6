/* restored.c - writes the note and the position of a restored document, and pauses its session. */
#include "core/runtime/portable/restored.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/runtime/session/session_private.h"

static void begin(ck_restored *self, ck_session *session) {
  *self = (ck_restored){.session = session};
  self->w.out = &self->json;
  ck_json_begin(&self->w, '{');
}

static ck_status end(ck_value **out, ck_restored *self, ck_error *err) {
  ck_json_end(&self->w, '}');
  ck_status status = ck_value_from(out, &self->json, err);
  ck_buffer_clear(&self->json);
  return status;
}

void ck_restored_begin_note(ck_restored *self, ck_session *session, const char *type) {
  begin(self, session);
  ck_json_member_text(&self->w, "type", type);
}

ck_status ck_restored_append_note(ck_restored *self, ck_error *err) {
  ck_value *body = NULL;
  ck_status status = end(&body, self, err);
  if (status == CK_OK)
    status = ck_session_append(self->session, CK_EVENT_NOTE, NULL, NULL, body, err);
  ck_value_free(body);
  return status;
}

void ck_restored_begin_position(ck_restored *self, ck_session *session, const char *loop,
                                int64_t count) {
  char path[32];
  snprintf(path, sizeof path, "%s#%" PRId64, loop, count);
  begin(self, session);
  ck_json_member_int(&self->w, "cut", ck_session_next_seq(session));
  ck_json_name(&self->w, "at");
  ck_json_begin(&self->w, '{');
  ck_json_member_text(&self->w, "path", path);
}

ck_status ck_restored_put_position(ck_restored *self, ck_error *err) {
  ck_value *position = NULL;
  ck_json_end(&self->w, '}');
  ck_status status = end(&position, self, err);
  if (status == CK_OK) status = ck_session_put(self->session, "position.main", position, err);
  ck_value_free(position);
  return status;
}

ck_status ck_restored_pause(ck_session *session, ck_error *err) {
  return ck_session_end(session, CK_SESSION_PAUSED, "imported", NULL, err);
}
