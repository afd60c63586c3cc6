/* queued.c - marks the runs of sessions that workers run, and reads these marks. */
#include "core/host/session/queued.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/session/next_command.h"
#include "core/runtime/session/opening/resume.h"
#include "core/runtime/session/plain_name.h"

enum { LABEL_MAX = 64 };

static ck_status check_label(const char *label, ck_error *err) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  size_t len = strlen(label);
  if (len > 0 && len <= LABEL_MAX && strspn(label, letters) == len) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "--label '%.80s': letters, digits and \". _ -\", from 1 to %d of them", label,
                      LABEL_MAX);
}

ck_status ck_queued_mark(ck_value **out, const ck_words *labels, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_status status = CK_OK;
  *out = NULL;
  ck_json_begin(&w, '{');
  if (labels->count) {
    ck_json_name(&w, "labels");
    ck_json_begin(&w, '[');
    for (size_t i = 0; status == CK_OK && i < labels->count; i++) {
      status = check_label(labels->list[i], err);
      ck_json_put_text(&w, labels->list[i]);
    }
    ck_json_end(&w, ']');
  }
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_queued_check_labels(const ck_words *labels, bool queued, ck_error *err) {
  if (!labels->count || queued) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "--label goes with --detach: only workers look for sessions by labels");
}

ck_status ck_queued_check_store(const char *url, ck_error *err) {
  if (strcmp(url, "memory:") != 0) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "a store in memory ends with its process, and no worker finds a session in "
                      "it: give --store sqlite:PATH or postgres://…, or take 'ckrun run'");
}

ck_status ck_queued_check_masked(const ck_value *mark, const ck_policy_engine *policies,
                                 ck_error *err) {
  ck_bytes labels = mark ? ck_json_get(ck_value_bytes(mark), "labels") : (ck_bytes){0};
  ck_status status = CK_OK;
  for (ck_json_iterator it = ck_json_iterate(labels); status == CK_OK && ck_json_next(&it);) {
    char *label = ck_json_dup_string(it.value);
    if (!label) return ck_error_no_memory(err);
    status = ck_plain_name_check(policies, "label", label,
                                 "give another --label, to the session and to its workers", err);
    free(label);
  }
  return status;
}

ck_bytes ck_queued_of(const ck_last_run *last) {
  return last->about ? ck_json_get(ck_value_bytes(last->about), "queued") : (ck_bytes){0};
}

static bool has(const ck_words *labels, ck_bytes wanted) {
  for (size_t i = 0; i < labels->count; i++)
    if (ck_json_is_text(wanted, labels->list[i])) return true;
  return false;
}

bool ck_queued_fits(ck_bytes mark, const ck_words *labels) {
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(mark, "labels")); ck_json_next(&it);)
    if (!has(labels, it.value)) return false;
  return true;
}

void ck_queued_append_command(ck_buffer *out, const ck_host *host, ck_bytes mark) {
  ck_next_command_append(out, host, "worker");
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(mark, "labels")); ck_json_next(&it);) {
    char *label = ck_json_dup_string(it.value);
    if (label) ck_next_command_append_option(out, "--label", label);
    out->failed |= !label;
    free(label);
  }
}

/* A pause that a person asked for is not undone by a worker. */
bool ck_queued_is_due(const ck_session_record *record) {
  int64_t from_ms;
  bool pardoned = record->status == CK_SESSION_FAILING && !ck_session_is_failing(record);
  if (record->status == CK_SESSION_RUNNING || pardoned) return true;
  return record->status == CK_SESSION_PAUSED && ck_pause_reason_goes_on(&from_ms, record->reason);
}

int64_t ck_queued_from(const ck_session_record *record) {
  int64_t from_ms = 0;
  bool paused = record->status == CK_SESSION_PAUSED;
  return paused && ck_pause_reason_goes_on(&from_ms, record->reason) ? from_ms : 0;
}

void ck_queued_append_words(ck_buffer *out, ck_bytes mark) {
  const char *before = " with ";
  ck_buffer_append_text(out, "for workers");
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(mark, "labels")); ck_json_next(&it);) {
    ck_buffer_append_text(out, before);
    ck_json_read_string(out, it.value);
    before = ", ";
  }
}
