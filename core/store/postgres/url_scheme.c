/* url_scheme.c - tells URLs of PostgreSQL from others, also where this ckrun cannot open them. */
#include <string.h>

#include "core/store/postgres/url.h"

bool ck_postgres_url_is(const char *url) {
  return strncmp(url, "postgres://", strlen("postgres://")) == 0 ||
         strncmp(url, "postgresql://", strlen("postgresql://")) == 0;
}
