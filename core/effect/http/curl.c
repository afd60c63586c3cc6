/* curl.c - finds libcurl and its functions at run time. */
#include "core/effect/http/curl.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static ck_status refuse(const char *library, const char *why, ck_error *err) {
  return ck_error_set(
      err, CK_E_UNSUPPORTED,
      "%s cannot be loaded, and models are reached through it: %s; install libcurl4", library,
      why ? why : "no reason was given");
}

/* A pointer to a function and one to data have the same size wherever dlsym is. */
static bool find(void *out, size_t size, void *handle, const char *name) {
  void *found = dlsym(handle, name);
  memcpy(out, &found, size);
  return found != NULL;
}

/* ---- its memory: a request is copied into buffers of its own, the key of a model with it ---- */

static void give_back(void *block) {
  if (block) explicit_bzero(block, malloc_usable_size(block));
  free(block);
}

/* A block that realloc moves stays behind as it was. */
static void *take_other(void *block, size_t size) {
  size_t before = block ? malloc_usable_size(block) : 0;
  void *made = before >= size && size > 0 ? block : malloc(size);
  if (!made || made == block) return made;
  if (block) memcpy(made, block, before);
  give_back(block);
  return made;
}

static CURLcode initialise(const ck_curl *curl) {
  return curl->global_init_mem(CURL_GLOBAL_DEFAULT, malloc, give_back, take_other, strdup, calloc);
}

ck_status ck_curl_load(ck_curl *out, const char *library, ck_error *err) {
  *out = (ck_curl){0};
  if (!library) library = "libcurl.so.4";
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return refuse(library, dlerror(), err);
#define X(name)                                                   \
  if (!find(&out->name, sizeof out->name, handle, "curl_" #name)) \
    return refuse(library, dlerror(), err);
  CK_CURL_TABLE(X)
#undef X
  CURLcode failed = initialise(out);
  if (failed == CURLE_OUT_OF_MEMORY) return ck_error_no_memory(err);
  return failed == CURLE_OK ? CK_OK : refuse(library, out->easy_strerror(failed), err);
}
