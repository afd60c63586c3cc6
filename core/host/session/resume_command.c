/* resume_command.c - writes the command that goes on with a session as its last run was. */
#include "core/host/session/resume_command.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/session/last_run.h"
#include "core/host/session/next_command.h"
#include "core/host/session/run_settings.h"
#include "core/redact/redact.h"

/* " OPTION VALUE" of a JSON string. */
static void append_text(ck_buffer *out, const char *option, ck_bytes text) {
  char *value = ck_json_dup_string(text);
  if (value) ck_next_command_append_option(out, option, value);
  out->failed |= !value;
  free(value);
}

/* Without its value, which is masked: whoever runs it so is told what --option takes. */
static void append_value(ck_buffer *out, ck_buffer *masked, const ck_json_iterator *policy,
                         const ck_json_iterator *option) {
  ck_bytes value = option->value;
  ck_buffer word = {0};
  ck_json_read_string(&word, policy->name);
  ck_buffer_append_char(&word, '.');
  ck_json_read_string(&word, option->name);
  if (ck_redact_is_masked(value)) {
    ck_buffer_append_text(masked, masked->len ? ", " : "");
    ck_buffer_append_bytes(masked, ck_buffer_bytes(&word));
  } else {
    ck_buffer_append_char(&word, '=');
    if (!ck_json_read_string(&word, value)) ck_buffer_append_bytes(&word, value);
  }
  ck_buffer_append(&word, "", 1);
  if (!word.failed) ck_next_command_append_option(out, "--option", word.data);
  out->failed |= word.failed;
  ck_buffer_clear(&word);
}

/* What a shell takes for a comment. */
static void append_hint(ck_buffer *out, ck_buffer *masked) {
  if (masked->len)
    ck_buffer_append_format(out, "  # to be given anew, for it is masked where it is stored: %.*s",
                            (int)masked->len, masked->data);
  out->failed |= masked->failed;
  ck_buffer_clear(masked);
}

static void append_settings(ck_buffer *out, ck_bytes settings) {
  ck_buffer masked = {0};
  ck_bytes policies = ck_json_get(settings, "policies"), options = ck_json_get(settings, "options");
  for (ck_json_iterator it = ck_json_iterate(policies); ck_json_next(&it);)
    append_text(out, "--policy", it.value);
  for (ck_json_iterator policy = ck_json_iterate(options); ck_json_next(&policy);)
    for (ck_json_iterator option = ck_json_iterate(policy.value); ck_json_next(&option);)
      append_value(out, &masked, &policy, &option);
  append_hint(out, &masked);
}

static ck_status append_last(ck_buffer *out, ck_store *store, const ck_head *head, bool profile,
                             ck_error *err) {
  ck_last_run last = {0};
  ck_value *settings = NULL;
  ck_status status = ck_last_run_read(&last, store, head, err);
  if (status == CK_OK) status = ck_run_settings_read_last(&settings, store, head, err);
  if (status == CK_OK && profile && ck_last_run_profile(&last).len)
    append_text(out, "--profile", ck_last_run_profile(&last));
  if (status == CK_OK && settings) append_settings(out, ck_value_bytes(settings));
  ck_value_free(settings);
  ck_last_run_clear(&last);
  return status;
}

ck_status ck_resume_command_append(ck_buffer *out, const ck_host *host, ck_store *store,
                                   const ck_head *head, const char *words, ck_error *err) {
  ck_buffer filled = {0};
  ck_buffer_append_format(&filled, words, head->session.id);
  if (!filled.failed) ck_next_command_append(out, host, filled.data);
  ck_status status = ck_buffer_check(&filled, err);
  if (status == CK_OK && strncmp(words, "resume ", 7) == 0)
    status = append_last(out, store, head, !strstr(words, "--profile"), err);
  ck_buffer_clear(&filled);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}
