/* amend.c - --set, --set-env, --set-file and --limit: edits of a session's state from the command
 * line. */
#include "core/host/run/amend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/cli/value_word.h"
#include "core/host/session/launch.h"
#include "core/runtime/budget/usage.h"

/* Name spaces of the state that a person may write to; any other key is in the memory. */
static const char *const places[] = {"memory.", "outputs.", "scratch."};

static ck_status take_key(ck_buffer *out, const char *option, const char *word, ck_error *err) {
  size_t len = strcspn(word, "=");
  bool placed = false;
  /* A text without a name may be the secret itself: it is not repeated. */
  if (!word[len] || len == 0)
    return ck_error_set(err, CK_E_USAGE, "%s takes KEY=…: the word given has no %s", option,
                        word[len] ? "KEY" : "'='");
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    placed |= strncmp(word, places[i], strlen(places[i])) == 0;
  if (!placed) ck_buffer_append_text(out, places[0]);
  ck_buffer_append(out, word, len);
  return ck_buffer_check(out, err);
}

static ck_status append(ck_state_edits *out, const char *key, const ck_value *value,
                        const char *ref, ck_error *err) {
  for (size_t i = 0; i < out->count; i++)
    if (strcmp(out->items[i].key, key) == 0)
      return ck_error_set(err, CK_E_USAGE, "%s is set twice", key);
  return ck_state_edits_append(out, key, value, ref, err);
}

typedef ck_status (*take)(ck_state_edits *out, const char *key, const char *given, ck_error *err);

static ck_status take_value(ck_state_edits *out, const char *key, const char *given,
                            ck_error *err) {
  ck_buffer what = {0};
  ck_value *value = NULL;
  ck_buffer_append_format(&what, "--set %s", key);
  ck_status status = ck_buffer_check(&what, err);
  if (status == CK_OK) status = ck_value_word_take(&value, what.data, given, err);
  if (status == CK_OK) status = append(out, key, value, NULL, err);
  ck_value_free(value);
  ck_buffer_clear(&what);
  return status;
}

static ck_status take_reference(ck_state_edits *out, const char *key, const char *kind,
                                const char *given, ck_error *err) {
  ck_buffer ref = {0};
  ck_buffer_append_format(&ref, "%s:%s", kind, given);
  ck_status status = ck_buffer_check(&ref, err);
  if (status == CK_OK) status = append(out, key, NULL, ref.data, err);
  ck_buffer_clear(&ref);
  return status;
}

static ck_status take_variable(ck_state_edits *out, const char *key, const char *given,
                               ck_error *err) {
  return take_reference(out, key, "env", given, err);
}

static ck_status take_file(ck_state_edits *out, const char *key, const char *given, ck_error *err) {
  char *path;
  ck_status status = ck_launch_take_path(&path, given, err);
  if (status == CK_OK) status = take_reference(out, key, "file", path, err);
  free(path);
  return status;
}

static ck_status take_all(ck_state_edits *out, const char *option, const ck_words *words, take how,
                          ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < words->count && status == CK_OK; i++) {
    ck_buffer key = {0};
    status = take_key(&key, option, words->list[i], err);
    if (status == CK_OK) status = how(out, key.data, strchr(words->list[i], '=') + 1, err);
    ck_buffer_clear(&key);
  }
  return status;
}

/* [AGENT.]NAME=NUMBER: the state key limits.[AGENT.]NAME. */
static ck_status take_limit(ck_state_edits *out, const char *word, ck_error *err) {
  size_t len = strcspn(word, "=");
  char key[CK_STATE_KEY_MAX];
  double number;
  ck_value *value = NULL;
  ck_error unfit = CK_ERROR_INIT;
  snprintf(key, sizeof key, "limits.%.*s", (int)(len < 400 ? len : 400), word);
  if (!word[len] || !ck_limits_is_key(key))
    return ck_error_set(err, CK_E_USAGE,
                        "--limit: '%.100s' is not [AGENT.]NAME=NUMBER with budget_usd, time_s, "
                        "rounds, tokens, tool_calls or model_calls as NAME",
                        word);
  ck_status status = ck_value_new(&value, ck_bytes_text(word + len + 1), &unfit);
  if (status != CK_OK || !ck_json_read_double(&number, ck_value_bytes(value)) || number < 0)
    status =
        ck_error_set(err, CK_E_USAGE, "--limit: '%.100s' is not a number from 0", word + len + 1);
  if (status == CK_OK) status = append(out, key, value, NULL, err);
  ck_value_free(value);
  return status;
}

static ck_status take_limits(ck_state_edits *out, const ck_words *words, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < words->count && status == CK_OK; i++)
    status = take_limit(out, words->list[i], err);
  return status;
}

ck_status ck_amend_take(ck_state_edits *out, const ck_edit_words *words, ck_error *err) {
  ck_status status = take_all(out, "--set", &words->set, take_value, err);
  if (status == CK_OK) status = take_all(out, "--set-env", &words->env, take_variable, err);
  if (status == CK_OK) status = take_all(out, "--set-file", &words->file, take_file, err);
  return status == CK_OK ? take_limits(out, &words->limit, err) : status;
}

static ck_status check(const ck_state_edits *edits, ck_redactor *redactor,
                       ck_secret_problem problem, void *to, ck_error *err) {
  for (size_t i = 0; i < edits->count; i++) {
    ck_error failure = CK_ERROR_INIT;
    ck_status status = ck_state_edit_check(&edits->items[i], redactor, &failure);
    if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
    failure.status = status;
    if (status != CK_OK) problem(to, &failure);
  }
  return CK_OK;
}

ck_status ck_amend_check(const ck_state_edits *edits, ck_output *output, const ck_profile *profile,
                         ck_secret_problem problem, void *to, ck_error *err) {
  ck_redactor *redactor;
  if (!edits || edits->count == 0) return CK_OK;
  const char *const *excluded = (const char *const *)profile->exclude_memory_keys;
  ck_status status = ck_redactor_new(&redactor, err);
  if (status != CK_OK) return status;
  status = ck_redactor_copy_secrets(redactor, output->redactor, err);
  if (status == CK_OK && excluded) status = ck_redactor_set_keys(redactor, excluded, err);
  if (status == CK_OK) status = check(edits, redactor, problem, to, err);
  if (status == CK_OK) status = ck_redactor_copy_secrets(output->redactor, redactor, err);
  ck_redactor_free(redactor);
  return status;
}
