/* fact.c - facts of a store, through its backend. */
#include "core/store/fact.h"

#include "core/store/store_core.h"

ck_status ck_store_put_fact(ck_store *self, const ck_fact *fact, ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_backend_require(&self->backend, CK_BACKEND_FACT, self->url, err);
  if (!status) status = self->backend.put_fact(self->backend.self, fact, err);
  return ck_store_core_end_write(self, status, err);
}

ck_status ck_store_get_fact(ck_value **out, ck_store *self, const char *owner, const char *key,
                            ck_error *err) {
  *out = NULL;
  ck_status status = ck_backend_require(&self->backend, CK_BACKEND_FACT, self->url, err);
  return status ? status : self->backend.get_fact(out, self->backend.self, owner, key, err);
}

ck_status ck_store_list_facts(ck_store *self, const ck_fact_query *query, ck_fact_visit visit,
                              void *to, ck_error *err) {
  ck_status status = ck_backend_require(&self->backend, CK_BACKEND_FACT, self->url, err);
  return status ? status : self->backend.list_facts(self->backend.self, query, visit, to, err);
}
