/* curl.h - libcurl, loaded when the first request is made: linked, it would take a third of a short
 * program's time. For the files of this folder only. */
#ifndef CK_EFFECT_HTTP_CURL_H
#define CK_EFFECT_HTTP_CURL_H

#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>

#include <stdbool.h>

#include "core/base/error.h"

/* X(name): a function of libcurl, without its prefix. */
#define CK_CURL_TABLE(X) \
  X(global_init_mem)     \
  X(easy_init)           \
  X(easy_cleanup)        \
  X(easy_setopt)         \
  X(easy_getinfo)        \
  X(easy_perform)        \
  X(easy_strerror)       \
  X(multi_init)          \
  X(multi_cleanup)       \
  X(multi_setopt)        \
  X(multi_add_handle)    \
  X(multi_remove_handle) \
  X(multi_socket_action) \
  X(multi_assign)        \
  X(multi_info_read)     \
  X(multi_strerror)      \
  X(slist_append)        \
  X(slist_free_all)

typedef struct ck_curl {
#define X(name) __typeof__(&curl_##name) name;
  CK_CURL_TABLE(X)
#undef X
} ck_curl;

/* Loads the library (NULL: "libcurl.so.4"); it stays loaded. What it gives back is wiped, for
 * headers have secrets in them, unless this process had initialised it before.  CK_E_UNSUPPORTED
 * names what is missing and how to install it. */
CK_CHECKED ck_status ck_curl_load(ck_curl *out, const char *library, ck_error *err);

#endif
