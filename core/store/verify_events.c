/* verify_events.c - checks that seqs have no gaps, that each event is on its timeline, and that
 * checkpoints' digests match the events they cover. */
#include <string.h>

#include "core/store/verify_walk.h"
#include "core/store/format/row.h"

/* ---- one event ---- */

static void check_place(ck_verify *self, const ck_event_row *row) {
  self->sums.failed |= row->seq - 1 != self->event_seq;
  if (row->seq - 1 !=
      self->event_seq) /* no overflow: seq >= 1, as it is greater than the previous one */
    ck_verify_add_finding(self, row->seq, CK_E_CORRUPT, "events %lld to %lld are gone",
                          (long long)self->event_seq + 1, (long long)row->seq - 1);
  if (row->timeline != ck_verify_timeline_of(self, row->seq))
    ck_verify_add_finding(self, row->seq, CK_E_CORRUPT, "event %lld is said to be on timeline %lld",
                          (long long)row->seq, (long long)row->timeline);
}

/* Every body must be a JSON object. */
static ck_status open_body(ck_bytes *out, ck_verify *self, const ck_event_row *row) {
  ck_error found = CK_ERROR_INIT;
  ck_stored stored = {row->encoding, row->plain_len, row->body};
  ck_status status = ck_row_check_fault(row->fault, &found);
  if (!status)
    status =
        ck_compress_decode(out, &self->payload.compress, &self->payload.space, &stored, &found);
  if (!status) status = ck_json_check(*out, &found);
  if (status == CK_E_PARSE || (!status && ck_json_type_of(*out) != CK_JSON_OBJECT))
    status = ck_error_set(&found, CK_E_CORRUPT, "is not a JSON object");
  if (!status) return CK_OK;
  self->span_damaged = true;
  *out = (ck_bytes){NULL, 0};
  ck_error_prefix(&found, "event %lld", (long long)row->seq);
  return ck_verify_add_error(self, row->seq, status, &found);
}

/* ---- checkpoints and the events that announce them ---- */

static void end_span(ck_verify *self, ck_verify_header *header) {
  ck_digest digest = ck_digester_final(&self->events);
  if (!self->span_damaged && !ck_digest_equal(&digest, &header->events_digest))
    ck_verify_add_finding(self, header->seq, CK_E_CORRUPT,
                          "checkpoint %s: the events it covers are not those that were written",
                          header->id);
  ck_verify_check_sums(self, header);
  ck_digester_init(&self->events);
  self->span_damaged = false;
  self->header_next++;
}

/* Reports checkpoints whose own event is missing: the next event read has a greater seq. */
static void pass_headers(ck_verify *self, int64_t seq) {
  while (self->header_next < self->header_count && self->headers[self->header_next].seq < seq) {
    ck_verify_header *header = &self->headers[self->header_next];
    ck_verify_add_finding(self, header->seq, CK_E_CORRUPT, "checkpoint %s has no event at its seq",
                          header->id);
    end_span(self, header);
  }
}

static void check_announcement(ck_verify *self, const ck_event_row *row, ck_bytes body) {
  ck_verify_header *header = NULL;
  if (self->header_next < self->header_count && self->headers[self->header_next].seq == row->seq)
    header = &self->headers[self->header_next];
  ck_bytes announced =
      row->kind == CK_EVENT_BOUNDARY ? ck_json_get(body, "checkpoint") : (ck_bytes){NULL, 0};
  bool named = ck_json_type_of(announced) == CK_JSON_STRING;
  if (named && !header)
    ck_verify_add_finding(
        self, row->seq, CK_E_CORRUPT, "event %lld announces a checkpoint that is not there: %.*s",
        (long long)row->seq, (int)(announced.len < 80 ? announced.len : 80), announced.data);
  if (header && body.data && !(named && ck_json_is_text(announced, header->id)))
    ck_verify_add_finding(self, row->seq, CK_E_CORRUPT,
                          "checkpoint %s is not announced by event %lld", header->id,
                          (long long)row->seq);
  if (header) end_span(self, header);
}

static void check_head(ck_verify *self, int64_t seq, const ck_digest *digest) {
  if (seq == self->head.seq && !ck_head_row_is_at(&self->head, digest))
    ck_verify_add_finding(self, seq, CK_E_CORRUPT,
                          "event %lld is not the one that the session's head names",
                          (long long)seq);
}

static bool visit_event(void *to, const ck_event_row *row) {
  ck_verify *self = to;
  ck_bytes body;
  self->report->events++;
  check_place(self, row);
  pass_headers(self, row->seq);
  self->status = open_body(&body, self, row);
  if (self->status) return false;
  ck_digest digest = {{0}};
  if (body.data) {
    digest = ck_chain_digest_event(row, body);
    ck_digester_update(&self->events, digest.bytes, sizeof digest.bytes);
    if (ck_chain_check_of_event(&digest, row->decision) != row->check)
      ck_verify_add_finding(self, row->seq, CK_E_CORRUPT,
                            "event %lld is not what was written: its check differs",
                            (long long)row->seq);
  }
  if (body.data) check_head(self, row->seq, &digest);
  ck_verify_take_sums(self, row, body);
  check_announcement(self, row, body);
  if (self->see && body.data) self->see(self->to, self->record.id, row->seq, row->kind, body);
  self->event_seq = row->seq;
  return true;
}

ck_status ck_verify_events(ck_verify *self, int64_t until) {
  const ck_backend *backend = &self->store->backend;
  if (until <= self->event_seq) return CK_OK;
  ck_event_rows rows = {.session = self->record.no, .after = self->event_seq, .until = until};
  ck_status status = backend->read_events(backend->self, &rows, visit_event, self, self->err);
  if (!status) status = self->status;
  if (!status) pass_headers(self, until + 1);
  return status;
}
