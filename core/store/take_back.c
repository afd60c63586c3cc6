/* take_back.c - reads the sessions of an archive into a sink of the store, under numbers of its
 * own: those that are not here as a whole, of the others the payloads that were pruned. */
#include "core/store/take_back.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/shell_word.h"
#include "core/store/copy_walk.h"
#include "core/store/sealed/sealed.h"
#include "core/store/store_core.h"

typedef struct taking_back {
  ck_store *store;
  const ck_backend *here;
  ck_backend archive;
  const char *path;
  ck_copy_list list; /* of the archive */
  int64_t *numbers;  /* here, of each of the list; 0: not yet */
  ck_copy_sink rows; /* of the store */
  size_t at;         /* in the list */
  ck_lease lease;    /* of a session that is here, which gets payloads back; session 0: none */
  ck_restored one;   /* that is on its way */
  ck_restored_visit visit;
  void *to;
} taking_back;

bool ck_take_back_can(const ck_store *self) { return ck_copy_rows_of(self)->copy.take_back; }

/* ---- what is refused ---- */

/* Ends the error with the command that reads the archive. */
static ck_status tell_where(const taking_back *self, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = err->status;
  ck_buffer_append_format(&text, "%s; 'ckrun --store ", err->text);
  ck_shell_word_append_quoted(&text, self->path);
  ck_buffer_append_text(&text, "' reads it where it is");
  ck_status made = ck_buffer_check(&text, err);
  if (!made) made = ck_error_set(err, status, "%s", text.data);
  ck_buffer_clear(&text);
  return made;
}

static ck_status refuse_session(const taking_back *self, ck_error *err) {
  const char *id = self->one.id;
  ck_error_set(err, CK_E_EXISTS,
               "session %s of %.300s is not the session %s that is in store %.300s: nothing is "
               "taken back",
               id, self->path, id, self->store->url);
  return tell_where(self, err);
}

/* But for the version before it and the signature behind it (sealed/sealed.h). */
static ck_bytes key_of(const ck_buffer *entry) {
  ck_bytes bytes = ck_buffer_bytes(entry);
  size_t len = bytes.len > 1 + CK_KEY_ID_SIZE ? 1 + CK_KEY_ID_SIZE : 0;
  return (ck_bytes){len ? bytes.data + 1 : NULL, len};
}

/* Sealed rows are taken as they are, which is why both have the same key and fingerprint key. */
static ck_status check_same_key(const taking_back *self, ck_error *err) {
  ck_buffer here = {0}, there = {0};
  const ck_backend *a = self->here, *b = &self->archive;
  ck_status status = a->get_key_entry(&here, a->self, err);
  if (!status) status = b->get_key_entry(&there, b->self, err);
  bool same = ck_bytes_equal(key_of(&here), key_of(&there));
  if (same && here.len)
    same = memcmp(a->fingerprint_key(a->self), b->fingerprint_key(b->self), CK_KEY_SIZE) == 0;
  ck_buffer_clear(&here);
  ck_buffer_clear(&there);
  if (status || same) return status;
  ck_error_set(err, CK_E_OTHER_KEY,
               "%.300s is not sealed as store %.300s is: with another key, or it is of another "
               "store",
               self->path, self->store->url);
  return tell_where(self, err);
}

/* ---- the rows ---- */

static int64_t number_of(const taking_back *self, int64_t there) {
  for (size_t i = 0; i < self->list.count; i++)
    if (self->list.sessions[i].no == there) return self->numbers[i];
  return 0;
}

/* One that others in the file were forked from is there for their sake. */
static bool has_forks(const taking_back *self, int64_t there) {
  bool found = false;
  for (size_t i = 0; i < self->list.count && !found; i++)
    found = self->list.sessions[i].origin == there;
  return found;
}

static ck_status find_lease(taking_back *self, int64_t there, int64_t here, ck_error *err) {
  self->lease = (ck_lease){0};
  if (has_forks(self, there)) return CK_OK;
  const ck_held_lease *held = ck_store_core_get_lease(self->store, here);
  if (held) self->lease = held->lease;
  if (held) return CK_OK;
  return ck_error_set(err, CK_E_OWNED, "the lock of session %s is not held", self->one.id);
}

static ck_status put_session(void *to, const ck_session_record *record, ck_error *err) {
  taking_back *self = to;
  ck_session_record found, made = *record;
  ck_error absent = CK_ERROR_INIT;
  while (self->list.sessions[self->at].no != record->no) self->at++;
  self->one = (ck_restored){0};
  memcpy(self->one.id, record->id, sizeof self->one.id);
  ck_status status = self->here->get_session(&found, self->here->self, record->id, &absent);
  if (status && status != CK_E_NOT_FOUND) return ck_error_set(err, status, "%s", absent.text);
  self->one.made = status == CK_E_NOT_FOUND;
  if (!self->one.made) {
    bool same = found.created_ms == record->created_ms;
    self->numbers[self->at] = found.no;
    ck_session_record_clear(&found);
    return same ? find_lease(self, record->no, self->numbers[self->at], err)
                : refuse_session(self, err);
  }
  status = self->rows.number(self->rows.self, &made.no, err);
  if (status) return status;
  self->numbers[self->at] = made.no;
  made.origin.session = number_of(self, record->origin.session);
  return self->rows.session(self->rows.self, &made, err);
}

static ck_status put_timeline(void *to, int64_t session, const ck_timeline *timeline,
                              const ck_value *about, ck_error *err) {
  taking_back *self = to;
  if (!self->one.made) return CK_OK;
  return self->rows.timeline(self->rows.self, number_of(self, session), timeline, about, err);
}

static ck_status put_head(void *to, int64_t session, const ck_head_row *row, ck_error *err) {
  taking_back *self = to;
  if (!self->one.made) return CK_OK;
  return self->rows.head(self->rows.self, number_of(self, session), row, err);
}

static ck_status put_event(void *to, int64_t session, const ck_event_row *row, ck_error *err) {
  taking_back *self = to;
  if (!self->one.made) return CK_OK;
  return self->rows.event(self->rows.self, number_of(self, session), row, err);
}

static ck_status put_payload(taking_back *self, const ck_checkpoint_row *row, ck_error *err) {
  bool is_same, changed;
  if (!self->lease.session || !row->payload.len) return CK_OK;
  ck_status status = self->rows.payload(self->rows.self, self->lease, row, &is_same, &changed, err);
  if (status) return status;
  if (!is_same) return refuse_session(self, err);
  self->one.checkpoints += changed && !(row->encoding & CK_ENCODING_PRUNED);
  return CK_OK;
}

static ck_status put_checkpoint(void *to, int64_t session, const ck_checkpoint_row *row,
                                ck_error *err) {
  taking_back *self = to;
  if (!self->one.made) return put_payload(self, row, err);
  return self->rows.checkpoint(self->rows.self, number_of(self, session), row, err);
}

static ck_status put_pin(void *to, int64_t session, int64_t seq, ck_error *err) {
  taking_back *self = to;
  if (!self->one.made) return CK_OK;
  return self->rows.pin(self->rows.self, number_of(self, session), seq, err);
}

static ck_status put_use(void *to, int64_t session, const ck_digest *name, ck_error *err) {
  taking_back *self = to;
  if (!self->one.made) return CK_OK;
  return self->rows.use(self->rows.self, number_of(self, session), name, err);
}

/* They were to a run that is over. */
static ck_status drop_request(void *to, const ck_request *request, ck_error *err) {
  (void)to, (void)request, (void)err;
  return CK_OK;
}

static ck_status end_session(void *to, int64_t session, ck_error *err) {
  taking_back *self = to;
  ck_status status = CK_OK;
  if (self->one.made)
    status = self->rows.end_session(self->rows.self, number_of(self, session), err);
  return status ? status : self->visit(self->to, &self->one, err);
}

static ck_status put_blob(void *to, const ck_blob_row *row, ck_error *err) {
  const taking_back *self = to;
  return self->rows.blob(self->rows.self, row, err);
}

/* ---- all ---- */

static ck_status fill(void *to, const ck_copy_sink *rows, ck_error *err) {
  taking_back *self = to;
  const ck_copy_sink sink = {.self = self,
                             .session = put_session,
                             .timeline = put_timeline,
                             .head = put_head,
                             .event = put_event,
                             .checkpoint = put_checkpoint,
                             .pin = put_pin,
                             .use = put_use,
                             .request = drop_request,
                             .end_session = end_session,
                             .blob = put_blob};
  self->rows = *rows;
  return ck_copy_walk(&self->archive, &self->list, &sink, err);
}

static ck_status read_archive(taking_back *self, ck_error *err) {
  ck_status status = ck_copy_list_make(&self->list, &self->archive, NULL, err);
  if (status) return status;
  self->list.all = false; /* neither facts nor what no session uses */
  self->numbers = calloc(self->list.count + 1, sizeof *self->numbers);
  if (!self->numbers) return ck_error_no_memory(err);
  return self->here->copy.take_back(self->here->self, fill, self, err);
}

static ck_status take_back(taking_back *self, ck_error *err) {
  ck_backend *archive = &self->archive;
  ck_status status = check_same_key(self, err);
  if (status) return status;
  if (self->store->has_key && archive->use_seal)
    archive->use_seal(archive->self, ((ck_sealed *)self->store->backend.self)->seal, false);
  status = archive->copy.begin_reading(archive->self, err);
  if (status) return status;
  status = read_archive(self, err);
  archive->copy.end_reading(archive->self);
  return status;
}

ck_status ck_take_back(ck_store *store, const char *path, ck_restored_visit visit, void *to,
                       ck_error *err) {
  ck_store_options options = {.read_only = true};
  taking_back self = {
      .store = store, .here = ck_copy_rows_of(store), .path = path, .visit = visit, .to = to};
  ck_error own = CK_ERROR_INIT;
  if (!err) err = &own;
  ck_status status = ck_backend_open_sqlite(&self.archive, path, &options, err);
  if (!status) status = take_back(&self, err);
  if (self.archive.close) self.archive.close(self.archive.self);
  ck_copy_list_clear(&self.list);
  free(self.numbers);
  return status;
}
