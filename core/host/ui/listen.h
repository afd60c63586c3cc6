/* listen.h - the address at which the page's server waits: of this machine only. */
#ifndef CK_HOST_UI_LISTEN_H
#define CK_HOST_UI_LISTEN_H

#include "core/base/error.h"

#define CK_UI_LISTEN_DEFAULT "127.0.0.1:0"

typedef struct ck_ui_listen {
  int fd;
  const char *host; /* as a link has it; static */
  int port;         /* 0: a Unix socket */
  const char *path; /* of a Unix socket; borrowed from the address */
} ck_ui_listen;

/* `option`: whose value it is, for errors. `address`: 127.0.0.1:PORT or [::1]:PORT (port 0: any
 * free one), or unix:PATH, which only this user may use. CK_E_USAGE: another address. CK_E_REFUSED:
 * it is in use. */
CK_CHECKED ck_status ck_ui_listen_open(ck_ui_listen *out, const char *option, const char *address,
                                       ck_error *err);
void ck_ui_listen_close(ck_ui_listen *self);

#endif
