/* request.c - the bodies of requests, sealed and opened. */
#include "core/store/sealed/sealed.h"

ck_status ck_sealed_put_request(void *to, const ck_request *request, ck_error *err) {
  ck_sealed *self = to;
  ck_sealed_home home;
  ck_request sealed = *request;
  sealed.body = NULL;
  ck_status status = ck_sealed_get_home(&home, self, request->session, err);
  if (status) return status;
  ck_sealer with = ck_sealed_sealer(self, &home);
  status =
      ck_sealed_encode_value(&sealed.body, &with, "request", request->kind, request->body, err);
  if (!status) status = self->inner.put_request(self->inner.self, &sealed, err);
  ck_value_free(sealed.body);
  return status;
}

static ck_status open_body(ck_request *request, ck_sealed *self, ck_error *err) {
  ck_sealed_home home;
  ck_value *body = NULL;
  ck_status status = ck_sealed_get_home(&home, self, request->session, err);
  if (status) return status;
  ck_sealer with = ck_sealed_sealer(self, &home);
  status = ck_sealed_check_value(self, "request", request->body, err);
  if (!status)
    status = ck_sealed_decode_value(&body, &with, "request", request->kind, request->body, err);
  ck_value_free(request->body);
  request->body = body;
  return status;
}

ck_status ck_sealed_get_request(ck_request *out, bool *found, void *to, ck_lease lease,
                                int64_t after, ck_error *err) {
  ck_sealed *self = to;
  ck_status status = self->inner.get_request(out, found, self->inner.self, lease, after, err);
  if (status || !*found) return status;
  status = open_body(out, self, err);
  if (!status) return CK_OK;
  int64_t damaged = status == CK_E_CORRUPT ? out->no : 0;
  *found = false;
  ck_request_clear(out);
  out->no = damaged;
  return status;
}

ck_status ck_sealed_drop_request(void *to, ck_lease lease, int64_t no, ck_error *err) {
  ck_sealed *self = to;
  return self->inner.drop_request(self->inner.self, lease, no, err);
}
