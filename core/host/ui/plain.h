/* plain.h - serves texts of this process over HTTP: metrics, whether it is well, answers of the MCP
 * server. */
#ifndef CK_HOST_UI_PLAIN_H
#define CK_HOST_UI_PLAIN_H

#include "core/base/buffer.h"
#include "core/base/id.h"
#include "core/host/ui/listen.h"

typedef struct ck_ui_plain ck_ui_plain;

typedef struct ck_ui_plain_answer {
  unsigned status; /* 200, 404, 503, …; 404 unless set */
  const char *type;
  const char *name, *value; /* one more header; NULL: none */
  char own[CK_ID_SIZE];     /* memory of `value`, where it is made for this answer */
  ck_buffer text;
} ck_ui_plain_answer;

/* Borrowed for the call. */
typedef struct ck_ui_plain_request {
  const char *method, *path;
  bool begun;    /* its body is still to come */
  ck_bytes body; /* where it is taken; else none */
  void *connection;
  ck_ui_plain *server;
} ck_ui_plain_request;
/* The header of that name; NULL: it has none. */
const char *ck_ui_plain_header(const ck_ui_plain_request *self, const char *name);

/* The socket of its connection, to see its end; -1: not known. */
int ck_ui_plain_socket(const ck_ui_plain_request *self);

/* Called in another thread: the same one for all requests, or one for each connection. */
typedef void (*ck_ui_plain_respond)(ck_ui_plain_answer *out, void *to,
                                    const ck_ui_plain_request *request);

typedef struct ck_ui_plain_service {
  /* To GET and HEAD; with a body_max to all methods. Then it is called twice for each request: when
   * it has begun, and a status other than 0 answers it without its body; and with that. */
  ck_ui_plain_respond respond;
  void *to;
  size_t body_max; /* bytes of a request's body; 0: none is taken */
  /* A thread for each connection, so that no answer waits for another one. Those that have not
   * shown yet that they may ask are few, and the oldest makes room for the next (guests.h). Only
   * with a body_max. */
  bool parallel;
} ck_ui_plain_service;

/* Starts to answer. Borrows `at` and `service`. CK_E_UNSUPPORTED as of ck_ui_server_start. */
CK_CHECKED ck_status ck_ui_plain_start(ck_ui_plain **out, const ck_ui_listen *at,
                                       const ck_ui_plain_service *service, ck_error *err);
void ck_ui_plain_stop(ck_ui_plain *self);

#endif
