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

enum { ROUNDS = 1 << 16 };

/* What a log says of itself. The first commit of each holds the first page (fold.c). */
typedef struct log_facts {
  bool commits;
  uint64_t use;     /* whose they are; 0: an older ckrun's */
  uint64_t pending; /* of a commit that has not ended */
} log_facts;

static void note_frame(void *to, const ck_wal_frame *frame) {
  log_facts *self = to;
  if (!frame->holds || (self->commits && self->use)) return;
  if (frame->page_no == 1) {
    ck_use use = ck_use_decode(frame->page + CK_USE_AT);
    if (use.state == CK_USE_LIVE && use.id) self->pending = use.id;
  }
  if (!frame->pages) return;
  self->commits = true;
  self->use = self->pending;
}

/* One that cannot be read is taken to hold commits. */
static log_facts read_log(const ck_wal_head *head, const char *wal_path) {
  log_facts facts = {0};
  ck_error ignored = CK_ERROR_INIT;
  if (ck_wal_scan(wal_path, head, &(ck_wal_scan_options){0}, note_frame, &facts, &ignored) != CK_OK)
    facts.commits = true;
  return facts;
}

static bool has_commits(const ck_wal_head *head, const char *wal_path) {
  return read_log(head, wal_path).commits;
}

static bool is_of_mark(const ck_mark *mark, const ck_wal_head *head) {
  return head->state == CK_WAL_HEADED && memcmp(mark->salt, head->salt, CK_SALT_SIZE) == 0;
}

/* What the mark says of a log's round holds for any database beside it. */
static bool is_folded(const ck_mark *mark, const ck_wal_head *head) {
  return (mark->state == CK_MARK_FOLDED || mark->state == CK_MARK_BEGUN) && is_of_mark(mark, head);
}

/* SQLite counts the first half of the salt up whenever a log starts again from its beginning; the
 * first round of one that was emptied has any. */
static int64_t count_rounds(const ck_mark *mark, const ck_wal_head *head) {
  uint32_t from = 0, to = 0;
  for (int i = 0; i < 4; i++) {
    from = from << 8 | mark->salt[i];
    to = to << 8 | head->salt[i];
  }
  return (int32_t)(to - from);
}

/* Whether a log may be what became of the one that the mark knows: it has the number of the use, or
 * none and is of a later round, and it is not of an earlier one. */
static bool is_later(const ck_use *use, const ck_mark *mark, const ck_wal_head *head,
                     const char *wal_path) {
  if (!use->id || is_of_mark(mark, head)) return true;
  int64_t rounds = count_rounds(mark, head);
  uint64_t of = read_log(head, wal_path).use;
  if (of) return of == use->id && (rounds > 0 || rounds < -ROUNDS);
  return rounds > 0 && rounds < ROUNDS;
}

/* A log that no mark knows, beside a database that needs none. */
static ck_bound judge_rest(const ck_mark *mark, const ck_wal_head *head, const char *wal_path) {
  if (is_folded(mark, head)) return CK_BOUND_FOLDED;
  return has_commits(head, wal_path) ? CK_BOUND_OTHER_LOG : CK_BOUND;
}

static ck_bound judge_log(const ck_use *use, const ck_mark *mark, const ck_wal_head *head,
                          const char *wal_path) {
  if (is_folded(mark, head)) return CK_BOUND_FOLDED;
  if (mark->state == CK_MARK_LIVE && head->state != CK_WAL_HEADED) return CK_BOUND_LOG_GONE;
  if (mark->state == CK_MARK_LIVE)
    return is_later(use, mark, head, wal_path) ? CK_BOUND : CK_BOUND_BARE;
  if (mark->state != CK_MARK_BEGUN) return CK_BOUND;
  if (head->state == CK_WAL_NO_FILE) return CK_BOUND_LOG_GONE;
  uint64_t of = read_log(head, wal_path).use;
  return of && use->id && of != use->id ? CK_BOUND_BARE : CK_BOUND;
}

/* No mark knows the log of a database in use: it has commits, with its number or with none. An
 * older ckrun's have none, or bring the one along that it found. */
static ck_bound judge_alone(const ck_use *use, const ck_mark *mark, const ck_wal_head *head,
                            const char *wal_path) {
  if (is_folded(mark, head)) return CK_BOUND_BARE;
  log_facts facts = read_log(head, wal_path);
  bool ours = facts.use == use->id && !mark->id;
  return facts.commits && (ours || !facts.use) ? CK_BOUND : CK_BOUND_BARE;
}

/* An older ckrun synced no sign and gave no numbers: a log beside its file is taken for its own. */
static ck_bound judge_unnumbered(const ck_use *use, const ck_mark *mark, const ck_wal_head *head,
                                 const char *wal_path) {
  bool live = use->state == CK_USE_LIVE, absent = ck_wal_is_absent(head);
  bool knows = mark->state == CK_MARK_LIVE || mark->state == CK_MARK_BEGUN;
  if (!knows && live && use->id) return judge_alone(use, mark, head, wal_path);
  if (mark->state != CK_MARK_NONE) return judge_log(use, mark, head, wal_path);
  if (!use->id) return live && absent ? CK_BOUND_BARE : CK_BOUND;
  return judge_rest(mark, head, wal_path);
}

/* The database is at rest, and the mark says not yet so. */
static ck_bound judge_end(const ck_use *use, const ck_mark *mark, const ck_wal_head *head,
                          const char *wal_path) {
  if (head->state != CK_WAL_HEADED) return CK_BOUND;
  ck_bound bound = judge_log(use, mark, head, wal_path);
  return bound == CK_BOUND_BARE ? CK_BOUND_OTHER_LOG : CK_BOUND_FOLDED;
}

ck_bound ck_binding_judge(const ck_use *use, const ck_mark *mark, const ck_wal_head *head,
                          const char *wal_path) {
  bool live = use->state == CK_USE_LIVE, folded = mark->state == CK_MARK_FOLDED;
  bool same = use->id == mark->id;
  if (use->state == CK_USE_DAMAGED) return CK_BOUND_DAMAGED;
  if (!mark->id) return judge_unnumbered(use, mark, head, wal_path);
  if (folded && live) return same ? judge_alone(use, mark, head, wal_path) : CK_BOUND_BARE;
  if (folded) return judge_rest(mark, head, wal_path);
  if (same && live) return judge_log(use, mark, head, wal_path);
  if (same) return judge_end(use, mark, head, wal_path);
  bool begins = mark->begins && use->id == mark->before && (!live || !use->id);
  if (!begins) return live ? CK_BOUND_BARE : CK_BOUND_OTHER_LOG;
  if (mark->state == CK_MARK_LIVE || !use->id) return judge_log(use, mark, head, wal_path);
  return judge_rest(mark, head, wal_path);
}

bool ck_binding_is_orphan(const ck_mark *mark, const ck_wal_head *head, const char *wal_path) {
  if (mark->state == CK_MARK_LIVE || mark->state == CK_MARK_BEGUN) return true;
  return !is_folded(mark, head) && has_commits(head, wal_path);
}
