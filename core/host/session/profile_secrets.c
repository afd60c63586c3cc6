/* profile_secrets.c - keeps the secrets of a stored session's profile out of the output. */
#include "core/host/session/profile_secrets.h"

#include "core/host/session/place.h"
#include "core/runtime/session/secret.h"
#include "lua/profile/profile.h"

static void ignore_problem(void *to, const ck_error *problem) { (void)to, (void)problem; }

ck_status ck_profile_secrets_hide(ck_output *output, ck_store *store, const char *id,
                                  ck_error *err) {
  ck_head head = {0};
  ck_launch launch = {0};
  ck_profile *profile = NULL;
  ck_error ignored = CK_ERROR_INIT;
  ck_output_set_fingerprint_key(output, ck_store_fingerprint_key(store));
  ck_status status = ck_store_get_head(&head, store, id, err);
  bool named = status == CK_OK && ck_place_read_launch(&launch, store, &head, &ignored) == CK_OK &&
               launch.profile;
  bool loaded = named && ck_profile_load(&profile, launch.profile, &ignored) == CK_OK;
  if (loaded) status = ck_secret_register_all(output->redactor, profile, ignore_problem, NULL, err);
  ck_profile_free(profile);
  ck_launch_clear(&launch);
  ck_head_clear(&head);
  return status;
}
