/* unfinished_scrub.c - reads the note that a scrub leaves until its end. */
#include "core/host/session/unfinished_scrub.h"

#include <stdlib.h>

#include "core/host/print/format.h"
#include "core/store/scrub.h"

ck_status ck_scrub_unfinished_append(ck_buffer *out, ck_store *store, ck_error *err) {
  ck_buffer note = {0};
  int64_t at_ms = 0;
  ck_status status = ck_store_get_scrub(&note, store, err);
  ck_bytes json = ck_buffer_bytes(&note);
  if (status == CK_OK && json.len && ck_json_check(json, NULL) == CK_OK) {
    char *session = ck_json_dup_string(ck_json_get(json, "session"));
    ck_json_read_int(&at_ms, ck_json_get(json, "at_ms"));
    ck_buffer_append_text(out, "a scrub of ");
    ck_buffer_append_text(out, session ? "session " : "all sessions");
    ck_buffer_append_text(out, session ? session : "");
    ck_buffer_append_text(out, " was begun at ");
    ck_format_time(out, at_ms);
    ck_buffer_append_text(out, " and did not come to its end, so what it was to take out may be "
                               "there: give the same 'ckrun sessions scrub' again");
    free(session);
  }
  ck_buffer_clear(&note);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

ck_status ck_scrub_unfinished_tell(ck_output *output, ck_store *store, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = ck_scrub_unfinished_append(&text, store, err);
  if (status == CK_OK && text.len) ck_output_notice(output, "%s", text.data);
  ck_buffer_clear(&text);
  return status;
}
