/* absent.c - in the place of this folder's other files where libpq was not there when ckrun was
 * built. */
#include "core/store/backend.h"
#include "core/store/postgres/url.h"

static ck_status refuse(ck_error *err) {
  return ck_error_set(
      err, CK_E_UNSUPPORTED,
      "this ckrun was built without PostgreSQL: install libpq-dev and build it again, "
      "or use a store sqlite:PATH");
}

ck_status ck_postgres_url_read(ck_postgres_url *out, const char *url, ck_error *err) {
  (void)url;
  *out = (ck_postgres_url){0};
  return refuse(err);
}

void ck_postgres_url_clear(ck_postgres_url *self) { *self = (ck_postgres_url){0}; }

ck_status ck_backend_open_postgres(ck_backend *out, const char *url,
                                   const ck_store_options *options, ck_error *err) {
  (void)url, (void)options;
  *out = (ck_backend){0};
  return refuse(err);
}

ck_status ck_backend_receive_postgres(const char *url, const ck_receiving *what, ck_error *err) {
  (void)url, (void)what;
  return refuse(err);
}
