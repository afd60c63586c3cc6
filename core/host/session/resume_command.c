/* resume_command.c - writes the command that goes on with a session as its last run was. */
#include "core/host/session/resume_command.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/session/last_run.h"
#include "core/host/session/next_command.h"
#include "core/host/session/run_settings.h"

/* " OPTION VALUE" of a JSON string. */
static void append_text(ck_buffer *out, const char *option, ck_bytes text) {
  char *value = ck_json_dup_string(text);
  if (value) ck_next_command_append_option(out, option, value);
  out->failed |= !value;
  free(value);
}

typedef struct settings_words {
  ck_buffer *out, masked;
} settings_words;

/* What is masked has no value: whoever runs it so is told what --option takes. */
static ck_status append_setting(void *to, const ck_run_setting *setting, ck_error *err) {
  settings_words *self = to;
  if (setting->masked)
    ck_buffer_append_format(&self->masked, "%s%s", self->masked.len ? ", " : "", setting->word);
  ck_next_command_append_option(self->out, setting->option, setting->word);
  return ck_buffer_check(self->out, err);
}

/* What a shell takes for a comment. */
static void append_hint(ck_buffer *out, ck_buffer *masked) {
  if (masked->len)
    ck_buffer_append_format(out, "  # to be given anew, for it is masked where it is stored: %.*s",
                            (int)masked->len, masked->data);
  out->failed |= masked->failed;
  ck_buffer_clear(masked);
}

static ck_status append_settings(ck_buffer *out, ck_bytes settings, ck_error *err) {
  settings_words words = {.out = out};
  ck_status status = ck_run_settings_visit(settings, append_setting, &words, err);
  append_hint(out, &words.masked);
  return status;
}

static ck_status append_last(ck_buffer *out, ck_store *store, const ck_head *head, bool profile,
                             ck_error *err) {
  ck_last_run last = {0};
  ck_value *settings = NULL;
  ck_status status = ck_last_run_read(&last, store, head, err);
  if (status == CK_OK) status = ck_run_settings_read_last(&settings, store, head, err);
  if (status == CK_OK && profile && ck_last_run_profile(&last).len)
    append_text(out, "--profile", ck_last_run_profile(&last));
  if (status == CK_OK && settings) status = append_settings(out, ck_value_bytes(settings), err);
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
