/* session_filter.c - the sessions that a client of this program may know of. */
#include "core/host/session/session_filter.h"

#include <fnmatch.h>
#include <string.h>

ck_status ck_session_filter_check(const ck_session_filter *self, ck_error *err) {
  static const char allowed[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-*?[]!";
  for (size_t i = 0; i < self->patterns->count; i++) {
    const char *pattern = self->patterns->list[i];
    if (*pattern && *pattern != '-' && !pattern[strspn(pattern, allowed)]) continue;
    return ck_error_set(err, CK_E_USAGE,
                        "--sessions '%.100s': a pattern of ids has A-Z a-z 0-9 _ - * ? [ ], and "
                        "begins with no '-'",
                        pattern);
  }
  return CK_OK;
}

bool ck_session_filter_fits(const ck_session_filter *self, const char *id) {
  if (!self) return true;
  for (size_t i = 0; i < self->patterns->count; i++)
    if (fnmatch(self->patterns->list[i], id, FNM_NOESCAPE) == 0) return true;
  return false;
}

bool ck_session_filter_has(const ck_session_filter *self, ck_store *store,
                           const ck_session_record *record) {
  if (!ck_session_filter_fits(self, record->id)) return false;
  ck_error ignored = CK_ERROR_INIT;
  ck_session_record origin;
  char id[CK_ID_SIZE];
  for (int64_t no = self ? record->origin.session : 0; no;) {
    if (ck_store_get_session_id(id, store, no, &ignored) != CK_OK ||
        !ck_session_filter_fits(self, id) ||
        ck_store_get_session(&origin, store, id, &ignored) != CK_OK)
      return false;
    no = origin.origin.session < no ? origin.origin.session : 0; /* origins are older */
    ck_session_record_clear(&origin);
  }
  return true;
}

ck_status ck_session_filter_absent(const ck_store *store, const char *word, ck_error *err) {
  return ck_error_set(err, CK_E_NOT_FOUND, "there is no session %s in store %s", word,
                      ck_store_url(store));
}
