/* counters.c - a store that was set back, and counters of stores that are gone. */
#include "core/host/doctor/counters.h"

#include "core/host/session/next_command.h"
#include "core/store/counters.h"

enum { LISTED_MAX = 20 };

void ck_doctor_add_rollback(ck_findings *to, const ck_host *host, const char *store,
                            const char *text) {
  ck_buffer remedy = {0};
  ck_next_command_append(&remedy, host, "store accept-rollback");
  ck_findings_add(to, "rollback", CK_E_CORRUPT, store, &remedy, "%s", text);
}

typedef struct listing {
  ck_findings *to;
  const char *folder;
  size_t count;
} listing;

static void add(void *to, const char *path, const char *store) {
  listing *self = to;
  ck_buffer remedy = {0};
  if (self->count++ >= LISTED_MAX) return;
  ck_buffer_append_text(&remedy, "rm");
  ck_next_command_append_option(&remedy, "--", path);
  ck_findings_add(self->to, "counter", CK_OK, path, &remedy,
                  "the counter of store %s, which is not there: it can go, unless that is on a "
                  "disk that is away",
                  store);
}

ck_status ck_doctor_check_counters(ck_findings *to, const char *folder, ck_error *err) {
  listing self = {.to = to, .folder = folder};
  if (!folder) return CK_OK;
  ck_status status = ck_counters_list_orphans(folder, add, &self, err);
  if (status == CK_OK && self.count > LISTED_MAX)
    ck_findings_add(to, "counter", CK_OK, folder, NULL,
                    "%zu counters are of stores that are not there; %d are listed", self.count,
                    LISTED_MAX);
  return status;
}
