/* binding.h - whether a database, the mark in its PATH.lock and its log belong together. Private to
 * core/store/sqlite/.
 *
 * Bytes 72 to 83 of the database are reserved by SQLite, which leaves them alone: "cklv" while its
 * log may hold commits that the database does not, zeros at rest; then the number of the use, drawn
 * anew whenever a store at rest is written again. The mark has the same number. */
#ifndef CK_STORE_SQLITE_BINDING_H
#define CK_STORE_SQLITE_BINDING_H

#include <sqlite3.h>

#include "core/store/sqlite/wal_scan.h"

enum { CK_USE_AT = 72, CK_USE_SIZE = 12 };

/* DAMAGED: neither the sign nor zeros. */
typedef enum { CK_USE_REST, CK_USE_LIVE, CK_USE_DAMAGED } ck_use_state;
typedef struct ck_use {
  ck_use_state state;
  uint64_t id; /* 0: of an older ckrun, which gave none */
} ck_use;

uint64_t ck_use_make_id(void);
ck_use ck_use_decode(const uint8_t bytes[CK_USE_SIZE]);
void ck_use_encode(uint8_t bytes[CK_USE_SIZE], const ck_use *use);
/* From and to the file of a connection; an SQLite code. The write is synced. */
int ck_use_read(ck_use *out, sqlite3 *db);
int ck_use_write(sqlite3 *db, const ck_use *use);

typedef enum {
  CK_BOUND,
  CK_BOUND_FOLDED,    /* all of the log is in the database: it is made empty before anybody reads */
  CK_BOUND_LOG_GONE,  /* the log held commits, and is not there */
  CK_BOUND_BARE,      /* the database was in use, and what lies beside it is not its log */
  CK_BOUND_OTHER_LOG, /* the database is whole, and what lies beside it is of another one */
  CK_BOUND_DAMAGED    /* the database's sign */
} ck_bound;

ck_bound ck_binding_judge(const ck_use *use, const ck_mark *mark, const ck_wal_head *head,
                          const char *wal_path);
/* Whether the log of a database that is not there holds commits. */
bool ck_binding_is_orphan(const ck_mark *mark, const ck_wal_head *head, const char *wal_path);

#endif
