/* request.c - frees what a request owns. */
#include "core/model/request.h"

#include <stdlib.h>

void ck_request_clear(ck_request *self) {
  free(self->kind);
  ck_value_free(self->body);
  *self = (ck_request){0};
}
