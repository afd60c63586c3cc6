/* session_sums.c - finds the sums that a checkpoint keeps, and adds the events behind it. */
#include "core/store/session_sums.h"

#include "core/store/store_core.h"

typedef struct search {
  ck_sums *out;
  bool found;     /* a checkpoint */
  int64_t points; /* at the checkpoint that has the sums; 0: none */
} search;

/* Sums that cannot be read are as good as none. */
static bool take_row(void *to, const ck_checkpoint_row *row) {
  search *self = to;
  ck_bytes sums = row->fault ? (ck_bytes){0} : ck_json_get(row->info, CK_SUMS_MEMBER);
  self->found = true;
  self->points = 0;
  if (ck_json_read_int(&self->points, sums) || ck_json_type_of(sums) != CK_JSON_OBJECT)
    return false;
  if (!ck_sums_read(self->out, sums)) {
    ck_sums_clear(self->out);
    return false;
  }
  self->out->kept = row->seq;
  return false;
}

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* The newest checkpoint with after < seq <= until. */
static ck_status find(search *out, ck_store *self, int64_t session, int64_t after, int64_t until,
                      ck_error *err) {
  ck_store_core_lineage lineage;
  const ck_backend *backend = &self->backend;
  out->found = false;
  ck_status status = ck_store_core_get_lineage(&lineage, self, session, err);
  for (size_t i = lineage.count; i-- > 0 && !status && !out->found;) {
    const ck_store_core_part *part = &lineage.parts[i];
    ck_checkpoint_rows rows = {.session = part->session,
                               .after = part->after > after ? part->after : after,
                               .until = part->until ? lesser(part->until, until) : until,
                               .backward = true};
    if (rows.after < rows.until)
      status = backend->read_checkpoints(backend->self, &rows, take_row, out, err);
  }
  ck_store_core_lineage_clear(&lineage);
  return status;
}

static bool take_event(void *to, const ck_event *event) {
  ck_sums *self = to;
  ck_sums_take_calls(self, event, ck_value_bytes(event->body));
  return !self->failed;
}

static bool take_said(void *to, const ck_event_row *row) {
  ck_sums *self = to;
  if (ck_sums_said_kinds >> row->kind & 1) ck_stretches_take(&self->said, row->seq);
  return true;
}

/* Where they lie is asked alone: no body is unpacked for it. Of a long session of before it stays
 * unknown. */
static ck_status read_said(ck_sums *out, ck_store *self, const ck_sums_query *query,
                           ck_error *err) {
  ck_store_core_lineage lineage;
  const ck_backend *backend = &self->backend;
  int64_t kept = out->untold ? 0 : out->kept, until = query->until;
  out->untold = !query->said || (out->untold && query->most && until > query->most);
  if (out->untold) return CK_OK;
  ck_status status = ck_store_core_get_lineage(&lineage, self, query->session, err);
  for (size_t i = 0; i < lineage.count && !status; i++) {
    const ck_store_core_part *part = &lineage.parts[i];
    ck_event_rows rows = {.session = part->session,
                          .after = part->after > kept ? part->after : kept,
                          .until = part->until ? lesser(part->until, until) : until,
                          .kinds = ck_sums_said_kinds};
    if (rows.after < rows.until)
      status = backend->read_events(backend->self, &rows, take_said, out, err);
  }
  ck_store_core_lineage_clear(&lineage);
  return status;
}

static ck_status read_calls(ck_sums *out, ck_store *self, const ck_sums_query *query,
                            ck_error *err) {
  const ck_event_query events = {
      .session = query->session, .after = out->kept, .until = query->until, .kinds = ck_sums_kinds};
  if (query->until <= out->kept) return CK_OK;
  return ck_store_read_events(self, &events, take_event, out, err);
}

ck_status ck_store_get_sums(ck_sums *out, ck_store *self, const ck_sums_query *query,
                            ck_error *err) {
  search newest = {.out = out};
  int64_t until = query->until;
  *out = (ck_sums){0};
  ck_status status = until > 0 ? find(&newest, self, query->session, 0, until, err) : CK_OK;
  int64_t at = newest.points;
  if (!status && at > 0 && at <= until)
    status = find(&newest, self, query->session, at - 1, at, err);
  if (status) return status;
  if (!out->count && !out->open.count && !out->beside_first) out->uncalled = out->kept;
  if (!out->kept && query->most && until > query->most) out->failed = true;
  if (out->failed) return CK_OK;
  status = read_calls(out, self, query, err);
  if (!status) status = read_said(out, self, query, err);
  if (!status) out->until = until;
  return !status && out->failed ? ck_error_no_memory(err) : status;
}
