/* tool_tamper.c - runs SQL on a store's file, with row_check() as one who has no key can compute
 * it:  tool_tamper FILE SQL. */
#include <sqlite3.h>
#include <stdio.h>

#include "core/store/sqlite/sqlite.h"

int main(int count, char **words) {
  sqlite3 *db = NULL;
  char *why = NULL;
  if (count != 3) return 2;
  if (sqlite3_open(words[1], &db) != SQLITE_OK || ck_sqlite_add_check(db, NULL) != SQLITE_OK)
    return 2;
  bool done = sqlite3_exec(db, words[2], NULL, NULL, &why) == SQLITE_OK;
  bool changed = sqlite3_total_changes64(db) > 0;
  if (!done)
    fprintf(stderr, "%s\n", why);
  else if (!changed)
    fprintf(stderr, "nothing was changed\n");
  sqlite3_free(why);
  sqlite3_close(db);
  return done && changed ? 0 : 1;
}
