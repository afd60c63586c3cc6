/* counted.h - the checkpoints of a long session, counted as they are written: a row of meta has
 * their number up to a seq, so that only those behind it must be counted. Private to
 * core/store/sqlite/.
 *
 * The row, "checkpoints:NO", is written with every CK_COUNTED_EVERY-th checkpoint of a run, in its
 * transaction. Whatever changes rows of checkpoints takes it away in the same transaction; an older
 * ckrun does not, but its prune is an event behind it, which voids it. Without it all are counted.
 * Its text: five numbers of 19 digits, the seq first, then those of ck_checkpoint_count. */
#ifndef CK_STORE_SQLITE_COUNTED_H
#define CK_STORE_SQLITE_COUNTED_H

#include <stdint.h>

#include "core/base/error.h"
#include "core/store/sqlite/sql_columns.h"

/* CK_COUNTED_BEGIN: a session of fewer events is counted from its beginning whenever it has no
 * row; CK_COUNTED_SELDOM: checkpoints of a run between two such counts of a longer one. */
enum { CK_COUNTED_EVERY = 256, CK_COUNTED_BEGIN = 16384, CK_COUNTED_SELDOM = 4096 };

#define CK_SQL_COUNTED_KEY "'checkpoints:' || ?1"
#define CK_SQL_COUNTED_SESSION "CAST(substr(key, 13) AS INTEGER)"
#define CK_SQL_COUNTED_UNTIL "CAST(substr(value, 1, 19) AS INTEGER)"
#define CK_SQL_COUNTED_FORMAT "printf('%019d %019d %019d %019d %019d', "
/* 24: CK_EVENT_PRUNE. */
#define CK_SQL_NO_PRUNE_BEHIND                                                    \
  "NOT EXISTS (SELECT 1 FROM event WHERE event.session = " CK_SQL_COUNTED_SESSION \
  " AND seq > " CK_SQL_COUNTED_UNTIL " AND kind = 24)"
/* One row: what is counted, or zeros; a further condition stands between the two parts. */
#define CK_SQL_COUNTED                                                                          \
  "WITH counted(until, checkpoints, keyframes, bytes, hidden) AS (SELECT " CK_SQL_COUNTED_UNTIL \
  ", CAST(substr(value, 21, 19) AS INTEGER),"                                                   \
  " CAST(substr(value, 41, 19) AS INTEGER), CAST(substr(value, 61, 19) AS INTEGER),"            \
  " CAST(substr(value, 81, 19) AS INTEGER) FROM meta WHERE key = " CK_SQL_COUNTED_KEY           \
  " AND " CK_SQL_META_IS_SOUND " AND " CK_SQL_NO_PRUNE_BEHIND
#define CK_SQL_OR_ZEROS " UNION ALL SELECT 0, 0, 0, 0, 0 ORDER BY 1 DESC LIMIT 1) "
/* Of rows c: kept, keyframes among them, bytes of their payloads; pruned ones with a payload. */
#define CK_SQL_C_CHECKPOINTS "total(c.encoding & 8 = 0), "
#define CK_SQL_C_KEYFRAMES "total(c.keyframe = c.seq AND c.encoding & 8 = 0), "
#define CK_SQL_C_BYTES "total(iif(c.encoding & 8 = 0, length(c.payload), 0)), "
#define CK_SQL_C_HIDDEN "total(c.encoding & 8 <> 0 AND length(c.payload) > 0)"
#define CK_SQL_COUNTS_ADDED                                               \
  "checkpoints + " CK_SQL_C_CHECKPOINTS "keyframes + " CK_SQL_C_KEYFRAMES \
  "bytes + " CK_SQL_C_BYTES "hidden + " CK_SQL_C_HIDDEN

/* clang-format off */
#define CK_SQL_COUNTED_TABLE(X)                                                             \
  /* session, after, until: of all of the session's own when there is no bound */           \
  X(CK_SQL_COUNT_CHECKPOINTS,                                                               \
    CK_SQL_COUNTED " AND ?3 = 9223372036854775807" CK_SQL_OR_ZEROS                          \
    "SELECT " CK_SQL_COUNTS_ADDED " FROM counted LEFT JOIN checkpoint c"                    \
    " ON c.session = ?1 AND c.seq > max(?2, until) AND c.seq <= ?3")                        \
  /* session, whether it may be counted from its beginning */                               \
  X(CK_SQL_PUT_COUNTED,                                                                     \
    "INSERT OR REPLACE INTO meta SELECT " CK_SQL_COUNTED_KEY                                \
    ", v, row_check('meta', " CK_SQL_COUNTED_KEY ", v) FROM ("                              \
    CK_SQL_COUNTED CK_SQL_OR_ZEROS                                                          \
    "SELECT " CK_SQL_COUNTED_FORMAT "max(until, coalesce(max(c.seq), 0)), "                 \
    CK_SQL_COUNTS_ADDED ") AS v FROM counted LEFT JOIN checkpoint c"                        \
    " ON c.session = iif(until > 0 OR ?2, ?1, -1) AND c.seq > until)"                       \
    " WHERE CAST(substr(v, 1, 19) AS INTEGER) > 0")

/* Rows that say something else than their session's checkpoints up to there. */
#define CK_SQL_COUNTED_WRONGLY                                                              \
  "SELECT key FROM meta WHERE key GLOB 'checkpoints:*' AND " CK_SQL_NO_PRUNE_BEHIND         \
  " AND value IS NOT (SELECT " CK_SQL_COUNTED_FORMAT "max(c.seq), " CK_SQL_C_CHECKPOINTS    \
  CK_SQL_C_KEYFRAMES CK_SQL_C_BYTES CK_SQL_C_HIDDEN ") FROM checkpoint c"                   \
  " WHERE c.session = " CK_SQL_COUNTED_SESSION " AND c.seq <= " CK_SQL_COUNTED_UNTIL ")"
/* clang-format on */

struct ck_sqlite;
struct ck_row_batch;
struct sqlite3;

/* Behind the checkpoint of a batch, in its transaction. */
CK_CHECKED ck_status ck_counted_add(struct ck_sqlite *self, const struct ck_row_batch *batch,
                                    ck_error *err);
/* Rows of the session's checkpoints are changed in this transaction; 0: of all sessions. Answers a
 * code of SQLite: SQLITE_DONE. */
int ck_counted_drop(struct sqlite3 *db, int64_t session);
CK_CHECKED ck_status ck_sqlite_drop_counted(struct ck_sqlite *self, int64_t session, ck_error *err);

#endif
