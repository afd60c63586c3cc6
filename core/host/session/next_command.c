/* next_command.c - the command line that continues with a session. */
#include "core/host/session/next_command.h"

#include <string.h>

#include "core/base/shell_word.h"
#include "core/host/session/key_source.h"

ck_status ck_next_command_refusal(const ck_session_record *record) {
  static const ck_status refusals[] = {CK_E_CONTEXT, CK_E_REQUEST, CK_E_REFUSAL};
  if (record->status != CK_SESSION_FAILED || !record->failure) return CK_OK;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (strcmp(record->failure, ck_status_name(refusals[i])) == 0) return refusals[i];
  return CK_OK;
}

const char *ck_next_command_words(const ck_session_record *record, bool doubts) {
  ck_status refusal = ck_next_command_refusal(record);
  if (record->status == CK_SESSION_WAITING) return "answer %s TEXT";
  if (record->status == CK_SESSION_IN_DOUBT && doubts) return "resolve %s EFFECT done|retry|abort";
  if (record->status == CK_SESSION_FAILING) return "resume %s --retry";
  if (refusal == CK_E_CONTEXT || refusal == CK_E_REFUSAL)
    return "sessions rewind %s --to CHECKPOINT --report TEXT";
  if (refusal == CK_E_REQUEST) return "resume %s --profile PROFILE";
  return "resume %s";
}

void ck_next_command_append_option(ck_buffer *out, const char *option, const char *value) {
  ck_buffer_append_format(out, " %s%s", option ? option : "", option ? " " : "");
  ck_shell_word_append(out, value);
}

/* As a whole the command stands in single quotes in most messages. */
static void append_place(ck_buffer *out, const char *option, const char *value) {
  ck_buffer_append_format(out, " %s ", option);
  ck_shell_word_append_quoted(out, value);
}

void ck_next_command_append(ck_buffer *out, const ck_host *host, const char *words) {
  ck_buffer_append_text(out, "ckrun");
  if (host->store) append_place(out, "--store", host->store);
  bool named = host->key && strcmp(host->key, "env:CKRUN_KEY") != 0 &&
               strcmp(host->key, CK_KEY_SOURCE_COMMAND) != 0;
  if (named) append_place(out, "--key", host->key);
  ck_buffer_append_char(out, ' ');
  ck_buffer_append_text(out, words);
}
