/* run_settings.c - reads and shows what a recorded run had set over its profile. */
#include "core/host/session/run_settings.h"

#include "core/host/session/last_run.h"
#include "core/redact/redact.h"

/* ---- as words ---- */

static void append_policies(ck_buffer *out, ck_bytes list) {
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it);) {
    ck_buffer_append_text(out, " --policy ");
    ck_json_read_string(out, it.value);
  }
}

static void append_options(ck_buffer *out, ck_bytes policies) {
  for (ck_json_iterator policy = ck_json_iterate(policies); ck_json_next(&policy);) {
    if (ck_json_type_of(policy.value) != CK_JSON_OBJECT) continue;
    for (ck_json_iterator option = ck_json_iterate(policy.value); ck_json_next(&option);) {
      ck_buffer_append_text(out, " --option ");
      ck_json_read_string(out, policy.name);
      ck_buffer_append_char(out, '.');
      ck_json_read_string(out, option.name);
      if (ck_redact_is_masked(option.value)) {
        ck_buffer_append_text(out, " (masked: to be given anew)");
        continue;
      }
      ck_buffer_append_char(out, '=');
      if (!ck_json_read_string(out, option.value)) ck_buffer_append_bytes(out, option.value);
    }
  }
}

void ck_run_settings_append(ck_buffer *out, ck_bytes settings) {
  if (ck_json_type_of(settings) != CK_JSON_OBJECT) return;
  ck_bytes policies = ck_json_get(settings, "policies"), options = ck_json_get(settings, "options");
  if (ck_json_type_of(policies) == CK_JSON_ARRAY) append_policies(out, policies);
  if (ck_json_type_of(options) == CK_JSON_OBJECT) append_options(out, options);
}

/* ---- from the record ---- */

static bool begins_run(const ck_event *event) {
  return event->kind == CK_EVENT_SESSION_STARTED || event->kind == CK_EVENT_SESSION_RESUMED;
}

ck_bytes ck_run_settings_of(const ck_event *event) {
  if (!begins_run(event)) return (ck_bytes){0};
  return ck_json_get(ck_value_bytes(event->body), "settings");
}

typedef struct reading {
  ck_value *settings;
  bool begins; /* the event begins a run */
  ck_status status;
  ck_error *err;
} reading;

static bool take_event(void *to, const ck_event *event) {
  reading *self = to;
  ck_bytes found = ck_run_settings_of(event);
  self->begins = begins_run(event);
  if (found.len > 0) self->status = ck_value_copy(&self->settings, found, self->err);
  return false;
}

static ck_status read_first(reading *self, ck_store *store, const ck_head *head,
                            const ck_timeline *timeline, ck_error *err) {
  ck_event_query query = {
      .session = head->session.no, .after = timeline->begin - 1, .until = timeline->begin};
  *self = (reading){.err = err};
  ck_status status = ck_store_read_events(store, &query, take_event, self, err);
  return status == CK_OK ? self->status : status;
}

ck_status ck_run_settings_read(ck_value **out, ck_store *store, const ck_head *head,
                               int64_t timeline, ck_error *err) {
  reading found = {0};
  ck_status status = CK_OK;
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].no == timeline)
      status = read_first(&found, store, head, &head->timelines[i], err);
  *out = found.settings;
  return status;
}

/* What a person did at rest has a timeline of its own, and executed nothing: an answer to a
 * question begins one as a run does. Where runs have kept nothing of themselves, that is not known.
 */
ck_status ck_run_settings_read_last(ck_value **out, ck_store *store, const ck_head *head,
                                    ck_error *err) {
  reading found = {0};
  ck_last_run last;
  *out = NULL;
  ck_status status = ck_last_run_read(&last, store, head, err);
  int64_t timeline = last.about ? last.timeline : 0;
  ck_last_run_clear(&last);
  if (status == CK_OK && timeline) return ck_run_settings_read(out, store, head, timeline, err);
  for (size_t i = head->timeline_count; status == CK_OK && !found.begins && i-- > 0;)
    status = read_first(&found, store, head, &head->timelines[i], err);
  *out = found.settings;
  return status;
}
