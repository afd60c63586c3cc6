/* inventory.h - what a store holds as a whole, in one row of meta: so a session, a pin, a request
 * or a fact that is taken away or set back is found. Private to core/store/sqlite/.
 *
 * For each of the four tables the number of its rows and the sum of a digest of each, modulo 2^256
 * (in a store with a key the digests are keyed, and the row is sealed), so that a change costs the
 * same in a store of any size: before it, ck_inventory_touch_session takes out what the session's
 * old rows add, and the end of the transaction puts in what the new ones do. So a difference that
 * somebody else makes stays for ever. A digest is that of a row's check, which answers for all its
 * columns; of a session, of its own and that of its head, which name status, epoch, last event.
 *
 * It is written when a session is made, forked or deleted, where it changes its status, with the
 * head that a run writes at most once a second, and with a pin, a request and a fact; not with the
 * events and checkpoints of steps, which the head answers for. So it costs nothing per step, and a
 * status that is set back alone is found.
 *
 * The generation counts the inventories that were written; core/store/rollback.h compares it with a
 * counter outside of the store. */
#ifndef CK_STORE_SQLITE_INVENTORY_H
#define CK_STORE_SQLITE_INVENTORY_H

#include <sqlite3.h>

#include "core/store/backend.h"

/* X(enumerator, table, SELECT of the rows, WHERE of what is changed at once): the numbers are on
 * disk. */
/* clang-format off */
#define CK_INVENTORY_TABLE(X) \
  X(CK_INVENTORY_SESSION, "session", \
    "SELECT inventory_sum('session', s.no, s.\"check\", h.\"check\") FROM session s" \
    " LEFT JOIN head h ON h.session = s.no", " WHERE s.no = ?1") \
  X(CK_INVENTORY_PIN, "pin", \
    "SELECT inventory_sum('pin', session, seq, \"check\") FROM pin", " WHERE session = ?1") \
  X(CK_INVENTORY_REQUEST, "request", \
    "SELECT inventory_sum('request', no, session, \"check\") FROM request", \
    " WHERE session = ?1") \
  X(CK_INVENTORY_FACT, "fact", \
    "SELECT inventory_sum('fact', owner, key, \"check\") FROM fact", \
    " WHERE owner = ?1 AND key = ?2")
/* clang-format on */
typedef enum {
#define X(name, table, all, one) name,
  CK_INVENTORY_TABLE(X)
#undef X
      CK_INVENTORY_PARTS
} ck_inventory_part;

typedef struct ck_inventory_sum {
  int64_t count;
  uint8_t bytes[CK_DIGEST_SIZE]; /* a number, its lowest byte first */
} ck_inventory_sum;
typedef struct ck_inventory {
  uint64_t generation; /* 0: the store has none */
  ck_inventory_sum sums[CK_INVENTORY_PARTS];
} ck_inventory;

/* What a writer remembers of it. */
typedef struct ck_signing {
  bool begun;          /* in the present transaction; then: */
  bool absent;         /* the store has none, and gets none yet */
  ck_inventory before; /* as it was read */
  ck_inventory now;    /* without what was touched */
  int64_t *touched;    /* sessions */
  size_t touched_count, touched_cap;
  uint64_t writing, written, told; /* generations: of the transaction; of the last that was
                                      committed; of the last that `advance` was told. 0: none */
  ck_generation_visit advance;     /* NULL: nobody asks */
  void *to;
} ck_signing;

struct ck_sqlite;
struct ck_connection;

/* ---- inventory.c: for who changes rows, in a transaction of the writer ---- */

/* Before the first change of the session's row, head, pins or requests; also before the session is
 * made, by the number that it gets. The rest is done when the transaction is committed.
 * CK_E_CORRUPT: the inventory is gone, or not what was written. */
CK_CHECKED ck_status ck_inventory_touch_session(struct ck_sqlite *self, int64_t session,
                                                ck_error *err);
/* Before and behind the change of one fact. */
CK_CHECKED ck_status ck_inventory_take_fact(struct ck_sqlite *self, const char *owner,
                                            const char *key, ck_error *err);
CK_CHECKED ck_status ck_inventory_put_fact(struct ck_sqlite *self, const char *owner,
                                           const char *key, ck_error *err);
/* Makes it anew from what the store holds, with a generation above `generation` and its own. */
CK_CHECKED ck_status ck_inventory_make(struct ck_sqlite *self, uint64_t generation, ck_error *err);
/* Of transactions (write.c): at their beginning; before the commit; behind it; when all that this
 * handle committed is on disk. */
void ck_inventory_begin(struct ck_sqlite *self);
CK_CHECKED ck_status ck_inventory_end(struct ck_sqlite *self, ck_error *err);
void ck_inventory_note_committed(struct ck_sqlite *self);
void ck_inventory_note_synced(struct ck_sqlite *self);

/* ---- inventory_sum.c: sums, and the row ---- */

/* Registers the SQL aggregate inventory_sum(TABLE, COLUMN, …); its value is that of the next. */
int ck_inventory_add_function(sqlite3 *db, const struct ck_sqlite *store);
/* The sum of a column of inventory_sum. */
ck_inventory_sum ck_inventory_column(sqlite3_stmt *stmt);
void ck_inventory_add(ck_inventory_sum *self, const ck_inventory_sum *other);
void ck_inventory_subtract(ck_inventory_sum *self, const ck_inventory_sum *other);
bool ck_inventory_sum_equal(const ck_inventory_sum *a, const ck_inventory_sum *b);
bool ck_inventory_equal(const ck_inventory *a, const ck_inventory *b); /* but for the generation */
/* Of all rows, as the connection sees them. */
CK_CHECKED ck_status ck_inventory_count(ck_inventory *out, const struct ck_sqlite *self,
                                        sqlite3 *db, ck_error *err);
/* The row. Generation 0: the store is one that has none. CK_E_CORRUPT: it is gone, or not what was
 * written. */
CK_CHECKED ck_status ck_inventory_read(ck_inventory *out, const struct ck_sqlite *self,
                                       struct ck_connection *by, ck_error *err);
CK_CHECKED ck_status ck_inventory_write(struct ck_sqlite *self, const ck_inventory *inventory,
                                        ck_error *err);
/* Of a store that is being filled, the next behind `generation`. */
CK_CHECKED ck_status ck_inventory_make_in(const struct ck_sqlite *draft, sqlite3 *db,
                                          uint64_t generation, ck_error *err);

/* ---- inventory_check.c: CK_BACKEND_INVENTORY of backend.h ---- */
CK_CHECKED ck_status ck_inventory_compare(int64_t *problems, struct ck_sqlite *self,
                                          ck_problem_visit visit, void *to, ck_error *err);
void ck_sqlite_add_inventory(ck_backend *backend);

#endif
