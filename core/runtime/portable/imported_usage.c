/* imported_usage.c - reads the input that an import has written (import_write.c). */
#include "core/runtime/portable/imported_usage.h"

#include <string.h>

#include "core/base/json.h"

static int64_t number(ck_bytes json, const char *name, int64_t otherwise) {
  int64_t found;
  return ck_json_read_int(&found, ck_json_get(json, name)) && found >= 0 ? found : otherwise;
}

void ck_imported_usage_read(ck_imported_usage *out, const ck_session_record *session) {
  bool imported = session->input && session->profile && strcmp(session->profile, "imported") == 0;
  ck_bytes of = imported ? ck_json_get(ck_value_bytes(session->input), "import") : (ck_bytes){0};
  out->cost_micros = number(of, "cost", -1);
  out->input_tokens = number(of, "input_tokens", 0);
  out->output_tokens = number(of, "output_tokens", 0);
}

void ck_imported_usage_meet(ck_imported_usage *self, const ck_event *event) {
  if (event->kind != CK_EVENT_OUTCOME) return;
  ck_bytes body = ck_value_bytes(event->body);
  if (!ck_json_is_text(ck_json_get(body, "via"), "import")) return;
  if (number(body, "cost", 0) > 0) self->cost_micros = -1;
  if (number(body, "input_tokens", 0) + number(body, "output_tokens", 0) > 0)
    self->input_tokens = self->output_tokens = 0;
}
