/* copy.c - copies a store into a new one: reads it at one moment, has it written at once, and
 * compares the two. */
#include "core/store/copy.h"

#include <stdlib.h>
#include <string.h>

#include "core/store/copy_walk.h"
#include "core/store/postgres/url.h"
#include "core/store/sealed/sealed.h"
#include "core/store/store_core.h"

typedef struct copying {
  const ck_backend *from; /* as it is stored */
  const char *url, *to;   /* for messages */
  const ck_copy_order *order;
  const uint8_t *fingerprint_key;
  ck_copy_list list;
  ck_copy_digest digest; /* of the source */
  ck_copy_report *report;
} copying;

const ck_backend *ck_copy_rows_of(const ck_store *store) {
  return store->has_key ? &((const ck_sealed *)store->backend.self)->inner : &store->backend;
}

bool ck_store_can_copy(const ck_store *from) {
  return ck_backend_can(ck_copy_rows_of(from), CK_BACKEND_COPY);
}

/* ---- what must not be copied ---- */

static ck_status check_source(ck_store *from, const ck_backend *rows, ck_error *err) {
  ck_status status = ck_backend_require(rows, CK_BACKEND_COPY, from->url, err);
  if (status == CK_OK) status = ck_backend_require(rows, CK_BACKEND_PIN, from->url, err);
  if (status == CK_OK) status = ck_backend_require(rows, CK_BACKEND_BLOB, from->url, err);
  if (status != CK_OK || !from->set_back.status) return status;
  *err = from->set_back; /* a copy would have a counter of its own, and hide it */
  return err->status;
}

static ck_status check_owners(const copying *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->list.count && status == CK_OK && !self->order->live; i++)
    status = self->from->check_owner(self->from->self, self->list.sessions[i].id, err);
  if (status == CK_E_OWNED)
    ck_error_prefix(err, "nothing was copied, since both stores would go on with what is run");
  return status;
}

/* ---- the comparison ---- */

static ck_status differs(const copying *self, int64_t session, ck_error *err) {
  const char *id = NULL;
  for (size_t i = 0; i < self->list.count; i++)
    if (self->list.sessions[i].no == session) id = self->list.sessions[i].id;
  return ck_error_set(err, CK_E_EXISTS,
                      "store %s is not empty, and not a copy of store %s as it is now (%s%s "
                      "differs); a copy replaces nothing: name a new one",
                      self->to, self->url, id ? "session " : "what it holds", id ? id : "");
}

static ck_status compare(copying *self, const ck_backend *made, const ck_copy_list *list,
                         ck_error *err) {
  ck_copy_digest found;
  int64_t session = 0;
  ck_copy_digest_init(&found, NULL);
  ck_copy_sink sink = ck_copy_digest_sink(&found);
  ck_status status = ck_copy_walk(made, list, &sink, err);
  if (status == CK_OK && !ck_copy_digest_equal(&self->digest, &found, &session))
    status = differs(self, session, err);
  ck_copy_digest_clear(&found);
  return status;
}

/* ---- a new store ---- */

static ck_status fill(void *to, const ck_copy_sink *rows, const ck_backend *made, ck_error *err) {
  copying *self = to;
  ck_copy_list list;
  ck_copy_digest_init(&self->digest, rows);
  ck_copy_sink sink = ck_copy_digest_sink(&self->digest);
  ck_status status = ck_copy_walk(self->from, &self->list, &sink, err);
  if (status == CK_OK) status = ck_copy_list_make(&list, made, NULL, err);
  if (status != CK_OK) return status;
  list.all = self->list.all;
  status = compare(self, made, &list, err);
  ck_copy_list_clear(&list);
  if (status == CK_E_EXISTS) {
    ck_error_prefix(err, "the copy is not what was read, and was not made");
    if (err) err->status = CK_E_IO;
    status = CK_E_IO;
  }
  return status;
}

static ck_status before(void *to, const char *path, ck_error *err) {
  const copying *self = to;
  return self->order->before ? self->order->before(self->order->before_to, path, err) : CK_OK;
}

/* ---- one that is there ---- */

static bool is_same_store(const copying *self, const ck_backend *made) {
  return memcmp(self->fingerprint_key, made->fingerprint_key(made->self), CK_KEY_SIZE) == 0;
}

/* Another try of a copy that was made, but whose end was not told, finds it. */
static ck_status compare_existing(copying *self, ck_store *found, ck_error *err) {
  const ck_backend *made = ck_copy_rows_of(found);
  ck_copy_list list;
  if (!is_same_store(self, made)) return differs(self, 0, err);
  ck_copy_digest_init(&self->digest, NULL);
  ck_copy_sink sink = ck_copy_digest_sink(&self->digest);
  ck_status status = made->copy.begin_reading(made->self, err);
  if (status != CK_OK) return status;
  status = ck_copy_list_make(&list, made, NULL, err);
  list.all = self->list.all;
  if (status == CK_OK) status = ck_copy_walk(self->from, &self->list, &sink, err);
  if (status == CK_OK) status = compare(self, made, &list, err);
  if (status == CK_OK) self->report->was_done = true;
  ck_copy_list_clear(&list);
  made->copy.end_reading(made->self);
  return status;
}

/* `err` says why it could not be made. */
static ck_status look_at_existing(copying *self, ck_error *err) {
  ck_store *found = NULL;
  ck_error why = CK_ERROR_INIT;
  ck_store_options options = {.read_only = true, .key = self->order->key};
  if (ck_store_open(&found, self->order->to, &options, &why) != CK_OK) return CK_E_EXISTS;
  why = (ck_error)CK_ERROR_INIT;
  ck_status status = compare_existing(self, found, &why);
  ck_store_close(found);
  if (status == CK_OK)
    *err = (ck_error)CK_ERROR_INIT;
  else
    *err = why;
  return status;
}

static ck_status receive(copying *self, const ck_receiving *what, ck_error *err) {
  static const char sqlite[] = "sqlite:";
  const char *to = self->order->to;
  if (ck_postgres_url_is(to)) return ck_backend_receive_postgres(to, what, err);
  if (strncmp(to, sqlite, strlen(sqlite)) == 0)
    return ck_backend_receive_sqlite(to + strlen(sqlite), what, err);
  return ck_error_set(err, CK_E_USAGE, "store '%s': a copy is made as sqlite:PATH or postgres://…",
                      self->to);
}

/* ---- */

static ck_status copy_all(copying *self, const ck_seal *seal, ck_error *err) {
  ck_buffer entry = {0};
  const ck_backend *from = self->from;
  ck_receiving what = {.fingerprint_key = self->fingerprint_key,
                       .seal = seal,
                       .fill = fill,
                       .before = before,
                       .to = self};
  ck_status status = from->get_key_entry(&entry, from->self, err);
  if (status == CK_OK) status = ck_copy_list_make(&self->list, from, self->order->session, err);
  if (status == CK_OK) status = check_owners(self, err);
  if (status == CK_OK && from->inventory.get_generation)
    status = from->inventory.get_generation(&what.generation, from->self, err);
  what.key_entry = ck_buffer_bytes(&entry);
  if (status == CK_OK) status = receive(self, &what, err);
  if (status == CK_E_EXISTS && !self->order->is_new) status = look_at_existing(self, err);
  ck_buffer_clear(&entry);
  return status;
}

/* The key can be changed while the source is open: what is read is compared with it behind the
 * beginning of the reading. */
static ck_status copy_snapshot(copying *self, ck_store *from, ck_error *err) {
  const ck_seal *seal = from->has_key ? ((ck_sealed *)from->backend.self)->seal : NULL;
  ck_status status = self->from->copy.begin_reading(self->from->self, err);
  if (status != CK_OK) return status;
  status = ck_sealed_check_unchanged(self->from, from->url, err);
  if (status == CK_OK) status = copy_all(self, seal, err);
  self->from->copy.end_reading(self->from->self);
  return status;
}

static ck_status name_target(char **out, const char *url, ck_error *err) {
  ck_postgres_url read;
  *out = NULL;
  if (ck_postgres_url_is(url)) {
    ck_status status = ck_postgres_url_read(&read, url, err);
    if (status != CK_OK) return status;
    *out = read.name;
    read.name = NULL;
    ck_postgres_url_clear(&read);
    return CK_OK;
  }
  *out = strdup(url);
  return *out ? CK_OK : ck_error_no_memory(err);
}

ck_status ck_store_copy(ck_copy_report *out, ck_store *from, const ck_copy_order *order,
                        ck_error *err) {
  char *name = NULL;
  copying self = {.from = ck_copy_rows_of(from), .url = from->url, .order = order, .report = out};
  ck_error own = CK_ERROR_INIT;
  if (!err) err = &own;
  *out = (ck_copy_report){0};
  ck_status status = check_source(from, self.from, err);
  if (status == CK_OK) status = name_target(&name, order->to, err);
  self.to = name;
  if (status != CK_OK) return status;
  self.fingerprint_key = self.from->fingerprint_key(self.from->self);
  status = copy_snapshot(&self, from, err);
  bool was_done = out->was_done;
  *out = self.digest.report;
  out->was_done = was_done;
  ck_copy_digest_clear(&self.digest);
  ck_copy_list_clear(&self.list);
  free(name);
  return status;
}
