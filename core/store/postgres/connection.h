/* connection.h - one connection to the server: made, prepared, and what its errors mean. Private to
 * core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_CONNECTION_H
#define CK_STORE_POSTGRES_CONNECTION_H

#include "core/store/postgres/libpq.h"
#include "core/store/postgres/sql.h"
#include "core/store/postgres/url.h"

/* Used by one thread at a time. */
typedef struct ck_postgres_connection {
  const ck_libpq *pq;
  const ck_postgres_url *url; /* borrowed */
  PGconn *conn;
  bool prepared[CK_POSTGRES_SQL_COUNT];
  bool plans_once;   /* a statement has one plan for all arguments (commit.c) */
  bool broken;       /* libpq could not send or receive, whatever it says of the connection */
  bool warned;       /* a commit was answered before its standby had it */
  int64_t silent_ms; /* the server gave no sign of life for so long, and was given up; 0: no */
  int socket;        /* a descriptor of its socket for who cuts it off; -1: none (link.c) */
  struct ck_postgres_connection *next, *next_open;
} ck_postgres_connection;

/* CK_E_IO: the server cannot be reached; CK_E_REFUSED: it refuses this user; CK_E_NOT_FOUND: it has
 * no such database; CK_E_UNSUPPORTED: it is too old, or not encoded in UTF-8. */
CK_CHECKED ck_status ck_postgres_connect(ck_postgres_connection **out, const ck_postgres_url *url,
                                         bool read_only, ck_error *err);
void ck_postgres_disconnect(ck_postgres_connection *self);
/* The server has gone, as far as the last answer tells; once ck_postgres_error has seen that. */
bool ck_postgres_is_lost(const ck_postgres_connection *self);
/* What is being done while tables are made, for messages. */
#define CK_POSTGRES_MAKING "make it"
/* CK_E_REFUSED: `text`, that the role lacks a privilege, and the GRANT that helps. */
ck_status ck_postgres_refuse_role(const ck_postgres_connection *self, const char *doing,
                                  ck_bytes text, ck_error *err);
/* "store NAME: cannot DOING: what the server says". `result` NULL: of the connection. */
ck_status ck_postgres_error(ck_postgres_connection *self, const PGresult *result, const char *doing,
                            ck_error *err);
/* Another try of the same transaction can succeed. */
bool ck_postgres_may_repeat(const ck_postgres_connection *self, const PGresult *result);
/* ---- dial.c ---- */
/* As PQconnectdb. */
PGconn *ck_postgres_dial(const ck_libpq *pq, const ck_postgres_url *url);
/* How long an answer is waited for before the server is asked whether it lives, and how long that
 * is waited for: a third of a lease, 2 s to 10 s. */
int ck_postgres_patience_s(const ck_postgres_url *url);
/* It takes connections, or says why it does not. */
bool ck_postgres_answers(const ck_libpq *pq, const ck_postgres_url *url);
/* ---- answer.c ---- */
/* As PQgetResult. NULL, and the connection is lost: the server does not answer, nor to anybody
 * else. */
PGresult *ck_postgres_next_answer(ck_postgres_connection *self);
/* The last of all answers to what was sent, as PQexec; `sent`: of the function that sent it. */
PGresult *ck_postgres_answer(ck_postgres_connection *self, int sent);

/* Statements without arguments and without rows, in one round trip. */
CK_CHECKED ck_status ck_postgres_exec(ck_postgres_connection *self, const char *sql,
                                      const char *doing, ck_error *err);

#endif
