/* read.c - lists sessions and checkpoints, and reads the head of a session. */
#include <stdlib.h>
#include <string.h>

#include "core/store/store_core.h"
#include "core/store/format/row.h"
#include "core/store/format/payload.h"

/* ---- the ids of sessions ---- */

static ck_store_core_name *find_name(ck_store *self, int64_t no) {
  return &self->names[(uint64_t)no % CK_STORE_CORE_NAMES];
}

void ck_store_core_put_name(ck_store *self, int64_t no, const char *id) {
  pthread_mutex_lock(&self->names_mutex);
  ck_store_core_name *name = find_name(self, no);
  name->no = no;
  memset(name->id, 0, sizeof name->id);
  memcpy(name->id, id, strnlen(id, sizeof name->id - 1));
  pthread_mutex_unlock(&self->names_mutex);
}

ck_status ck_store_core_get_name(char out[CK_ID_SIZE], ck_store *self, int64_t no, ck_error *err) {
  pthread_mutex_lock(&self->names_mutex);
  const ck_store_core_name *name = find_name(self, no);
  bool known = no > 0 && name->no == no;
  memcpy(out, known ? name->id : "", known ? CK_ID_SIZE : 1);
  pthread_mutex_unlock(&self->names_mutex);
  if (known) return CK_OK;
  ck_identity identity;
  ck_status status = self->backend.get_identity(&identity, self->backend.self, no, err);
  if (status) return status;
  memcpy(out, identity.id, CK_ID_SIZE);
  ck_store_core_put_name(self, no, out);
  return CK_OK;
}

/* ---- sessions ---- */

ck_status ck_store_get_session(ck_session_record *out, ck_store *self, const char *session_id,
                               ck_error *err) {
  *out = (ck_session_record){0};
  ck_status status = self->backend.get_session(out, self->backend.self, session_id, err);
  if (!status) ck_store_core_put_name(self, out->no, out->id);
  return status;
}

ck_status ck_store_list_sessions(ck_store *self, ck_session_status status, ck_session_visit visit,
                                 void *to, ck_error *err) {
  const ck_session_query query = {.statuses = status ? UINT64_C(1) << status : 0};
  return ck_store_find_sessions(self, &query, visit, to, err);
}

ck_status ck_store_find_sessions(ck_store *self, const ck_session_query *query,
                                 ck_session_visit visit, void *to, ck_error *err) {
  return self->backend.list_sessions(self->backend.self, query, visit, to, err);
}

ck_status ck_store_get_session_id(char out[CK_ID_SIZE], ck_store *self, int64_t session,
                                  ck_error *err) {
  return ck_store_core_get_name(out, self, session, err);
}

ck_status ck_store_list_forks(ck_store *self, int64_t session, ck_session_visit visit, void *to,
                              ck_error *err) {
  if (!ck_backend_can(&self->backend, CK_BACKEND_DELETE)) return CK_OK;
  return self->backend.list_forks(self->backend.self, session, visit, to, err);
}

/* ---- checkpoints ---- */

/* `info` is parsed here, because a row of a damaged file can hold anything. */
ck_status ck_store_core_make_info(ck_checkpoint_info *out, const ck_checkpoint_row *row,
                                  ck_error *err) {
  ck_checkpoint_info info = {.seq = row->seq,
                             .parent = row->parent,
                             .timeline = row->timeline,
                             .keyframe = row->keyframe,
                             .kind = row->kind,
                             .created_ms = row->created_ms,
                             .clean = row->clean,
                             .resumable = row->resumable,
                             .pruned = ck_payload_is_pruned(row),
                             .totals = row->totals,
                             .changed = row->changed,
                             .stored_bytes = (int64_t)row->payload.len,
                             .plain_bytes = row->plain_len,
                             .digest = row->digest};
  *out = (ck_checkpoint_info){0};
  ck_digest signature;
  memcpy(info.id, row->id, sizeof info.id);
  if (row->mac.len == sizeof signature.bytes) {
    memcpy(signature.bytes, row->mac.data, sizeof signature.bytes);
    ck_digest_hex(info.signature, &signature);
  }
  ck_status status = ck_row_check_fault(row->fault, err);
  if (status)
    ck_error_prefix(err, "checkpoint %s (seq %lld)", row->id, (long long)row->seq);
  else
    status = ck_value_new(&info.info, row->info, err);
  if (status == CK_E_PARSE)
    status = ck_error_set(err, CK_E_CORRUPT, "checkpoint %s (seq %lld): its info is not JSON",
                          row->id, (long long)row->seq);
  if (!status) *out = info;
  return status;
}

/* A search for the first row with an id; `id` NULL: the first row. */
typedef struct row_search {
  ck_checkpoint_info *out;
  const char *id;
  /* number of the searched session when it is inherited from; 0: it is the session itself */
  int64_t inherited;
  bool found;
  ck_status status;
  ck_error *err;
} row_search;

static bool match_row(void *to, const ck_checkpoint_row *row) {
  row_search *self = to;
  if (self->id && strcmp(self->id, row->id) != 0) return true;
  self->found = true;
  self->status = ck_store_core_make_info(self->out, row, self->err);
  self->out->session = self->inherited;
  return false;
}

/* Newest first, within after < seq <= until. */
static ck_status search_rows(row_search *search, ck_store *self, int64_t session, int64_t after,
                             int64_t until, ck_error *err) {
  search->err = err;
  ck_checkpoint_rows rows = {.session = session, .after = after, .until = until, .backward = true};
  ck_status status =
      self->backend.read_checkpoints(self->backend.self, &rows, match_row, search, err);
  return status ? status : search->status;
}

/* The newest row within all parts of the session's transcript. */
static ck_status search_lineage(row_search *search, ck_store *self,
                                const ck_store_core_lineage *lineage, int64_t session,
                                int64_t after, int64_t until, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = lineage->count; i-- > 0 && !status && !search->found;) {
    const ck_store_core_part *part = &lineage->parts[i];
    int64_t from = part->after > after ? part->after : after;
    int64_t to = part->until && (!until || part->until < until) ? part->until : until;
    search->inherited = part->session == session ? 0 : part->session;
    if (!to || from < to) status = search_rows(search, self, part->session, from, to, err);
  }
  return status;
}

static ck_status search_parts(row_search *search, ck_store *self, int64_t session, int64_t after,
                              int64_t until, ck_error *err) {
  ck_store_core_lineage lineage;
  ck_status status = ck_store_core_get_lineage(&lineage, self, session, err);
  if (!status) status = search_lineage(search, self, &lineage, session, after, until, err);
  ck_store_core_lineage_clear(&lineage);
  return status;
}

static ck_status search_latest(row_search *search, ck_store *self, const ck_session_record *record,
                               ck_error *err) {
  ck_store_core_lineage lineage;
  ck_status status = ck_store_core_follow_origin(&lineage, self, record->no, record->origin, err);
  if (!status) status = search_lineage(search, self, &lineage, record->no, 0, 0, err);
  ck_store_core_lineage_clear(&lineage);
  return status;
}

ck_status ck_store_core_list_pins(int64_t **out, size_t *count, ck_store *self, int64_t session,
                                  ck_error *err) {
  *out = NULL;
  *count = 0;
  if (!ck_backend_can(&self->backend, CK_BACKEND_PIN)) return CK_OK;
  return self->backend.list_pins(out, count, self->backend.self, session, err);
}

static ck_status mark_pinned(ck_checkpoint_info *info, ck_store *self, int64_t owner,
                             ck_error *err) {
  int64_t *pins;
  size_t count;
  ck_status status = ck_store_core_list_pins(&pins, &count, self, owner, err);
  if (status) return status;
  for (size_t i = 0; i < count; i++) info->pinned |= pins[i] == info->seq;
  free(pins);
  return CK_OK;
}

ck_status ck_store_get_checkpoint(ck_checkpoint_info *out, ck_store *self, int64_t session,
                                  const char *id, int64_t seq, ck_error *err) {
  row_search search = {.out = out, .id = id};
  *out = (ck_checkpoint_info){0};
  ck_status status = CK_OK;
  if (id || seq > 0)
    status = search_parts(&search, self, session, id ? 0 : seq - 1, id ? 0 : seq, err);
  if (!status && search.found)
    status = mark_pinned(out, self, out->session ? out->session : session, err);
  if (status) ck_checkpoint_info_clear(out);
  if (status || search.found) return status;
  char session_id[CK_ID_SIZE];
  status = ck_store_core_get_name(session_id, self, session, err);
  if (status) return status;
  if (id)
    return ck_error_set(err, CK_E_NOT_FOUND, "session %s has no checkpoint '%s'", session_id, id);
  return ck_error_set(err, CK_E_NOT_FOUND, "session %s has no checkpoint at seq %lld", session_id,
                      (long long)seq);
}

typedef struct row_header {
  bool found;
  int64_t seq;
  ck_digest digest;
  ck_error fault;
} row_header;

static bool read_header(void *to, const ck_checkpoint_row *row) {
  row_header *self = to;
  self->found = true;
  self->seq = row->seq;
  self->digest = row->digest;
  if (row->fault) self->fault = *row->fault;
  return false;
}

static ck_status read_digest(row_header *header, ck_store *self, int64_t session, int64_t seq,
                             ck_error *err) {
  ck_checkpoint_rows rows = {.session = session, .after = seq - 1, .until = seq, .backward = true};
  ck_status status =
      self->backend.read_checkpoints(self->backend.self, &rows, read_header, header, err);
  if (!status && header->fault.status) status = ck_row_check_fault(&header->fault, err);
  return status;
}

/* The session's own rows first: nearly always the checkpoint is there. */
ck_status ck_store_core_get_digest(ck_digest *out, ck_store *self, int64_t session, int64_t seq,
                                   ck_error *err) {
  row_header header = {0};
  int64_t owner = session;
  *out = (ck_digest){{0}};
  if (seq == 0) return CK_OK;
  ck_status status = seq > 0 ? read_digest(&header, self, session, seq, err) : CK_OK;
  if (!status && !header.found && seq > 0) {
    status = ck_store_core_get_owner(&owner, self, session, seq, err);
    if (!status && owner != session) status = read_digest(&header, self, owner, seq, err);
  }
  if (status) return status;
  if (!header.found)
    return ck_error_set(err, CK_E_NOT_FOUND, "no checkpoint at seq %lld", (long long)seq);
  *out = header.digest;
  return CK_OK;
}

ck_status ck_store_core_get_last(int64_t *out, ck_store *self, int64_t session, ck_error *err) {
  row_header header = {0};
  ck_identity identity = {0};
  ck_checkpoint_rows rows = {.session = session, .backward = true};
  ck_status status =
      self->backend.read_checkpoints(self->backend.self, &rows, read_header, &header, err);
  if (!status && !header.found)
    status = self->backend.get_identity(&identity, self->backend.self, session, err);
  *out = header.found ? header.seq : identity.origin.cut;
  return status;
}

/* ---- the head ---- */

void ck_head_clear(ck_head *self) {
  ck_session_record_clear(&self->session);
  free(self->timelines);
  ck_checkpoint_info_clear(&self->checkpoint);
  ck_checkpoint_info_clear(&self->latest);
  *self = (ck_head){0};
}

/* At most one row is read for each range of the view, however many lie on branches outside it. */
static ck_status find_visible(ck_head *head, ck_store *self, ck_error *err) {
  ck_view view;
  int64_t session = head->session.no;
  row_search search = {.out = &head->checkpoint};
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  if (status) return status;
  for (size_t i = view.count; i-- > 0 && !status && !search.found;) {
    const ck_range *range = &view.ranges[i];
    search.inherited = range->session;
    status = search_rows(&search, self, range->session ? range->session : session, range->first - 1,
                         range->last == INT64_MAX ? 0 : range->last, err);
  }
  head->has_checkpoint = search.found && !status;
  ck_view_clear(&view);
  return status;
}

/* The checkpoint that the live timeline continues is never pruned. When it is, another run
 * continued an older one while the head was read (the head is outdated), or the row is damaged. */
static ck_status check_visible(bool *outdated, const ck_head *head, ck_store *self, ck_error *err) {
  ck_session_record now;
  *outdated = false;
  if (!head->has_checkpoint || !head->checkpoint.pruned) return CK_OK;
  ck_status status = ck_store_get_session(&now, self, head->session.id, err);
  if (status) return status;
  *outdated = now.epoch != head->session.epoch;
  ck_session_record_clear(&now);
  if (*outdated) return CK_OK;
  return ck_error_set(
      err, CK_E_CORRUPT,
      "session %s, checkpoint %s: it is the latest one and said to be pruned, which it never is",
      head->session.id, head->checkpoint.id);
}

/* The session's row is read first: the writes of a resume are fenced by its epoch, so rows that
 * were appended later do no harm. */
static ck_status read_head(ck_head *out, bool *outdated, ck_store *self, const char *session_id,
                           ck_error *err) {
  ck_head head = {0};
  ck_head_row row = {0};
  row_search search = {.out = &head.latest};
  *out = head;
  ck_status status = ck_store_get_session(&head.session, self, session_id, err);
  int64_t session = head.session.no;
  ck_origin origin = head.session.origin;
  if (!status) status = ck_store_core_check_origin(origin, session, head.session.id, err);
  if (!status)
    status = ck_store_core_join_timelines(&head.timelines, &head.timeline_count, self, session,
                                          origin, err);
  if (!status) status = ck_store_core_get_head_row(&row, self, &head.session, err);
  if (!status) status = ck_store_core_find_last_seq(&head.last_seq, self, session, origin, err);
  if (!status) status = ck_head_row_check_end(&row, &head.session, head.last_seq, err);
  if (!status) status = search_latest(&search, self, &head.session, err);
  head.has_latest = search.found;
  if (!status) status = find_visible(&head, self, err);
  *outdated = false;
  if (!status) status = check_visible(outdated, &head, self, err);
  if (status || *outdated) ck_head_clear(&head);
  *out = head;
  return status;
}

ck_status ck_store_get_head(ck_head *out, ck_store *self, const char *session_id, ck_error *err) {
  bool outdated;
  ck_status status;
  do status = read_head(out, &outdated, self, session_id, err);
  while (outdated);
  return status;
}

/* ---- figures ---- */

ck_status ck_store_get_stats(ck_store_stats *out, ck_store *self, ck_error *err) {
  *out = (ck_store_stats){0};
  ck_status status = self->backend.get_stats(out, self->backend.self, err);
  return status;
}
