/* runtime.c - opens and closes the store, writer and waker that sessions of a process share. */
#include "core/runtime/commit/runtime.h"

#include <stdlib.h>

#include "core/base/locked.h"

ck_status ck_runtime_open(ck_runtime **out, const char *url, const ck_store_options *options,
                          const ck_clock *clock, ck_error *err) {
  *out = NULL;
  ck_runtime *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->clock = clock ? *clock : ck_clock_system();
  ck_status status = ck_waker_open(&self->waker, err);
  if (status == CK_OK) status = ck_store_open(&self->store, url, options, err);
  if (status == CK_OK) status = ck_writer_new(&self->writer, self->store, err);
  if (status != CK_OK) {
    ck_runtime_close(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

void ck_runtime_close(ck_runtime *self) {
  if (!self) return;
  ck_writer_free(self->writer);
  ck_store_close(self->store);
  ck_waker_close(self->waker);
  ck_locked_free(self->key);
  free(self);
}

ck_store *ck_runtime_store(const ck_runtime *self) { return self->store; }
ck_waker *ck_runtime_waker(const ck_runtime *self) { return self->waker; }
