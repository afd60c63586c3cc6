/* request.h - a request from another process to a session that is being run: pause, cancel, an
 * answer. */
#ifndef CK_MODEL_REQUEST_H
#define CK_MODEL_REQUEST_H

#include "core/model/value.h"

/* Served by the session's owner at its next boundary. Texts are borrowed when a request is put into
 * a store, owned when it was taken out. */
typedef struct ck_request {
  int64_t no; /* given by the store; ascending */
  int64_t session;
  char *kind;     /* "pause", "cancel", … */
  ck_value *body; /* may be NULL */
} ck_request;
void ck_request_clear(ck_request *self);

#endif
