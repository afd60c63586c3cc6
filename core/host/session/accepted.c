/* accepted.c - who accepted what as changed at a resume. */
#include "core/host/session/accepted.h"

#include "core/base/person.h"
#include "core/host/session/policy_changes.h"

enum { LINE_MAX_BYTES = 600, DIGEST_SHOWN = 12 };

ck_bytes ck_accepted_of(const ck_event *event) {
  if (event->kind != CK_EVENT_SESSION_RESUMED) return (ck_bytes){0};
  ck_bytes found = ck_json_get(ck_value_bytes(event->body), "accepted");
  return ck_json_type_of(found) == CK_JSON_OBJECT ? found : (ck_bytes){0};
}

void ck_accepted_append_person(ck_buffer *out, ck_bytes accepted) {
  ck_person_append(out, accepted);
  ck_buffer_append_text(out, " with ");
  ck_json_read_string(out, ck_json_get(accepted, "with"));
}

static void append_digest(ck_buffer *out, ck_bytes digest) {
  if (digest.len > DIGEST_SHOWN) ck_buffer_append(out, digest.data + 1, DIGEST_SHOWN);
}

void ck_accepted_append_flow(ck_buffer *out, ck_bytes accepted) {
  ck_bytes flow = ck_json_get(accepted, "flow");
  if (!flow.len) return;
  ck_buffer_append_text(out, "the flow ");
  ck_json_read_string(out, ck_json_get(flow, "file"));
  ck_buffer_append_text(out, " was ");
  append_digest(out, ck_json_get(flow, "was"));
  ck_buffer_append_text(out, " and is ");
  append_digest(out, ck_json_get(flow, "now"));
}

void ck_accepted_append(ck_buffer *out, const ck_event *event) {
  ck_bytes accepted = ck_accepted_of(event), policies = ck_json_get(accepted, "policies");
  if (!accepted.len) return;
  ck_buffer_append_text(out, "; accepted by ");
  ck_accepted_append_person(out, accepted);
  ck_buffer_append_text(out, ": ");
  ck_accepted_append_flow(out, accepted);
  if (ck_json_get(accepted, "flow").len && policies.len) ck_buffer_append_text(out, "; ");
  if (policies.len) ck_policy_changes_append(out, policies, LINE_MAX_BYTES);
}

static void end(ck_buffer *out) { ck_buffer_append(out, "", 1); }

void ck_accepted_append_sentences(ck_buffer *out, ck_bytes accepted) {
  ck_bytes policies = ck_json_get(accepted, "policies"), flow = ck_json_get(accepted, "flow");
  if (!accepted.len) return;
  ck_buffer_append_text(out, policies.len && flow.len ? "a changed flow and changed policies were"
                             : flow.len               ? "a changed flow was"
                                                      : "changed policies were");
  ck_buffer_append_text(out, " accepted by ");
  ck_accepted_append_person(out, accepted);
  end(out);
  if (flow.len) {
    ck_accepted_append_flow(out, accepted);
    end(out);
  }
  for (ck_json_iterator it = ck_json_iterate(policies); ck_json_next(&it);) {
    ck_policy_change_append(out, it.value);
    end(out);
  }
}
