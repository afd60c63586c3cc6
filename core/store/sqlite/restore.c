/* restore.c - takes back the sessions of a file that another store was copied into: those that are
 * not here any more as a whole, of the others the payloads of checkpoints that were pruned. */
#include <string.h>

#include "core/base/shell_word.h"
#include "core/store/sqlite/archive.h"
#include "core/store/sqlite/reader.h"

typedef struct restoring {
  ck_sqlite *self;
  ck_backend archive;
  ck_connection *reader; /* of the archive, in a transaction */
  sqlite3_stmt *list, *find;
  ck_restored_visit visit;
  void *to;
} restoring;

static ck_status failed(const restoring *self, int code, ck_error *err) {
  return ck_sqlite_error(self->self, self->self->writer->db, code, "take a session back", err);
}

/* But for the version before it and the signature behind it, which an older ckrun made another way
 * (sealed/sealed.h): the state and the key's id. */
static ck_bytes key_of(const ck_buffer *entry) {
  ck_bytes bytes = ck_buffer_bytes(entry);
  size_t len = bytes.len > 1 + CK_KEY_ID_SIZE ? 1 + CK_KEY_ID_SIZE : 0;
  return (ck_bytes){len ? bytes.data + 1 : NULL, len};
}

/* Nothing that is sealed is opened on the way. */
static ck_status check_same_key(restoring *self, ck_error *err) {
  ck_buffer here = {0}, there = {0};
  const ck_sqlite *archive = self->archive.self;
  ck_status status = self->archive.get_key_entry(&there, self->archive.self, err);
  ck_buffer_append_bytes(&here, ck_buffer_bytes(&self->self->key_entry));
  if (status == CK_OK) status = ck_buffer_check(&here, err);
  bool same = ck_bytes_equal(key_of(&here), key_of(&there));
  if (same && here.len) /* one key seals each store in a way of its own */
    same = memcmp(self->self->fingerprint_key, archive->fingerprint_key, CK_SQLITE_KEY_SIZE) == 0;
  ck_buffer word = {0};
  ck_shell_word_append_quoted(&word, archive->path);
  if (status == CK_OK) status = ck_buffer_check(&word, err);
  if (status == CK_OK && !same)
    status = ck_error_set(
        err, CK_E_OTHER_KEY,
        "%s is not sealed as store %s is: with another key ('ckrun --store %s key rotate' gives it "
        "this one), or it is of another store: 'ckrun --store %s' reads it where it is",
        archive->path, self->self->path, word.data, word.data);
  ck_buffer_clear(&word);
  ck_buffer_clear(&here);
  ck_buffer_clear(&there);
  return status;
}

static ck_status check_schema(const ck_sqlite *archive, ck_error *err) {
  if (archive->schema == CK_STORE_SCHEMA) return CK_OK;
  return ck_error_set(err, CK_E_UNSUPPORTED,
                      "store %s has schema %lld, and only schema %d is taken back: the first "
                      "command that writes it brings it there",
                      archive->path, (long long)archive->schema, CK_STORE_SCHEMA);
}

static int64_t number(sqlite3_stmt *stmt, int column) { return sqlite3_column_int64(stmt, column); }

/* The number here of the session with that id, and when it was made; 0: there is none. */
static ck_status find(int64_t *no, int64_t *created_ms, restoring *self, const char *id,
                      ck_error *err) {
  sqlite3_bind_text(self->find, 1, id, -1, SQLITE_STATIC);
  int code = sqlite3_step(self->find);
  *no = code == SQLITE_ROW ? number(self->find, 0) : 0;
  *created_ms = code == SQLITE_ROW ? number(self->find, 1) : 0;
  sqlite3_reset(self->find);
  return code == SQLITE_ROW || code == SQLITE_DONE ? CK_OK : failed(self, code, err);
}

static ck_status refuse(const restoring *self, const char *id, ck_error *err) {
  const ck_sqlite *archive = self->archive.self;
  ck_buffer word = {0};
  ck_shell_word_append_quoted(&word, archive->path);
  ck_status status = ck_buffer_check(&word, err);
  if (status == CK_OK)
    status = ck_error_set(err, CK_E_EXISTS,
                          "session %s of %s is not the session %s that is in store %s: nothing is "
                          "taken back; 'ckrun --store %s' reads it where it is",
                          id, archive->path, id, self->self->path, word.data);
  ck_buffer_clear(&word);
  return status;
}

static ck_status return_payloads(ck_restored *one, restoring *self, const ck_copying *copying,
                                 ck_error *err) {
  int64_t foreign = 0;
  ck_status status = ck_copying_payloads(&one->checkpoints, &foreign, copying, err);
  return status == CK_OK && foreign ? refuse(self, one->id, err) : status;
}

/* The number that the next session gets, as CK_SQL_PUT_SESSION has it. */
static ck_status next_number(int64_t *out, restoring *self, ck_error *err) {
  return ck_connection_get_int(out, self->self, self->self->writer,
                               "SELECT " CK_SQL_NEXT_SESSION_NO, err);
}

/* Of a session that is here. One that others in the file were forked from is there for their
 * sake. */
static ck_status return_to(ck_restored *one, restoring *self, const ck_copying *copying,
                           ck_error *err) {
  if (number(self->list, 4)) return CK_OK;
  return return_payloads(one, self, copying, err);
}

/* The row of `list`: number, id, created_ms, the id of its origin, which stands before it, and
 * whether it has forks there. */
static ck_status restore_one(restoring *self, ck_error *err) {
  const ck_sqlite *archive = self->archive.self;
  ck_restored one = {0};
  int64_t made_ms, ignored;
  ck_copying copying = {.from = archive,
                        .into = self->self,
                        .source = self->reader->db,
                        .target = self->self->writer->db,
                        .session = number(self->list, 0)};
  ck_column_id(one.id, self->list, 1);
  const char *origin = ck_column_text(self->list, 3);
  ck_status status = find(&copying.as, &made_ms, self, one.id, err);
  if (status == CK_OK && origin) status = find(&copying.origin, &ignored, self, origin, err);
  if (status != CK_OK) return status;
  if (copying.as && made_ms != number(self->list, 2)) return refuse(self, one.id, err);
  one.made = !copying.as;
  if (one.made) status = next_number(&copying.as, self, err);
  if (status == CK_OK) status = ck_inventory_touch_session(self->self, copying.as, err);
  if (status == CK_OK)
    status = one.made ? ck_copying_session(&copying, err) : return_to(&one, self, &copying, err);
  return status == CK_OK ? self->visit(self->to, &one, err) : status;
}

static ck_status restore_all(restoring *self, ck_error *err) {
  static const char list[] =
      "SELECT no, id, created_ms, (SELECT id FROM session o WHERE o.no = s.origin),"
      " EXISTS (SELECT 1 FROM session f WHERE f.origin = s.no) FROM session s ORDER BY no";
  int code = sqlite3_prepare_v2(self->reader->db, list, -1, &self->list, NULL);
  ck_status status = code == SQLITE_OK ? CK_OK
                                       : ck_sqlite_error(self->archive.self, self->reader->db, code,
                                                         "list its sessions", err);
  if (status == CK_OK)
    code = sqlite3_prepare_v2(self->self->writer->db,
                              "SELECT no, created_ms FROM session WHERE id = ?", -1, &self->find,
                              NULL);
  if (status == CK_OK && code != SQLITE_OK) status = failed(self, code, err);
  while (status == CK_OK && (code = sqlite3_step(self->list)) == SQLITE_ROW)
    status = restore_one(self, err);
  if (status == CK_OK && code != SQLITE_DONE)
    status = ck_sqlite_error(self->archive.self, self->reader->db, code, "list its sessions", err);
  sqlite3_finalize(self->list);
  sqlite3_finalize(self->find);
  return status;
}

static ck_status restore(restoring *self, ck_error *err) {
  ck_sqlite *archive = self->archive.self;
  archive->seal = self->self->seal; /* the checks of its rows are made with it */
  ck_status status = check_schema(archive, err);
  if (status == CK_OK) status = check_same_key(self, err);
  if (status == CK_OK) status = ck_sqlite_get_reader(&self->reader, archive, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_begin(self->self, CK_DURABLE_POWER, err);
  if (status == CK_OK) {
    status = ck_sqlite_check_key(self->self, err);
    if (status == CK_OK) status = restore_all(self, err);
    status = ck_sqlite_end(self->self, status, err);
  }
  ck_sqlite_put_reader(archive, self->reader);
  return status;
}

ck_status ck_sqlite_restore(void *to, const char *path, ck_restored_visit visit, void *visitor,
                            ck_error *err) {
  restoring self = {.self = to, .visit = visit, .to = visitor};
  ck_store_options options = {.read_only = true};
  ck_status status = ck_backend_open_sqlite(&self.archive, path, &options, err);
  if (status == CK_OK) status = restore(&self, err);
  if (self.archive.close) self.archive.close(self.archive.self);
  return status;
}
