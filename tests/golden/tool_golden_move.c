/* tool_golden_move.c - a golden store is moved to where a test runs: STORE FROM TO replaces the
 * folder that its sessions were started in, in what is kept of their runs, too, and makes the
 * checks of their rows again. For a store of any schema that is known here. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "core/store/sqlite/sqlite.h"

static const char *const checks[] = {
    [1] = "row_check('session', id, status, reason, epoch, timeline, run, created_ms, updated_ms, "
          "profile, flow, input)",
    [2] = "row_check('session', id, status, reason, epoch, timeline, run, created_ms, updated_ms, "
          "profile, flow, input, failure,"
          " origin, cut, restarts, restarted_ms, progress)",
    [3] = "row_check_grown('session', id, status, reason, epoch, timeline, run, created_ms, "
          "updated_ms, profile, flow, input, failure,"
          " origin, cut, restarts, restarted_ms, progress, description, node)",
};

static int fail(sqlite3 *db, const char *doing) {
  fprintf(stderr, "tool_golden_move: %s: %s\n", doing, sqlite3_errmsg(db));
  return 1;
}

static int schema_of(sqlite3 *db) {
  sqlite3_stmt *stmt = NULL;
  int schema = 0;
  if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &stmt, NULL) == SQLITE_OK &&
      sqlite3_step(stmt) == SQLITE_ROW)
    schema = sqlite3_column_int(stmt, 0);
  sqlite3_finalize(stmt);
  return schema;
}

int main(int count, char **words) {
  sqlite3 *db = NULL;
  if (count != 4) return 2;
  if (sqlite3_open(words[1], &db) != SQLITE_OK || ck_sqlite_add_check(db, NULL) != SQLITE_OK)
    return fail(db, "open");
  int schema = schema_of(db);
  if (schema < 1 || schema >= (int)(sizeof checks / sizeof *checks)) return fail(db, "schema");
  char *runs = schema < 3 ? sqlite3_mprintf("")
                          : sqlite3_mprintf(
                                "UPDATE timeline SET about = CAST(replace(CAST(about AS TEXT), %Q, "
                                "%Q) AS BLOB) WHERE about IS NOT NULL;"
                                "UPDATE timeline SET \"check\" = row_check_grown('timeline', "
                                "session, no, parent, cut, \"begin\", checkpoint, attempt, run, "
                                "parent_run, about)",
                                words[2], words[3]);
  char *move = sqlite3_mprintf("UPDATE session SET flow = replace(flow, %Q, %Q), input = "
                               "CAST(replace(CAST(input AS TEXT), %Q, %Q) AS BLOB);"
                               "UPDATE session SET \"check\" = %s",
                               words[2], words[3], words[2], words[3], checks[schema]);
  if (sqlite3_exec(db, move, NULL, NULL, NULL) != SQLITE_OK) return fail(db, "move");
  if (sqlite3_exec(db, runs, NULL, NULL, NULL) != SQLITE_OK) return fail(db, "move its runs");
  sqlite3_free(runs);
  sqlite3_free(move);
  sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
  sqlite3_close(db);
  return 0;
}
