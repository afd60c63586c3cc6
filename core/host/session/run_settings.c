/* run_settings.c - reads and shows what a recorded run had set over its profile. */
#include "core/host/session/run_settings.h"

#include "core/host/session/last_run.h"
#include "core/redact/redact.h"

/* ---- as words ---- */

static ck_status visit_word(ck_buffer *word, ck_run_setting setting, ck_run_setting_visit visit,
                            void *to, ck_error *err) {
  ck_buffer_append(word, "", 1);
  ck_status status = ck_buffer_check(word, err);
  setting.word = word->data;
  if (status == CK_OK) status = visit(to, &setting, err);
  ck_buffer_clear(word);
  return status;
}

/* As --option takes it back: what is JSON is that, and all else a text. */
static void append_value(ck_buffer *out, ck_bytes value) {
  ck_buffer text = {0};
  ck_error ignored = CK_ERROR_INIT;
  bool plain =
      ck_json_read_string(&text, value) && ck_json_check(ck_buffer_bytes(&text), &ignored) != CK_OK;
  ck_buffer_append_bytes(out, plain ? ck_buffer_bytes(&text) : value);
  out->failed |= text.failed;
  ck_buffer_clear(&text);
}

static ck_status visit_option(ck_bytes policy, const ck_json_iterator *option,
                              ck_run_setting_visit visit, void *to, ck_error *err) {
  ck_run_setting setting = {.option = "--option", .masked = ck_redact_is_masked(option->value)};
  ck_buffer word = {0};
  ck_json_read_string(&word, policy);
  ck_buffer_append_char(&word, '.');
  ck_json_read_string(&word, option->name);
  if (!setting.masked) {
    ck_buffer_append_char(&word, '=');
    append_value(&word, option->value);
  }
  return visit_word(&word, setting, visit, to, err);
}

ck_status ck_run_settings_visit(ck_bytes settings, ck_run_setting_visit visit, void *to,
                                ck_error *err) {
  ck_bytes policies = ck_json_get(settings, "policies"), options = ck_json_get(settings, "options");
  ck_status status = CK_OK;
  for (ck_json_iterator it = ck_json_iterate(policies); status == CK_OK && ck_json_next(&it);) {
    ck_buffer word = {0};
    ck_json_read_string(&word, it.value);
    status = visit_word(&word, (ck_run_setting){.option = "--policy"}, visit, to, err);
  }
  for (ck_json_iterator policy = ck_json_iterate(options);
       status == CK_OK && ck_json_next(&policy);)
    for (ck_json_iterator option = ck_json_iterate(policy.value);
         status == CK_OK && ck_json_next(&option);)
      status = visit_option(policy.name, &option, visit, to, err);
  return status;
}

static ck_status append_setting(void *to, const ck_run_setting *setting, ck_error *err) {
  ck_buffer_append_format(to, " %s %s%s", setting->option, setting->word,
                          setting->masked ? " (masked: to be given anew)" : "");
  return ck_buffer_check(to, err);
}

void ck_run_settings_append(ck_buffer *out, ck_bytes settings) {
  ck_error ignored = CK_ERROR_INIT;
  out->failed |= ck_run_settings_visit(settings, append_setting, out, &ignored) != CK_OK;
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
