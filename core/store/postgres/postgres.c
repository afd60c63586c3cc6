/* postgres.c - the PostgreSQL backend: opens a store, and gives its functions. */
#include "core/store/postgres/examine.h"
#include "core/store/postgres/postgres.h"

#include <stdlib.h>

static void close_store(void *to) {
  ck_postgres *self = to;
  ck_postgres_end_renewal(self);
  ck_postgres_unlink(self, self->writer);
  ck_postgres_unlink(self, self->listener);
  ck_postgres_close_pool(self);
  pthread_cond_destroy(&self->changed);
  pthread_mutex_destroy(&self->mutex);
  pthread_mutex_destroy(&self->telling);
  ck_buffer_clear(&self->key_entry);
  ck_postgres_url_clear(&self->url);
  free(self);
}

static const uint8_t *get_fingerprint_key(void *to) { return ((ck_postgres *)to)->fingerprint_key; }

static void add_functions(ck_backend *out, ck_postgres *self) {
  *out = (ck_backend){.self = self,
                      .commit = ck_postgres_commit,
                      .recover = ck_postgres_recover,
                      .fingerprint_key = get_fingerprint_key,
                      .server = {ck_postgres_replicate, ck_postgres_examine},
                      .close = close_store};
  ck_postgres_add_sessions(out);
  ck_postgres_add_reads(out);
  ck_postgres_add_rows(out);
  ck_postgres_add_maintenance(out);
  ck_postgres_add_requests(out);
  ck_postgres_add_facts(out);
  ck_postgres_add_blobs(out);
  ck_postgres_add_outputs(out);
  ck_postgres_add_key(out);
  ck_postgres_add_copy(out);
  ck_postgres_add_news(out);
  ck_postgres_add_reservation(out);
  ck_postgres_add_refusals(out);
  ck_postgres_add_lapse(out);
  ck_postgres_add_rekey(out);
}

static ck_postgres *make(const ck_store_options *options) {
  pthread_condattr_t attributes;
  ck_postgres *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->read_only = options->read_only;
  pthread_mutex_init(&self->mutex, NULL);
  pthread_mutex_init(&self->telling, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&self->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  ck_postgres_name_owner(self->owner);
  return self;
}

/* The first connection is the writer, or the first of the readers. */
static ck_status connect_first(ck_postgres *self, bool create, ck_error *err) {
  ck_postgres_connection *first;
  ck_status status = ck_postgres_link(&first, self, self->read_only, err);
  if (status != CK_OK) return status;
  status = ck_postgres_open_schema(self, first, create, err);
  self->met = status == CK_OK;
  if (status == CK_OK) status = ck_postgres_meet(self, first, err);
  if (self->read_only || status != CK_OK)
    ck_postgres_give(self, first);
  else
    self->writer = first;
  return status;
}

ck_status ck_backend_open_postgres(ck_backend *out, const char *url,
                                   const ck_store_options *options, ck_error *err) {
  *out = (ck_backend){0};
  ck_postgres *self = make(options);
  if (!self) return ck_error_no_memory(err);
  ck_status status = ck_postgres_url_read(&self->url, url, err);
  if (status == CK_OK) status = ck_libpq_load(&self->pq, err);
  if (status == CK_OK) status = connect_first(self, options->create && !options->read_only, err);
  if (status == CK_OK)
    add_functions(out, self);
  else
    close_store(self);
  return status;
}
