/* server.h - serves the page, and answers it with what commands of ckrun print.
 *
 * Stored text leaves as JSON only, of type application/json, which no browser takes for a page. The
 * page's own policy (CSP) lets it load nothing but its own files, and run no other script. */
#ifndef CK_HOST_UI_SERVER_H
#define CK_HOST_UI_SERVER_H

#include "core/host/cli/command.h"
#include "core/host/ui/listen.h"

/* All borrowed for the server's life. */
typedef struct ck_ui_service {
  const ck_host *host; /* whose store and key the commands get */
  const char *store;   /* for people */
  ck_ui_listen at;
  bool actions; /* the page may also change sessions */
} ck_ui_service;

typedef struct ck_ui_server ck_ui_server;

/* Starts to answer, in threads of its own. CK_E_UNSUPPORTED: libmicrohttpd is not there, or was not
 * when this ckrun was built. */
CK_CHECKED ck_status ck_ui_server_start(ck_ui_server **out, const ck_ui_service *service,
                                        ck_error *err);
/* Appends the link that opens the page, once. `fresh`: a new one. */
void ck_ui_server_append_link(ck_buffer *out, ck_ui_server *self, bool fresh);
/* How many sessions that were resumed from the page run. */
size_t ck_ui_server_count_runs(ck_ui_server *self);
/* Ends what it started: sessions that were resumed from the page are paused. */
void ck_ui_server_stop(ck_ui_server *self);

#endif
