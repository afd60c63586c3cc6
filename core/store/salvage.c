/* salvage.c - finds the backend that can copy a damaged store. */
#include "core/store/salvage.h"

#include <string.h>

#include "core/store/backend.h"

ck_status ck_store_salvage(ck_salvage_report *out, const char *url, const char *to, ck_error *err) {
  static const char scheme[] = "sqlite:";
  *out = (ck_salvage_report){0};
  if (strncmp(url, scheme, sizeof scheme - 1) == 0)
    return ck_sqlite_salvage(out, url + sizeof scheme - 1, to, err);
  return ck_error_set(err, CK_E_UNSUPPORTED, "store %s: only a store in a file can be salvaged",
                      url);
}
