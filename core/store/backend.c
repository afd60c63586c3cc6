/* backend.c - which optional functions a backend provides. */
#include "core/store/backend.h"

bool ck_backend_can(const ck_backend *self, ck_backend_capability what) {
  switch (what) {
    case CK_BACKEND_INVENTORY:
      return self->inventory.check;
    case CK_BACKEND_LOCK:
      return self->lock_session;
    case CK_BACKEND_PIN:
      return self->pin && self->list_pins;
    case CK_BACKEND_PRUNE:
      return self->prune && self->list_bases;
    case CK_BACKEND_DELETE:
      return self->delete_session && self->list_forks;
    case CK_BACKEND_REQUEST:
      return self->put_request && self->get_request && self->drop_request;
    case CK_BACKEND_FACT:
      return self->put_fact && self->get_fact && self->list_facts;
    case CK_BACKEND_BLOB:
      return self->put_blobs && self->get_blob && self->list_blobs;
    case CK_BACKEND_KEY:
      return self->get_key_entry && self->put_key_entry && self->count_events;
    case CK_BACKEND_OUTPUT:
      return self->output.list && self->output.get && self->output.put && self->output.move;
    case CK_BACKEND_LIST_KEYS:
      return self->list_keys;
    case CK_BACKEND_BACKUP:
      return self->backup && self->restore;
    case CK_BACKEND_REKEY:
      return self->begin_rekey && self->rekey_rows && self->end_rekey && self->clear_log;
    case CK_BACKEND_SCRUB:
      return self->scrub.rows && self->scrub.begin && self->scrub.get && self->scrub.end;
    case CK_BACKEND_COPY:
      return self->copy.begin_reading && self->copy.list_uses && self->copy.list_requests;
  }
  return false;
}

ck_status ck_backend_require(const ck_backend *self, ck_backend_capability what, const char *url,
                             ck_error *err) {
  static const char *const texts[] = {
#define X(name, text) [name] = text,
      CK_BACKEND_TABLE(X)
#undef X
  };
  if (ck_backend_can(self, what)) return CK_OK;
  return ck_error_set(err, CK_E_UNSUPPORTED, "store %s: %s", url, texts[what]);
}
