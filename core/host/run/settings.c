/* settings.c - takes --option and --policy into the profile of a run. */
#include "core/host/run/settings.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/session/launch.h"
#include "core/redact/redact.h"
#include "lua/profile/overrides.h"

/* The path means the same for whoever reads the record. */
static ck_status add_policy(ck_profile *to, const char *word, ck_error *err) {
  char *name;
  ck_status status = ck_launch_take_profile(&name, word, err);
  if (status != CK_OK) return status;
  status = ck_profile_add_policy(to, name, err);
  free(name);
  return status == CK_OK || status == CK_E_NO_MEMORY ? status
                                                     : ck_error_prefix(err, "--policy %s", word);
}

/* A word without a name may be anything: it is not repeated. */
static ck_status set_option(ck_profile *to, const char *word, ck_error *err) {
  size_t len = strcspn(word, "="), dot = strcspn(word, ".=");
  if (!word[len] || dot == 0 || dot + 1 >= len || word[dot] != '.')
    return ck_error_set(err, CK_E_USAGE,
                        "--option takes POLICY.KEY=VALUE: the word given has no %s",
                        !word[len]   ? "'='"
                        : dot >= len ? "'.'"
                        : dot == 0   ? "POLICY"
                                     : "KEY");
  if (ck_redact_is_masked(ck_bytes_text(word + len)))
    return ck_error_set(err, CK_E_USAGE,
                        "--option %.*s: what is given is the placeholder of a value that is masked "
                        "where it is stored: give the value itself",
                        (int)len, word);
  char *name = strndup(word, len);
  if (!name) return ck_error_no_memory(err);
  name[dot] = '\0';
  ck_status status = ck_profile_set_option(to, name, name + dot + 1, word + len + 1, err);
  if (status != CK_OK && status != CK_E_NO_MEMORY)
    ck_error_prefix(err, "--option %s.%s", name, name + dot + 1);
  free(name);
  return status;
}

ck_status ck_settings_take(ck_profile *to, const ck_settings_words *words, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; words && status == CK_OK && i < words->policies.count; i++)
    status = add_policy(to, words->policies.list[i], err);
  for (size_t i = 0; words && status == CK_OK && i < words->options.count; i++)
    status = set_option(to, words->options.list[i], err);
  return status;
}
