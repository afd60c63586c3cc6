/* examine.c - what an operator has to know of the server: its version, what it makes durable, who
 * follows it, how many connections are left, what the role may not do. */
#include "core/store/postgres/examine.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/store/postgres/postgres.h"

enum { FEW_CONNECTIONS = 10 };

/* The columns of CK_POSTGRES_EXAMINE. */
enum {
  VERSION,
  FSYNC,
  FULL_PAGES,
  STANDBYS,
  CONNECTIONS,
  CONNECTED,
  CLOCK_MS,
  FOLLOWERS,
  WAITING,
  DENIED,
  ROLE,
  ENDED
};

typedef struct examination {
  const ck_postgres *store;
  const ck_postgres_row *row;
  ck_server_visit visit;
  void *to;
} examination;

static const char *text_of(const examination *self, int column) {
  const char *text = ck_postgres_text(self->row, column);
  return text ? text : "";
}

static double behind_s(const examination *self) {
  ck_clock clock = ck_clock_system();
  return (double)(clock.wall_ms(clock.self) - ck_postgres_int(self->row, CLOCK_MS)) / 1000;
}

static void tell_server(const examination *self) {
  char text[400];
  const char *standbys = text_of(self, STANDBYS);
  snprintf(text, sizeof text,
           "PostgreSQL %s, the store's schema is %d; leases last %g s, and end %g s earlier for "
           "who cannot renew them; its clock is %.1f s behind this machine's; %lld standbys, "
           "synchronous: %s; %lld locks are waited for",
           text_of(self, VERSION), CK_STORE_SCHEMA, (double)self->store->url.lease_ms / 1000,
           (double)self->store->url.margin_ms / 1000, behind_s(self),
           (long long)ck_postgres_int(self->row, FOLLOWERS), *standbys ? standbys : "none",
           (long long)ck_postgres_int(self->row, WAITING));
  self->visit(self->to, "server", CK_OK, text);
}

static void tell_setting(const examination *self, int column, const char *name, const char *lost) {
  char text[300];
  if (strcmp(text_of(self, column), "off") != 0) return;
  snprintf(text, sizeof text,
           "%s is off: %s, and sessions that were called durable with it: ALTER SYSTEM SET %s = "
           "on; SELECT pg_reload_conf()",
           name, lost, name);
  self->visit(self->to, "durability", CK_E_PENDING, text);
}

static void tell_connections(const examination *self) {
  char text[300];
  int64_t most = ck_postgres_int(self->row, CONNECTIONS),
          used = ck_postgres_int(self->row, CONNECTED), left = most - used;
  snprintf(text, sizeof text, "%lld of %lld connections are used, %lld are left%s", (long long)used,
           (long long)most, (long long)left,
           left < FEW_CONNECTIONS ? "; a worker takes 2, and 2 to 3 more for each session that it "
                                    "runs: raise max_connections, or lower --concurrency"
                                  : "");
  self->visit(self->to, "connections", left < FEW_CONNECTIONS ? CK_E_PENDING : CK_OK, text);
}

static void tell_privileges(const examination *self) {
  char text[400];
  const char *denied = text_of(self, DENIED), *schema = self->store->url.schema;
  if (!*denied) return;
  snprintf(text, sizeof text,
           "the role \"%s\" may not %s in all tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL "
           "TABLES IN SCHEMA \"%s\" TO \"%s\" lets it run sessions; SELECT alone reads them",
           text_of(self, ROLE), denied, schema, text_of(self, ROLE));
  self->visit(self->to, "privilege", CK_E_REFUSED, text);
}

static void tell_leases(const examination *self) {
  char text[200];
  int64_t ended = ck_postgres_int(self->row, ENDED);
  if (!ended) return;
  snprintf(text, sizeof text,
           "%lld leases have ended and were not given back: their processes died or cannot be "
           "reached, and any worker takes the sessions over",
           (long long)ended);
  self->visit(self->to, "lease", CK_OK, text);
}

ck_status ck_postgres_examine(void *to, ck_server_visit visit, void *visitor, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_EXAMINE};
  ck_status status = ck_postgres_read(&result, self, &query, "examine its server", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  const examination all = {.store = self, .row = &row, .visit = visit, .to = visitor};
  tell_server(&all);
  tell_setting(&all, FSYNC, "fsync",
               "a crash of its machine loses commits or damages the database");
  tell_setting(&all, FULL_PAGES, "full_page_writes",
               "a page that is torn by a crash cannot be mended");
  tell_connections(&all);
  tell_privileges(&all);
  tell_leases(&all);
  self->pq->clear(result);
  return CK_OK;
}

ck_status ck_postgres_replicate(void *to, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_GET_STANDBYS};
  ck_status status = ck_postgres_read(&result, self, &query, "ask for its standbys", err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  self->replicated = row.count && *ck_postgres_text(&row, 0);
  self->pq->clear(result);
  if (self->replicated) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "store %s: durability = \"replicated\", and its server waits for no standby: "
                      "synchronous_standby_names is empty there",
                      self->url.name);
}
