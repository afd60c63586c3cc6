/* clear_log.c - cuts the log of a store behind a command that takes something away. */
#include "core/host/session/clear_log.h"

#include "core/store/maintenance.h"

ck_status ck_clear_log(ck_store *store, ck_output *output, ck_error *err) {
  ck_error busy = CK_ERROR_INIT;
  ck_status status = ck_store_clear_log(store, &busy);
  if (status == CK_OK) return CK_OK;
  if (status != CK_E_BUSY) return ck_error_set(err, status, "%s", busy.text);
  ck_output_notice(output,
                   "another process reads store %s: what was taken away is still in its log, until "
                   "that is written over, or the next delete, prune or scrub cuts it",
                   ck_store_url(store));
  return CK_OK;
}
