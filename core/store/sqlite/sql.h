/* sql.h - every statement of the SQLite backend that runs more than once. Private to
 * core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_SQL_H
#define CK_STORE_SQLITE_SQL_H

#include "core/store/sqlite/counted.h"
#include "core/store/sqlite/inventory.h"
#include "core/store/sqlite/sql_maintenance.h"
#include "core/store/sqlite/sql_run.h"

/* Statements that read sessions, timelines, events and checkpoints. */
#define CK_SQL_READ_TABLE(X)                                                                      \
  X(CK_SQL_GET_SESSION, "SELECT " CK_SQL_SESSION " FROM session WHERE id = ?")                    \
  X(CK_SQL_LIST_SESSIONS,                                                                         \
    "SELECT " CK_SQL_SESSION " FROM session WHERE ?1 >> status & 1"                               \
    " AND (updated_ms >= ?2 OR status = 1) AND (?3 IS NULL OR " CK_SQL_MAY_HAVE_AGENT ")"         \
    " AND (?5 IS NULL OR " CK_SQL_MAY_HAVE_FLOW ") ORDER BY no DESC")                             \
  X(CK_SQL_LIST_LEAN, "SELECT " CK_SQL_SESSION_LEAN " FROM session WHERE ?1 >> status & 1"        \
                      " AND (updated_ms >= ?2 OR status = 1) ORDER BY no DESC")                   \
  X(CK_SQL_GROUP, "SELECT status, CASE WHEN status = 2 THEN reason END, count(*), "               \
                  "min(updated_ms) FROM session GROUP BY 1, 2")                                   \
  X(CK_SQL_GET_IDENTITY,                                                                          \
    "SELECT id, origin, cut, " CK_SQL_SESSION_IS_SOUND ", created_ms FROM session WHERE no = ?")  \
  X(CK_SQL_LIST_TIMELINES,                                                                        \
    "SELECT no, parent, cut, \"begin\", checkpoint, attempt, run, "                               \
    "parent_run, " CK_SQL_TIMELINE_IS_SOUND " FROM timeline WHERE session = ? ORDER BY no")       \
  X(CK_SQL_LAST_SEQ, "SELECT max(seq) FROM event WHERE session = ?")                              \
  X(CK_SQL_COUNT_EVENTS, "SELECT count(*) FROM event WHERE session = ?")                          \
  X(CK_SQL_GET_HEAD,                                                                              \
    "SELECT " CK_SQL_HEAD ", " CK_SQL_HEAD_IS_SOUND " FROM head WHERE session = ?")               \
  X(CK_SQL_GET_ABOUT,                                                                             \
    "SELECT about, " CK_SQL_TIMELINE_IS_SOUND ", run FROM timeline WHERE session = ? AND no = ?") \
  X(CK_SQL_EVENTS, CK_SQL_READ_EVENTS("e.decision"))                                              \
  X(CK_SQL_EVENTS_BACKWARD, CK_SQL_READ_EVENTS("e.decision") " DESC")                             \
  X(CK_SQL_CHECKPOINTS, CK_SQL_READ_CHECKPOINTS("NULL"))                                          \
  X(CK_SQL_CHECKPOINTS_BACKWARD, CK_SQL_READ_CHECKPOINTS("NULL") " DESC")                         \
  X(CK_SQL_PAYLOADS, CK_SQL_READ_CHECKPOINTS("payload"))                                          \
  X(CK_SQL_PAYLOADS_BACKWARD, CK_SQL_READ_CHECKPOINTS("payload") " DESC")

/* X(enumerator, text): each is prepared once per connection. */
#define CK_SQL_TABLE(X) \
  CK_SQL_RUN_TABLE(X) CK_SQL_MAINTENANCE_TABLE(X) CK_SQL_READ_TABLE(X) CK_SQL_COUNTED_TABLE(X)

/* Those of the inventory, of what is changed at once, are the first: they have its numbers. */
typedef enum {
#define X(name, table, all, one) name##_SUM,
  CK_INVENTORY_TABLE(X)
#undef X
#define X(name, text) name,
      CK_SQL_TABLE(X)
#undef X
          CK_SQL_COUNT
} ck_sql;

#endif
