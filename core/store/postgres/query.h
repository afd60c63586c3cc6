/* query.h - the arguments of one statement, and the columns of what it answers. All of them go in
 * binary form. Private to core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_QUERY_H
#define CK_STORE_POSTGRES_QUERY_H

#include "core/store/postgres/connection.h"

enum { CK_POSTGRES_ARGUMENTS = 76, CK_POSTGRES_ARRAYS = 16 };

/* Zero-initialise but for `sql`; texts and bytes are borrowed. What fails without memory is told
 * when it is run. */
typedef struct ck_postgres_query {
  ck_postgres_sql sql;
  int count;
  const char *values[CK_POSTGRES_ARGUMENTS];
  int lengths[CK_POSTGRES_ARGUMENTS];
  int64_t numbers[CK_POSTGRES_ARGUMENTS]; /* in network order */
  ck_buffer arrays[CK_POSTGRES_ARRAYS];
  int array_count;
  bool failed;
} ck_postgres_query;

void ck_postgres_bind_int(ck_postgres_query *self, int64_t number);
/* NULL is NULL. The server takes UTF-8 alone: each other byte becomes U+FFFD. */
void ck_postgres_bind_text(ck_postgres_query *self, const char *text);
void ck_postgres_bind_blob(ck_postgres_query *self, ck_bytes bytes);
/* No bytes are NULL. */
void ck_postgres_bind_optional(ck_postgres_query *self, ck_bytes bytes);
/* An array of `count` elements, which are appended behind it by ck_postgres_put_*. */
typedef enum { CK_POSTGRES_INTS, CK_POSTGRES_TEXTS, CK_POSTGRES_BLOBS } ck_postgres_type;
ck_buffer *ck_postgres_begin_array(ck_postgres_query *self, ck_postgres_type type, size_t count);
void ck_postgres_put_int(ck_buffer *array, int64_t number);
void ck_postgres_put_bytes(ck_buffer *array, ck_bytes bytes); /* data NULL: NULL */
void ck_postgres_put_text(ck_buffer *array, const char *text);
/* The array is complete: the next argument. */
void ck_postgres_end_array(ck_postgres_query *self, ck_buffer *array);
void ck_postgres_query_clear(ck_postgres_query *self);

/* Runs it and waits; *out is the caller's, to clear with ck_postgres_result_clear. */
CK_CHECKED ck_status ck_postgres_run(PGresult **out, ck_postgres_connection *by,
                                     ck_postgres_query *query, const char *doing, ck_error *err);
/* The same without an answer that is needed; *rows: how many rows it gave (NULL: not needed). */
CK_CHECKED ck_status ck_postgres_write(int *rows, ck_postgres_connection *by,
                                       ck_postgres_query *query, const char *doing, ck_error *err);
/* The text of a commit's statement; in commit_sql.c. */
void ck_postgres_write_commit(ck_buffer *out, ck_postgres_sql sql);
/* Prepares it where that was not done yet. */
CK_CHECKED ck_status ck_postgres_prepare(ck_postgres_connection *by, ck_postgres_sql sql,
                                         const char *doing, ck_error *err);
/* Sends it in a pipeline, prepared. False: it could not be sent. */
bool ck_postgres_send(ck_postgres_connection *by, const ck_postgres_query *query);

/* A row of an answer. */
typedef struct ck_postgres_row {
  const ck_libpq *pq;
  PGresult *result;
  int at, count;
} ck_postgres_row;
ck_postgres_row ck_postgres_first(const ck_libpq *pq, PGresult *result);
int64_t ck_postgres_int(const ck_postgres_row *self, int column); /* NULL: 0 */
/* NULL is NULL; ends with a NUL. Borrowed from the answer. */
const char *ck_postgres_text(const ck_postgres_row *self, int column);
ck_bytes ck_postgres_bytes(const ck_postgres_row *self, int column); /* NULL: data NULL */
/* Cut off when it is longer than an id can be. */
void ck_postgres_id(char out[65], const ck_postgres_row *self, int column);

#endif
