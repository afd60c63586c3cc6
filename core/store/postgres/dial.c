/* dial.c - how the server is called: the words of a connection, and how long it is waited for. */
#include <stdio.h>

#include "core/store/postgres/connection.h"

int ck_postgres_patience_s(const ck_postgres_url *url) {
  int64_t third_s = url->lease_ms / 3000;
  return third_s < 2 ? 2 : third_s > 10 ? 10 : (int)third_s;
}

enum { DEFAULTS = 5, WORDS = DEFAULTS + 4 };

/* The words of a connection, for libpq. What the URL says stands before the defaults. */
typedef struct target {
  char timeout[24];
  const char *names[WORDS], *values[WORDS];
} target;

static void make_target(target *out, const ck_postgres_url *url) {
  snprintf(out->timeout, sizeof out->timeout, "%d", ck_postgres_patience_s(url));
  const char *const words[][2] = {{"connect_timeout", out->timeout},
                                  {"keepalives_idle", "10"},
                                  {"keepalives_interval", "5"},
                                  {"keepalives_count", "3"},
                                  {"tcp_user_timeout", "20000"},
                                  {"dbname", url->conninfo}, /* expanded: above what is before it */
                                  {"fallback_application_name", "ckrun"},
                                  {"client_encoding", "UTF8"},
                                  {NULL, NULL}};
  for (size_t i = 0; i < WORDS; i++) {
    out->names[i] = words[i][0];
    out->values[i] = words[i][1];
  }
}

PGconn *ck_postgres_dial(const ck_libpq *pq, const ck_postgres_url *url) {
  target to;
  make_target(&to, url);
  return pq->connectdbParams(to.names, to.values, 1);
}

bool ck_postgres_answers(const ck_libpq *pq, const ck_postgres_url *url) {
  target to;
  make_target(&to, url);
  PGPing got = pq->pingParams(to.names, to.values, 1);
  return got == PQPING_OK || got == PQPING_REJECT;
}
