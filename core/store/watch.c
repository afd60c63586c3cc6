/* watch.c - a store and its counter: compared when it is opened, advanced while it is written. */
#include <stdio.h>
#include <string.h>

#include "core/store/store_core.h"

static void tell(const ck_store_watch *watch, bool set_back, const char *text) {
  if (watch->note) watch->note(watch->to, set_back, text);
}

static void tell_missing(const ck_store_watch *watch, const char *url, const char *why) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text,
           "store %s: %s, so no rollback of it can be found; CKRUN_COUNTERS=FOLDER names a place "
           "for its counter, CKRUN_COUNTERS=off goes without",
           url, why);
  tell(watch, false, text);
}

/* One that cannot be had, or not be written, is told; reading needs none. */
static ck_status open_counter(ck_store *self, const ck_store_options *options, const char *path,
                              ck_error *err) {
  ck_error why = CK_ERROR_INIT;
  const uint8_t *identity = self->backend.fingerprint_key(self->backend.self);
  ck_status status =
      ck_rollback_open(&self->rollback, options->watch, path, identity, !options->read_only, &why);
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  bool absent = status == CK_E_NOT_FOUND || status == CK_E_READ_ONLY;
  if (status && !(absent && options->read_only)) tell_missing(options->watch, self->url, why.text);
  if (status == CK_E_READ_ONLY && !options->read_only) /* it can be compared, perhaps */
    status = ck_rollback_open(&self->rollback, options->watch, path, identity, false, NULL);
  return status == CK_E_NO_MEMORY ? ck_error_no_memory(err) : CK_OK;
}

static ck_status compare(ck_store *self, const ck_store_options *options, ck_error *err) {
  uint64_t generation;
  bool goes_on = options->read_only || options->accept_rollback;
  ck_status status = self->backend.inventory.get_generation(&generation, self->backend.self, err);
  if (status == CK_E_CORRUPT && goes_on) return CK_OK; /* verify tells */
  if (status) return status;
  status = ck_rollback_check(&self->rollback, generation, &self->set_back);
  if (status && !goes_on && err) *err = self->set_back;
  if (status && options->read_only) tell(options->watch, true, self->set_back.text);
  return goes_on ? CK_OK : status;
}

ck_status ck_store_core_watch(ck_store *self, const ck_store_options *options, ck_error *err) {
  const ck_store_watch *watch = options->watch;
  const char *path = strchr(self->url, ':');
  if (!watch || !path || !ck_backend_can(&self->backend, CK_BACKEND_INVENTORY)) return CK_OK;
  if (!watch->folder && watch->why && !options->read_only)
    tell_missing(watch, self->url, watch->why);
  ck_status status = watch->folder ? open_counter(self, options, path + 1, err) : CK_OK;
  if (status || !self->rollback.path) return status;
  status = compare(self, options, err);
  if (!status && !options->read_only)
    self->backend.inventory.watch(self->backend.self, ck_rollback_advance, &self->rollback);
  return status;
}
