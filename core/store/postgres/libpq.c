/* libpq.c - finds libpq and its functions at run time. */
#include "core/store/postgres/libpq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static ck_libpq loaded;
static bool is_loaded;

static const char library[] = "libpq.so.5";

static ck_status refuse(const char *why, ck_error *err) {
  return ck_error_set(
      err, CK_E_UNSUPPORTED,
      "%s cannot be loaded, and PostgreSQL is reached through it: %s; install libpq5", library,
      why ? why : "no reason was given");
}

/* A pointer to a function and one to data have the same size wherever dlsym is. */
static bool find(void *out, size_t size, void *handle, const char *name) {
  void *found = dlsym(handle, name);
  memcpy(out, &found, size);
  return found != NULL;
}

static ck_status load(ck_error *err) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return refuse(dlerror(), err);
#define X(name) \
  if (!find(&loaded.name, sizeof loaded.name, handle, "PQ" #name)) return refuse(dlerror(), err);
  CK_LIBPQ_TABLE(X)
#undef X
  is_loaded = true;
  return CK_OK;
}

ck_status ck_libpq_load(const ck_libpq **out, ck_error *err) {
  *out = NULL;
  pthread_mutex_lock(&mutex);
  ck_status status = is_loaded ? CK_OK : load(err);
  pthread_mutex_unlock(&mutex);
  if (status == CK_OK) *out = &loaded;
  return status;
}
