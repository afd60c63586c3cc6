/* url.h - a store of PostgreSQL as its URL names it: where the server is, the store's schema, and
 * the passwords, which nobody is told. */
#ifndef CK_STORE_POSTGRES_URL_H
#define CK_STORE_POSTGRES_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"

enum { CK_POSTGRES_SCHEMA_SIZE = 64, CK_POSTGRES_SECRETS = 4 };

typedef struct ck_postgres_url {
  char *name;     /* the URL without passwords, for people */
  char *conninfo; /* the URL as libpq takes it */
  char schema[CK_POSTGRES_SCHEMA_SIZE];
  int64_t lease_ms;                   /* how long a lease lasts */
  int64_t margin_ms;                  /* how long before its end its holder stops */
  char *secrets[CK_POSTGRES_SECRETS]; /* passwords; the first that is NULL ends them */
} ck_postgres_url;

/* "postgres://…" or "postgresql://…". */
bool ck_postgres_url_is(const char *url);
/* What is told of a URL that cannot be read never repeats it: it may hold a password. CK_E_USAGE;
 * CK_E_UNSUPPORTED: this ckrun, or this machine, has no PostgreSQL. Caller clears. */
CK_CHECKED ck_status ck_postgres_url_read(ck_postgres_url *out, const char *url, ck_error *err);
/* Wipes the passwords. */
void ck_postgres_url_clear(ck_postgres_url *self);

#endif
