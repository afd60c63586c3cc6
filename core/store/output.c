/* output.c - a shelf of what a store keeps of long outputs: cuts texts into rows, and puts them
 * together again. */
#include "core/store/output.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"
#include "core/store/store_core.h"

typedef struct outputs {
  ck_store *store; /* NULL: nobody else writes */
  const ck_backend *backend;
  const char *url;
} outputs;

typedef struct item {
  ck_shelf_item item;
  const outputs *of;
  char *name;
  ck_buffer part; /* that is read, or comes next */
  size_t at;      /* in it */
  int64_t no;
  bool last; /* there is no other behind it */
} item;

static int64_t make_check(const ck_output_row *row) {
  uint64_t check;
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_int(&digester, row->part);
  ck_digester_update_int(&digester, row->last);
  ck_digester_update_field(&digester, row->body);
  ck_digest digest = ck_digester_final(&digester);
  memcpy(&check, digest.bytes, sizeof check);
  return (int64_t)le64toh(check);
}

/* ---- reading ---- */

typedef struct taking {
  item *to;
  bool sound;
} taking;

static void take(void *to, const ck_output_row *row) {
  taking *self = to;
  self->sound = row->check == make_check(row);
  self->to->last = row->last;
  ck_buffer_append_bytes(&self->to->part, row->body);
}

static ck_status refuse(const item *self, const char *why, ck_error *err) {
  return ck_error_set(err, CK_E_CORRUPT,
                      "store %s: part %lld of the long output %s is not what was written: %s",
                      self->of->url, (long long)self->no + 1, self->name, why);
}

static ck_status read_part(item *self, ck_error *err) {
  taking found = {.to = self};
  const ck_backend *backend = self->of->backend;
  ck_buffer_reset(&self->part);
  self->at = 0;
  ck_status status = backend->output.get(backend->self, self->name, self->no, take, &found, err);
  if (status == CK_E_NOT_FOUND && self->no > 0) return refuse(self, "it is gone", err);
  if (status) return status;
  if (!found.sound) return refuse(self, "its check differs", err);
  self->no++;
  return ck_buffer_check(&self->part, err);
}

static ck_status read_item(size_t *got, ck_shelf_item *to, char *room, size_t len, ck_error *err) {
  item *self = (item *)to;
  ck_status status = CK_OK;
  while (*got < len && !status) {
    size_t there = self->part.len - self->at, some = len - *got < there ? len - *got : there;
    if (some) memcpy(room + *got, self->part.data + self->at, some);
    *got += some;
    self->at += some;
    if (self->at < self->part.len) continue;
    if (self->last) break;
    status = read_part(self, err);
  }
  return status;
}

/* ---- writing ---- */

/* SESSION of "SESSION-HEX-ATTEMPT.NAME", also behind a '.'. */
static bool read_session(char out[CK_ID_SIZE], const char *name) {
  if (*name == '.') name++;
  const char *end = strrchr(name, '-');
  while (end && end > name && end[-1] != '-') end--;
  if (!end || end < name + 2 || (size_t)(end - name) > CK_ID_SIZE) return false;
  memcpy(out, name, (size_t)(end - name) - 1);
  out[end - name - 1] = '\0';
  return true;
}

static ck_status find_alone(ck_lease *out, const outputs *self, const char *session,
                            ck_error *err) {
  ck_session_record record;
  ck_status status = self->backend->get_session(&record, self->backend->self, session, err);
  if (status) return status;
  *out = (ck_lease){.session = record.no};
  ck_session_record_clear(&record);
  return CK_OK;
}

static ck_status find_lease(ck_lease *out, const outputs *self, const char *name, ck_error *err) {
  char session[CK_ID_SIZE];
  *out = (ck_lease){0};
  if (!read_session(session, name))
    return ck_error_set(err, CK_E_USAGE, "%s is no name of a long output", name);
  if (!self->store) return find_alone(out, self, session, err);
  for (size_t i = 0; i < self->store->held_count; i++)
    if (strcmp(ck_chain_session(self->store->held[i].chain), session) == 0)
      *out = self->store->held[i].lease;
  if (out->session) return CK_OK;
  return ck_error_set(err, CK_E_FENCED, "the lease on session %s is not held", session);
}

/* A row, or with `name` another name for what has it. */
typedef struct change {
  const ck_output_row *row; /* NULL: it is moved */
  const char *name, *as;
} change;

static ck_status make_change(const outputs *self, const change *what, ck_error *err) {
  ck_lease lease;
  const ck_backend *backend = self->backend;
  ck_status status = find_lease(&lease, self, what->name, err);
  if (status) return status;
  return what->row ? backend->output.put(backend->self, lease, what->row, err)
                   : backend->output.move(backend->self, lease, what->name, what->as, err);
}

/* Twice is as once: a change that the server did not answer is made again. */
static ck_status do_change(const outputs *self, const change *what, ck_error *err) {
  ck_error lost = CK_ERROR_INIT;
  if (!self->store) return make_change(self, what, err);
  ck_status status = ck_store_core_begin_write(self->store, err);
  if (status) return status;
  status = ck_store_core_end_write(self->store, make_change(self, what, &lost), &lost);
  if (status == CK_E_UNKNOWN) {
    status = ck_store_recover(self->store, err);
    if (!status) status = ck_store_core_begin_write(self->store, err);
    if (status) return status;
    lost = (ck_error)CK_ERROR_INIT;
    status = ck_store_core_end_write(self->store, make_change(self, what, &lost), &lost);
  }
  if (status && err) *err = lost;
  return status;
}

static ck_status write_part(item *self, size_t len, bool last, ck_error *err) {
  ck_output_row row = {.name = self->name,
                       .part = self->no,
                       .last = last,
                       .body = {self->part.data ? self->part.data : "", len}};
  row.check = make_check(&row);
  ck_status status = do_change(self->of, &(change){.row = &row, .name = self->name}, err);
  if (status) return status;
  self->no++;
  self->part.len -= len;
  if (self->part.len) memmove(self->part.data, self->part.data + len, self->part.len);
  return CK_OK;
}

static ck_status write_item(ck_shelf_item *to, ck_bytes bytes, ck_error *err) {
  item *self = (item *)to;
  ck_buffer_append_bytes(&self->part, bytes);
  ck_status status = ck_buffer_check(&self->part, err);
  while (!status && self->part.len > CK_OUTPUT_PART)
    status = write_part(self, CK_OUTPUT_PART, false, err);
  return status;
}

static ck_status end_item(ck_shelf_item *to, bool sync, ck_error *err) {
  item *self = (item *)to;
  (void)sync;
  return write_part(self, self->part.len, true, err);
}

/* ---- the shelf ---- */

static void free_item(ck_shelf_item *to) {
  item *self = (item *)to;
  if (self->part.data) explicit_bzero(self->part.data, self->part.cap);
  ck_buffer_clear(&self->part);
  free(self->name);
  free(self);
}

static const ck_shelf_kind kind;

static ck_status make_item(ck_shelf_item **out, void *to, const char *name, ck_error *err) {
  item *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  *self = (item){.item = {&kind}, .of = to, .name = strdup(name)};
  if (!self->name) {
    free(self);
    return ck_error_no_memory(err);
  }
  *out = &self->item;
  return CK_OK;
}

static ck_status open_item(ck_shelf_item **out, void *to, const char *name, ck_error *err) {
  ck_status status = make_item(out, to, name, err);
  if (!status) status = read_part((item *)*out, err);
  if (!status) return CK_OK;
  if (*out) free_item(*out);
  *out = NULL;
  return status == CK_E_NOT_FOUND ? ck_error_set(err, status, "store %s keeps no long output %s",
                                                 ((const outputs *)to)->url, name)
                                  : status;
}

static ck_status move(void *to, const char *name, const char *as, ck_error *err) {
  return do_change(to, &(change){.name = name, .as = as}, err);
}

static ck_status remove_item(void *to, const char *name, ck_error *err) {
  return do_change(to, &(change){.name = name}, err);
}

typedef struct listing {
  const outputs *of;
  ck_shelf_visit visit;
  void *to;
  ck_error *err;
  ck_status status;
} listing;

static bool visit_one(void *to, const char *name, int64_t bytes) {
  listing *self = to;
  if (self->visit(self->to, name, bytes))
    self->status = do_change(self->of, &(change){.name = name}, self->err);
  return !self->status;
}

static ck_status list(void *to, const char *session, ck_shelf_visit visit, void *visitor,
                      ck_error *err) {
  const outputs *self = to;
  listing all = {.of = self, .visit = visit, .to = visitor, .err = err};
  ck_status status = self->backend->output.list(self->backend->self, session, visit_one, &all, err);
  return status ? status : all.status;
}

static const ck_shelf_kind kind = {.list = list,
                                   .open = open_item,
                                   .make = make_item,
                                   .move = move,
                                   .remove = remove_item,
                                   .close = free,
                                   .read = read_item,
                                   .write = write_item,
                                   .end = end_item,
                                   .free = free_item};

bool ck_output_is_kept(const ck_backend *backend) {
  return ck_backend_can(backend, CK_BACKEND_OUTPUT);
}

bool ck_store_keeps_outputs(const ck_store *self) { return ck_output_is_kept(&self->backend); }

static ck_status open_shelf(ck_shelf *out, const outputs *what, ck_error *err) {
  outputs *self = malloc(sizeof *self);
  *out = (ck_shelf){0};
  if (!self) return ck_error_no_memory(err);
  *self = *what;
  *out = (ck_shelf){.kind = &kind, .self = self, .place = self->url};
  return CK_OK;
}

ck_status ck_store_open_outputs(ck_shelf *out, ck_store *self, ck_error *err) {
  return open_shelf(out, &(outputs){self, &self->backend, self->url}, err);
}

ck_status ck_output_open_alone(ck_shelf *out, const ck_backend *backend, const char *url,
                               ck_error *err) {
  return open_shelf(out, &(outputs){NULL, backend, url}, err);
}
