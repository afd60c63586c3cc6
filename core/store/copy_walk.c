/* copy_walk.c - reads a store row by row, as it is stored, into a sink. */
#include "core/store/copy_walk.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* ---- which sessions ---- */

typedef struct listing {
  ck_copy_list *to;
  ck_status status;
  ck_error *err;
} listing;

static bool add_session(void *to, const ck_session_record *record) {
  listing *self = to;
  ck_copy_list *list = self->to;
  struct ck_copy_named *grown =
      ck_array_grow(list->sessions, list->count, &list->cap, sizeof *grown);
  if (!grown) {
    self->status = ck_error_no_memory(self->err);
    return false;
  }
  list->sessions = grown;
  list->sessions[list->count] =
      (struct ck_copy_named){.no = record->no, .origin = record->origin.session};
  memcpy(list->sessions[list->count++].id, record->id, sizeof record->id);
  return true;
}

static int by_number(const void *a, const void *b) {
  const struct ck_copy_named *first = a, *second = b;
  return (first->no > second->no) - (first->no < second->no);
}

static ck_status add_named(listing *self, const ck_backend *from, const char *id, ck_error *err) {
  ck_session_record record;
  ck_status status = from->get_session(&record, from->self, id, err);
  if (status != CK_OK) return status;
  add_session(self, &record);
  ck_session_record_clear(&record);
  return self->status;
}

static ck_status add_origins(listing *self, const ck_backend *from, const char *id, ck_error *err) {
  ck_status status = add_named(self, from, id, err);
  while (status == CK_OK) {
    int64_t origin = self->to->sessions[self->to->count - 1].origin;
    ck_identity identity;
    if (!origin) break;
    status = from->get_identity(&identity, from->self, origin, err);
    if (status == CK_OK) status = add_named(self, from, identity.id, err);
  }
  return status;
}

ck_status ck_copy_list_make(ck_copy_list *out, const ck_backend *from, const char *session,
                            ck_error *err) {
  *out = (ck_copy_list){.all = !session};
  listing self = {.to = out, .err = err};
  ck_status status;
  if (session) {
    status = add_origins(&self, from, session, err);
  } else {
    ck_session_query query = {0};
    status = from->list_sessions(from->self, &query, add_session, &self, err);
    if (status == CK_OK) status = self.status;
  }
  if (status == CK_OK && out->count)
    qsort(out->sessions, out->count, sizeof *out->sessions, by_number);
  if (status != CK_OK) ck_copy_list_clear(out);
  return status;
}

void ck_copy_list_clear(ck_copy_list *self) {
  free(self->sessions);
  *self = (ck_copy_list){0};
}

/* ---- the rows ---- */

typedef struct walk {
  const ck_backend *from;
  const ck_copy_list *list;
  const ck_copy_sink *sink;
  int64_t session;
  ck_status status;
  ck_error *err;
} walk;

static bool go_on(walk *self, ck_status status) {
  self->status = status;
  return status == CK_OK;
}

static bool give_event(void *to, const ck_event_row *row) {
  walk *self = to;
  return go_on(self, self->sink->event(self->sink->self, self->session, row, self->err));
}

static bool give_checkpoint(void *to, const ck_checkpoint_row *row) {
  walk *self = to;
  return go_on(self, self->sink->checkpoint(self->sink->self, self->session, row, self->err));
}

static bool give_use(void *to, const ck_digest *name) {
  walk *self = to;
  return go_on(self, self->sink->use(self->sink->self, self->session, name, self->err));
}

static bool give_request(void *to, const ck_request *request) {
  walk *self = to;
  return go_on(self, self->sink->request(self->sink->self, request, self->err));
}

static bool give_fact(void *to, const ck_fact *fact) {
  walk *self = to;
  return go_on(self, self->sink->fact(self->sink->self, fact, self->err));
}

static bool give_blob(void *to, const ck_blob_row *row) {
  walk *self = to;
  return go_on(self, self->sink->blob(self->sink->self, row, self->err));
}

/* The failure of a reading, or else that of its visitor. */
static ck_status either(const walk *self, ck_status status) {
  return status == CK_OK ? self->status : status;
}

static ck_status walk_timelines(walk *self, ck_error *err) {
  const ck_backend *from = self->from;
  ck_timeline *timelines;
  size_t count;
  ck_status status = from->list_timelines(&timelines, &count, from->self, self->session, err);
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    ck_value *about = NULL;
    char run[CK_ID_SIZE];
    if (from->get_about)
      status = from->get_about(&about, run, from->self, self->session, timelines[i].no, err);
    if (status == CK_OK)
      status = self->sink->timeline(self->sink->self, self->session, &timelines[i], about, err);
    ck_value_free(about);
  }
  free(timelines);
  return status;
}

static ck_status walk_head(walk *self, ck_error *err) {
  ck_head_row head = {0};
  ck_status status = CK_OK;
  if (self->from->get_head)
    status = self->from->get_head(&head, self->from->self, self->session, err);
  if (status != CK_OK || !head.seq) return status;
  return self->sink->head(self->sink->self, self->session, &head, err);
}

static ck_status walk_pins(walk *self, ck_error *err) {
  int64_t *seqs;
  size_t count;
  ck_status status = self->from->list_pins(&seqs, &count, self->from->self, self->session, err);
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = self->sink->pin(self->sink->self, self->session, seqs[i], err);
  free(seqs);
  return status;
}

static ck_status walk_rows(walk *self, ck_error *err) {
  const ck_backend *from = self->from;
  ck_event_rows events = {.session = self->session};
  ck_checkpoint_rows checkpoints = {.session = self->session, .payloads = true};
  ck_status status = walk_timelines(self, err);
  if (status == CK_OK) status = walk_head(self, err);
  if (status == CK_OK)
    status = either(self, from->read_events(from->self, &events, give_event, self, err));
  if (status == CK_OK)
    status =
        either(self, from->read_checkpoints(from->self, &checkpoints, give_checkpoint, self, err));
  if (status == CK_OK) status = walk_pins(self, err);
  if (status == CK_OK)
    status = either(self, from->copy.list_uses(from->self, self->session, give_use, self, err));
  if (status == CK_OK)
    status =
        either(self, from->copy.list_requests(from->self, self->session, give_request, self, err));
  return status == CK_OK ? self->sink->end_session(self->sink->self, self->session, err) : status;
}

static ck_status walk_session(walk *self, const char *id, ck_error *err) {
  ck_session_record record;
  ck_status status = self->from->get_session(&record, self->from->self, id, err);
  if (status != CK_OK) return status;
  self->session = record.no;
  status = self->sink->session(self->sink->self, &record, err);
  ck_session_record_clear(&record);
  return status == CK_OK ? walk_rows(self, err) : status;
}

static bool is_used(walk *self, const ck_digest *name, ck_error *err) {
  bool used = self->list->all;
  for (size_t i = 0; i < self->list->count && !used && self->status == CK_OK; i++)
    self->status =
        self->from->uses_blob(&used, self->from->self, self->list->sessions[i].no, name, err);
  return used;
}

/* Those of some sessions are asked for by name: a visitor reads nothing. */
typedef struct names {
  ck_digest *list;
  size_t count, cap;
  bool failed;
} names;

static bool note_name(void *to, const ck_blob_row *row) {
  names *self = to;
  ck_digest *grown = ck_array_grow(self->list, self->count, &self->cap, sizeof *grown);
  self->failed = !grown;
  if (!grown) return false;
  self->list = grown;
  self->list[self->count++] = row->name;
  return true;
}

static ck_status walk_blobs(walk *self, ck_error *err) {
  const ck_backend *from = self->from;
  names all = {0};
  ck_status status = CK_OK;
  if (self->list->all) return either(self, from->list_blobs(from->self, give_blob, self, err));
  status = from->list_blobs(from->self, note_name, &all, err);
  if (status == CK_OK && all.failed) status = ck_error_no_memory(err);
  for (size_t i = 0; i < all.count && status == CK_OK; i++) {
    if (is_used(self, &all.list[i], err) && self->status == CK_OK)
      status = from->get_blob(from->self, &all.list[i], give_blob, self, err);
    status = either(self, status);
  }
  free(all.list);
  return status;
}

ck_status ck_copy_walk(const ck_backend *from, const ck_copy_list *list, const ck_copy_sink *sink,
                       ck_error *err) {
  ck_fact_query facts = {0};
  walk self = {.from = from, .list = list, .sink = sink, .err = err};
  ck_status status = walk_blobs(&self, err);
  for (size_t i = 0; i < list->count && status == CK_OK; i++)
    status = walk_session(&self, list->sessions[i].id, err);
  if (status == CK_OK && list->all)
    status = either(&self, from->list_facts(from->self, &facts, give_fact, &self, err));
  return status;
}
