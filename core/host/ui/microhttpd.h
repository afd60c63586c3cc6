/* microhttpd.h - libmicrohttpd, loaded when the page is served: no other command pays for it. For
 * this folder only. */
#ifndef CK_HOST_UI_MICROHTTPD_H
#define CK_HOST_UI_MICROHTTPD_H

#include <microhttpd.h>

#include "core/base/error.h"

/* X(name): a function of it, without its prefix. */
#define CK_MICROHTTPD_TABLE(X)     \
  X(start_daemon)                  \
  X(stop_daemon)                   \
  X(lookup_connection_value)       \
  X(get_connection_info)           \
  X(set_connection_option)         \
  X(create_response_from_buffer)   \
  X(create_response_from_callback) \
  X(add_response_header)           \
  X(queue_response)                \
  X(destroy_response)

typedef struct ck_microhttpd {
#define X(name) __typeof__(&MHD_##name) name;
  CK_MICROHTTPD_TABLE(X)
#undef X
} ck_microhttpd;

/* Loads the library (NULL: "libmicrohttpd.so.12"); it stays loaded. CK_E_UNSUPPORTED names what is
 * missing and how to install it. */
CK_CHECKED ck_status ck_microhttpd_load(ck_microhttpd *out, const char *library, ck_error *err);

#endif
