/* binding.c - whether a database, its mark and its log belong together.
 *
 * The order makes each moment of a use known: the mark names the new use and the one before, and is
 * synced; the database gets its number and the sign, and is synced; then come commits. At the end
 * the log is in the database, the sign goes, that is synced, and the mark says so. */
#include "core/store/sqlite/binding.h"

#include <string.h>

#include "core/base/digest.h"

static const uint8_t sign[4] = {'c', 'k', 'l', 'v'};
static const uint8_t no_sign[sizeof sign];

uint64_t ck_use_make_id(void) {
  uint64_t id;
  do ck_random_bytes(&id, sizeof id);
  while (id == 0);
  return id;
}

ck_use ck_use_decode(const uint8_t bytes[CK_USE_SIZE]) {
  ck_use use = {.state = CK_USE_DAMAGED};
  if (memcmp(bytes, sign, sizeof sign) == 0) use.state = CK_USE_LIVE;
  if (memcmp(bytes, no_sign, sizeof no_sign) == 0) use.state = CK_USE_REST;
  for (size_t i = sizeof sign; i < CK_USE_SIZE; i++) use.id = use.id << 8 | bytes[i];
  return use;
}

void ck_use_encode(uint8_t bytes[CK_USE_SIZE], const ck_use *use) {
  memcpy(bytes, use->state == CK_USE_LIVE ? sign : no_sign, sizeof sign);
  for (size_t i = sizeof sign; i < CK_USE_SIZE; i++)
    bytes[i] = (uint8_t)(use->id >> (8 * (CK_USE_SIZE - 1 - i)));
}

static int file_of(sqlite3_file **out, sqlite3 *db) {
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, out);
  return code == SQLITE_OK && !(*out && (*out)->pMethods) ? SQLITE_CANTOPEN : code;
}

int ck_use_read(ck_use *out, sqlite3 *db) {
  uint8_t bytes[CK_USE_SIZE] = {0};
  sqlite3_file *file = NULL;
  int code = file_of(&file, db);
  if (code == SQLITE_OK) code = file->pMethods->xRead(file, bytes, sizeof bytes, CK_USE_AT);
  *out = ck_use_decode(bytes);
  return code;
}

int ck_use_write(sqlite3 *db, const ck_use *use) {
  uint8_t bytes[CK_USE_SIZE];
  sqlite3_file *file = NULL;
  ck_use_encode(bytes, use);
  int code = file_of(&file, db);
  if (code == SQLITE_OK) code = file->pMethods->xWrite(file, bytes, sizeof bytes, CK_USE_AT);
  return code == SQLITE_OK ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) : code;
}

/* ---- the three together ---- */

static void note_commit(void *to, const ck_wal_frame *frame) {
  bool *found = to;
  *found = *found || (frame->holds && frame->pages);
}

/* One that cannot be read is taken to hold some. */
static bool has_commits(const ck_wal_head *head, const char *wal_path) {
  bool found = false;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_wal_scan(wal_path, head, &(ck_wal_scan_options){0}, note_commit, &found, &ignored) !=
      CK_OK)
    return true;
  return found;
}

/* What the mark says of a log's round holds for any database beside it. */
static bool is_folded(const ck_mark *mark, const ck_wal_head *head) {
  return (mark->state == CK_MARK_FOLDED || mark->state == CK_MARK_BEGUN) &&
         head->state == CK_WAL_HEADED && memcmp(mark->salt, head->salt, CK_SALT_SIZE) == 0;
}

/* A log that no mark knows, beside a database that needs none. */
static ck_bound judge_rest(const ck_mark *mark, const ck_wal_head *head, const char *wal_path) {
  if (is_folded(mark, head)) return CK_BOUND_FOLDED;
  return has_commits(head, wal_path) ? CK_BOUND_OTHER_LOG : CK_BOUND;
}

static ck_bound judge_log(const ck_mark *mark, const ck_wal_head *head) {
  if (is_folded(mark, head)) return CK_BOUND_FOLDED;
  if (mark->state == CK_MARK_LIVE)
    return head->state == CK_WAL_HEADED ? CK_BOUND : CK_BOUND_LOG_GONE;
  return mark->state == CK_MARK_BEGUN && head->state == CK_WAL_NO_FILE ? CK_BOUND_LOG_GONE
                                                                       : CK_BOUND;
}

/* An older ckrun synced no sign and gave no numbers: a log beside its file is taken for its own. */
static ck_bound judge_unnumbered(const ck_use *use, const ck_mark *mark, const ck_wal_head *head,
                                 const char *wal_path) {
  bool live = use->state == CK_USE_LIVE, absent = ck_wal_is_absent(head);
  if (mark->state == CK_MARK_FOLDED && live && use->id) return CK_BOUND_BARE;
  if (mark->state != CK_MARK_NONE) return judge_log(mark, head);
  if (!use->id) return live && absent ? CK_BOUND_BARE : CK_BOUND;
  if (live) return has_commits(head, wal_path) ? CK_BOUND : CK_BOUND_BARE;
  return judge_rest(mark, head, wal_path);
}

ck_bound ck_binding_judge(const ck_use *use, const ck_mark *mark, const ck_wal_head *head,
                          const char *wal_path) {
  bool live = use->state == CK_USE_LIVE, folded = mark->state == CK_MARK_FOLDED;
  if (use->state == CK_USE_DAMAGED) return CK_BOUND_DAMAGED;
  if (!mark->id) return judge_unnumbered(use, mark, head, wal_path);
  if (folded) return live ? CK_BOUND_BARE : judge_rest(mark, head, wal_path);
  if (use->id == mark->id && live) return judge_log(mark, head);
  if (use->id == mark->id) return head->state == CK_WAL_HEADED ? CK_BOUND_FOLDED : CK_BOUND;
  bool begins = mark->begins && use->id == mark->before && (!live || !use->id);
  if (!begins) return live ? CK_BOUND_BARE : CK_BOUND_OTHER_LOG;
  if (mark->state == CK_MARK_LIVE || !use->id) return judge_log(mark, head);
  return judge_rest(mark, head, wal_path);
}

bool ck_binding_is_orphan(const ck_mark *mark, const ck_wal_head *head, const char *wal_path) {
  if (mark->state == CK_MARK_LIVE || mark->state == CK_MARK_BEGUN) return true;
  return !is_folded(mark, head) && has_commits(head, wal_path);
}
