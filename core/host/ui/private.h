/* private.h - a request, shared by the files that answer it. For this folder only. */
#ifndef CK_HOST_UI_PRIVATE_H
#define CK_HOST_UI_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/host/ui/gate.h"
#include "core/host/ui/guests.h"
#include "core/host/ui/microhttpd.h"
#include "core/host/ui/route.h"
#include "core/host/ui/runs.h"
#include "core/host/ui/server.h"

struct ck_ui_server {
  const ck_ui_service *service;
  ck_microhttpd http;
  struct MHD_Daemon *daemon;
  pthread_mutex_t lock; /* of the gate */
  ck_ui_gate gate;
  ck_ui_guests guests;
  ck_ui_runs *runs;
  atomic_bool ending;
};

typedef struct ck_ui_request {
  ck_ui_server *server;
  struct MHD_Connection *connection;
  ck_buffer body;
  const ck_ui_route *route;
  ck_ui_verdict verdict;
  bool refused; /* its body is too long */
} ck_ui_request;

/* Each of these answers the request; MHD_NO: it cannot be answered, and the connection is closed.
 */

/* Takes `response`, which may be NULL for want of memory. */
enum MHD_Result ck_ui_reply(ck_ui_request *self, unsigned status, struct MHD_Response *response,
                            const char *type);
enum MHD_Result ck_ui_reply_json(ck_ui_request *self, unsigned status, ck_bytes text);
enum MHD_Result ck_ui_reply_error(ck_ui_request *self, unsigned status, const char *text);
/* A response that holds a copy of `text`; NULL: no memory. */
struct MHD_Response *ck_ui_reply_copy(const ck_ui_request *self, ck_bytes text);
/* What the command of `self->route` says. */
enum MHD_Result ck_ui_reply_command(ck_ui_request *self);

/* What the request has by that name; NULL: nothing. */
const char *ck_ui_request_get(const ck_ui_request *self, enum MHD_ValueKind kind, const char *name);

#endif
