/* microhttpd.c - finds libmicrohttpd and its functions at run time. */
#if __has_include(<microhttpd.h>)

#include "core/host/ui/microhttpd.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

static ck_status refuse(const char *library, const char *why, ck_error *err) {
  return ck_error_set(err, CK_E_UNSUPPORTED,
                      "%s cannot be loaded, and the page is served by it: %s; install "
                      "libmicrohttpd12",
                      library, why ? why : "no reason was given");
}

/* A pointer to a function and one to data have the same size wherever dlsym is. */
static bool find(void *out, size_t size, void *handle, const char *name) {
  void *found = dlsym(handle, name);
  memcpy(out, &found, size);
  return found != NULL;
}

ck_status ck_microhttpd_load(ck_microhttpd *out, const char *library, ck_error *err) {
  *out = (ck_microhttpd){0};
  if (!library) library = "libmicrohttpd.so.12";
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return refuse(library, dlerror(), err);
#define X(name)                                                  \
  if (!find(&out->name, sizeof out->name, handle, "MHD_" #name)) \
    return refuse(library, dlerror(), err);
  CK_MICROHTTPD_TABLE(X)
#undef X
  return CK_OK;
}

#else

typedef int ck_microhttpd_none; /* a file has something in it */

#endif
