/* place.c - finds the event that is to be explained by its number or by its checkpoint. */
#include "core/host/explain/place.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/inspect/resolve_checkpoint.h"

static bool is_seq(const char *word) {
  size_t digits = strspn(word, "0123456789");
  return digits > 0 && digits <= 18 && !word[digits];
}

ck_status ck_explained_place(int64_t *out, const ck_inspection *of, const char *word,
                             ck_error *err) {
  ck_checkpoint_info info;
  ck_error ignored = CK_ERROR_INIT;
  *out = 0;
  if (!word) return CK_OK;
  if (is_seq(word)) {
    *out = strtoll(word, NULL, 10);
    if (*out) return CK_OK;
    return ck_error_set(err, CK_E_NOT_FOUND, "session %s has no event '%s': the first one is 1",
                        of->head.session.id, word);
  }
  ck_status status = CK_E_NOT_FOUND;
  if (*word)
    status = ck_store_get_checkpoint(&info, of->store, of->head.session.no, word, 0, &ignored);
  if (status != CK_OK) status = ck_resolve_checkpoint(&info, of, word, err);
  if (status != CK_OK) return status;
  *out = info.seq;
  ck_checkpoint_info_clear(&info);
  return CK_OK;
}
