/* asked.c - gathers who asks for a checkpoint until a boundary takes one. */
#include "core/runtime/session/asked.h"

#include "core/runtime/session/session_private.h"

void ck_asked_clear(ck_asked *self) {
  ck_buffer_clear(&self->requests);
  ck_buffer_clear(&self->description);
}

/* Both are made whole first, so that one that finds no memory asks for nothing. */
ck_status ck_session_ask_checkpoint(ck_session *self, const char *request, const char *description,
                                    ck_error *err) {
  ck_asked with = {0};
  const ck_asked *before = &self->asked;
  ck_bytes others = ck_buffer_bytes(&before->requests);
  ck_json_writer w = {.out = &with.requests};
  ck_json_begin(&w, '[');
  if (others.len)
    for (ck_json_iterator it = ck_json_iterate(others); ck_json_next(&it);)
      ck_json_put_raw(&w, it.value);
  ck_json_put_text(&w, request);
  ck_json_end(&w, ']');
  ck_buffer_append_bytes(&with.description, ck_buffer_bytes(&before->description));
  if (description && with.description.len) ck_buffer_append_text(&with.description, "; ");
  if (description) ck_buffer_append_text(&with.description, description);
  ck_status status = ck_buffer_check(&with.requests, err);
  if (status == CK_OK) status = ck_buffer_check(&with.description, err);
  if (status != CK_OK) {
    ck_asked_clear(&with);
    return status;
  }
  ck_asked_clear(&self->asked);
  self->asked = with;
  return CK_OK;
}

void ck_session_show_asked(ck_boundary *at, const ck_session *self) {
  const ck_asked *asked = &self->asked;
  at->asked = asked->requests.len ? asked->requests.data : NULL;
  if (asked->description.len) at->description = asked->description.data;
}
