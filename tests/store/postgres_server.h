/* postgres_server.h - a PostgreSQL server of the test's own, for as long as the program runs. */
#ifndef CK_TESTS_STORE_POSTGRES_SERVER_H
#define CK_TESTS_STORE_POSTGRES_SERVER_H

#include <stdbool.h>

/* Starts it when it is first asked for: "postgres:///postgres?host=…&user=ckrun", to which
 * "&schema=NAME" is appended. NULL: there is none here; *why says why. */
const char *postgres_server_url(const char **why);
/* A URL that is a store of its own, whose name begins with `prefix`; NULL, and a check is skipped
 * as `kind`: there is no server here. Lasts until the next call. */
const char *postgres_server_store(const char *prefix, const char *kind);
/* Ends it as a crash does, and starts it again: all connections are lost. */
void postgres_server_stop(void);
void postgres_server_start(void);
/* It answers nothing, and keeps its connections, until it goes on. */
void postgres_server_freeze(void);
void postgres_server_thaw(void);
/* A second server follows the first, until that dies and the second takes its place: on the hosts
 * of postgres_server_hosts, of which the one that takes writes is meant. */
void postgres_server_stand_by(void);
void postgres_server_fail_over(void);
/* From now on what is durable is so at the second server, too. */
void postgres_server_synchronize(void);
/* As a part of a URL: "host=A,B&target_session_attrs=read-write&user=ckrun". */
const char *postgres_server_hosts(void);
/* Runs SQL in the database as its owner, and gives the first column of the first row, or "". The
 * text lasts until the next call. */
const char *postgres_server_ask(const char *schema, const char *sql);
/* The same of the one that follows. */
const char *postgres_server_ask_standby(const char *schema, const char *sql);

#endif
