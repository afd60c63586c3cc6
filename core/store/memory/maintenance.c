/* maintenance.c - pins, forks and deleting a session, in memory. */
#include <stdlib.h>
#include <string.h>

#include "core/store/memory/memory.h"

static const ck_checkpoint_row *find_kept(const ck_memory_session *session, int64_t seq) {
  size_t at = ck_memory_find_checkpoint(session, seq);
  const ck_checkpoint_row *row =
      at < session->checkpoints.count ? session->checkpoints.rows[at] : NULL;
  return row && row->seq == seq && !(row->encoding & CK_ENCODING_PRUNED) ? row : NULL;
}

/* ---- pins ---- */

static ck_status put_pin(ck_memory_session *session, int64_t seq, ck_error *err) {
  int64_t *pins = reallocarray(session->pins, session->pin_count + 1, sizeof *pins);
  if (!pins) return ck_error_no_memory(err);
  session->pins = pins;
  size_t at = session->pin_count++;
  for (; at > 0 && pins[at - 1] > seq; at--) pins[at] = pins[at - 1];
  pins[at] = seq;
  return CK_OK;
}

ck_status ck_memory_pin(void *self, ck_lease lease, int64_t seq, bool pinned, ck_error *err) {
  ck_memory *memory = ck_memory_lock(self);
  ck_memory_session *session = ck_memory_get_session(memory, lease.session);
  ck_status status = ck_memory_check_lease(session, lease, err);
  if (!status && !find_kept(session, seq))
    status =
        ck_error_set(err, CK_E_NOT_FOUND, "session %s has no checkpoint of its own at seq %lld",
                     session->record.id, (long long)seq);
  if (status) return ck_memory_unlock(memory, status);
  size_t at = 0;
  while (at < session->pin_count && session->pins[at] != seq) at++;
  bool there = at < session->pin_count;
  if (pinned && !there) status = put_pin(session, seq, err);
  if (!pinned && there)
    memmove(session->pins + at, session->pins + at + 1,
            (--session->pin_count - at) * sizeof *session->pins);
  return ck_memory_unlock(memory, status);
}

static ck_status copy_seqs(int64_t **out, size_t *count, const int64_t *from, size_t from_count,
                           ck_error *err) {
  *count = 0;
  *out = calloc(from_count + 1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  if (from_count) memcpy(*out, from, from_count * sizeof **out);
  *count = from_count;
  return CK_OK;
}

ck_status ck_memory_list_pins(int64_t **out, size_t *count, void *self, int64_t no, ck_error *err) {
  *out = NULL;
  *count = 0;
  ck_memory *memory = ck_memory_lock(self);
  const ck_memory_session *session = ck_memory_get_session(memory, no);
  ck_status status =
      session ? copy_seqs(out, count, session->pins, session->pin_count, err) : CK_OK;
  return ck_memory_unlock(memory, status);
}

/* ---- forks ---- */

ck_status ck_memory_list_forks(void *self, int64_t no, ck_session_visit visit, void *to,
                               ck_error *err) {
  ck_memory *memory = ck_memory_lock(self);
  size_t count = memory->session_count;
  ck_memory_unlock(memory, CK_OK);
  bool more = true;
  for (size_t i = 1; i <= count && more; i++) {
    ck_session_record record;
    ck_memory_lock(self);
    const ck_memory_session *session = ck_memory_get_session(memory, (int64_t)i);
    bool is_fork = session && session->record.origin.session == no && no > 0;
    ck_status status = is_fork ? ck_memory_copy_record(&record, &session->record, err) : CK_OK;
    ck_memory_unlock(memory, CK_OK);
    if (status) return status;
    if (!is_fork) continue;
    more = visit(to, &record);
    ck_session_record_clear(&record);
  }
  return CK_OK;
}

/* The seq up to which `session` inherits from `no`; 0: nothing. */
static int64_t inherited_until(const ck_memory *memory, const ck_memory_session *session,
                               int64_t no) {
  int64_t until = INT64_MAX;
  while (session && session->record.origin.session) {
    if (session->record.origin.cut < until) until = session->record.origin.cut;
    if (session->record.origin.session == no) return until;
    session = ck_memory_get_session(memory, session->record.origin.session);
  }
  return 0;
}

static int compare_seqs(const void *a, const void *b) {
  int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
  return (first > second) - (first < second);
}

ck_status ck_memory_read_bases(int64_t **out, size_t *count, const ck_memory *memory, int64_t no,
                               ck_error *err) {
  size_t most = 0;
  *count = 0;
  for (size_t i = 0; i < memory->session_count; i++) most += memory->sessions[i]->timeline_count;
  *out = calloc(most + 1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  for (size_t i = 1; i <= memory->session_count; i++) {
    const ck_memory_session *session = ck_memory_get_session(memory, (int64_t)i);
    int64_t until = session ? inherited_until(memory, session, no) : 0;
    for (size_t j = 0; until && j < session->timeline_count; j++) {
      int64_t seq = session->timelines[j].checkpoint;
      if (seq > 0 && seq <= until) (*out)[(*count)++] = seq;
    }
  }
  qsort(*out, *count, sizeof **out, compare_seqs);
  return CK_OK;
}

ck_status ck_memory_list_bases(int64_t **out, size_t *count, void *self, int64_t no,
                               ck_error *err) {
  ck_memory *memory = ck_memory_lock(self);
  return ck_memory_unlock(memory, ck_memory_read_bases(out, count, memory, no, err));
}

ck_status ck_memory_check_base(const ck_memory *memory, const ck_memory_session *session,
                               int64_t seq, ck_error *err) {
  while (session && session->record.origin.session && seq <= session->record.origin.cut)
    session = ck_memory_get_session(memory, session->record.origin.session);
  if (session && find_kept(session, seq)) return CK_OK;
  return ck_error_set(err, CK_E_NOT_FOUND, "the checkpoint at seq %lld was pruned meanwhile",
                      (long long)seq);
}

/* ---- deleting ---- */

static ck_status copy_event(ck_memory_session *made, const ck_event_row *row,
                            const ck_dependent_fork *fork, ck_error *err) {
  ck_event_row copy = *row;
  ck_status status = fork->move ? fork->move(fork->to, &copy, err) : CK_OK;
  return status ? status : ck_memory_push_event(made, &copy, err);
}

/* Copies the rows of `from` up to the fork's cut, then the fork's own, into a session that replaces
 * the fork when it is complete. */
static ck_status copy_rows(ck_memory_session *made, const ck_memory_session *from,
                           const ck_memory_session *own, const ck_dependent_fork *fork,
                           ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < from->events.count && !status; i++) {
    const ck_event_row *row = from->events.rows[i];
    if (row->seq <= fork->cut) status = copy_event(made, row, fork, err);
  }
  for (size_t i = 0; i < own->events.count && !status; i++)
    status = ck_memory_push_event(made, own->events.rows[i], err);
  for (size_t i = 0; i < fork->stub_count && !status; i++) {
    size_t at = ck_memory_find_checkpoint(from, fork->stubs[i].seq);
    ck_checkpoint_row stub = *(const ck_checkpoint_row *)from->checkpoints.rows[at];
    stub.encoding = fork->stubs[i].encoding;
    stub.payload_digest = fork->stubs[i].payload_digest;
    stub.payload = (ck_bytes){NULL, 0};
    stub.mac = fork->stubs[i].mac;
    stub.key_id = fork->stubs[i].key_id;
    if (fork->stubs[i].info.len) stub.info = fork->stubs[i].info;
    stub.keyframe = stub.plain_len = 0;
    status = ck_memory_push_checkpoint(made, &stub, err);
  }
  for (size_t i = 0; i < own->checkpoints.count && !status; i++)
    status = ck_memory_push_checkpoint(made, own->checkpoints.rows[i], err);
  for (size_t i = 0; i < from->timeline_count && !status; i++)
    if (from->timelines[i].no < fork->timeline)
      status = ck_memory_push_timeline(made, &from->timelines[i], from->abouts[i], err);
  for (size_t i = 0; i < own->timeline_count && !status; i++)
    status = ck_memory_push_timeline(made, &own->timelines[i], own->abouts[i], err);
  return status;
}

static ck_status make_fork(ck_memory_session **out, const ck_memory *memory,
                           const ck_memory_session *from, const ck_dependent_fork *fork,
                           ck_error *err) {
  const ck_memory_session *own = ck_memory_get_session(memory, fork->session);
  *out = NULL;
  if (!own)
    return ck_error_set(err, CK_E_BUSY,
                        "a fork was deleted meanwhile: nothing was deleted, try again");
  ck_status status = ck_memory_session_new(out, &own->record, err);
  if (status) return status;
  ck_memory_session *made = *out;
  made->record.origin = fork->origin;
  made->base = fork->origin.cut;
  made->owner = own->owner;
  made->head = own->head;
  status = copy_seqs(&made->pins, &made->pin_count, own->pins, own->pin_count, err);
  if (!status) status = copy_rows(made, from, own, fork, err);
  if (!status) ck_memory_apply_staged(made);
  return status;
}

static size_t count_forks(const ck_memory *memory, int64_t no) {
  size_t count = 0;
  for (size_t i = 1; i <= memory->session_count; i++) {
    const ck_memory_session *session = ck_memory_get_session(memory, (int64_t)i);
    count += session && session->record.origin.session == no;
  }
  return count;
}

static ck_status replace_all(ck_memory *memory, ck_memory_session *from, ck_memory_session **made,
                             const ck_dependent_fork *forks, size_t count, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < count && !status; i++)
    status = make_fork(&made[i], memory, from, &forks[i], err);
  for (size_t i = 0; i < count && !status; i++) {
    ck_memory_session **slot = &memory->sessions[forks[i].session - 1];
    ck_memory_session_free(*slot);
    *slot = made[i];
    made[i] = NULL;
  }
  for (size_t i = 0; i < count; i++) ck_memory_session_free(made[i]);
  return status;
}

ck_status ck_memory_delete_session(void *self, ck_lease lease, const ck_dependent_fork *forks,
                                   size_t count, ck_error *err) {
  ck_memory_session **made = calloc(count + 1, sizeof *made);
  if (!made) return ck_error_no_memory(err);
  ck_memory *memory = ck_memory_lock(self);
  ck_memory_session *session = ck_memory_get_session(memory, lease.session);
  ck_status status = ck_memory_check_lease(session, lease, err);
  if (!status && (memory->walks || count_forks(memory, lease.session) != count))
    status = ck_error_set(err, CK_E_BUSY,
                          "session %s is being read or forked: nothing was deleted, try again",
                          session->record.id);
  if (!status) status = replace_all(memory, session, made, forks, count, err);
  if (!status) session->deleted = true;
  free(made);
  return ck_memory_unlock(memory, status);
}
