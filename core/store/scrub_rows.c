/* scrub_rows.c - scrubs one row of an event or a checkpoint, and makes its digests again. */
#include <string.h>

#include "core/base/array.h"
#include "core/model/sums.h"
#include "core/store/scrub_walk.h"
#include "core/store/format/row.h"

/* The stored form of `plain`, which stays until the next row. */
static ck_status pack(ck_stored *out, ck_scrub_walk *self, ck_bytes plain, ck_error *err) {
  *out = (ck_stored){CK_ENCODING_PLAIN, (int64_t)plain.len, plain};
  if (!ck_compress_wants(&self->store->compress, plain.len)) return CK_OK;
  ck_buffer_reset(&self->kept);
  char *to = ck_buffer_extend(&self->kept, plain.len);
  if (!to) return ck_error_no_memory(err);
  size_t len = ck_compress_encode(&self->store->compress, to, plain);
  if (len) *out = (ck_stored){CK_ENCODING_ZSTD, (int64_t)plain.len, {to, len}};
  return CK_OK;
}

/* ---- events ---- */

static ck_status look_at_names(ck_scrub_walk *self, const ck_event_row *row, ck_error *err) {
  ck_status status = ck_scrub_look(self, "scope", row->seq, row->scope, err);
  return status ? status : ck_scrub_look(self, "agent", row->seq, row->agent, err);
}

ck_status ck_scrub_event_row(bool *changed, ck_scrub_walk *self, ck_event_row *row, ck_error *err) {
  ck_row_body body = {.compress = &self->payload.compress, .space = &self->payload.space};
  ck_stored stored;
  *changed = false;
  ck_status status = ck_row_open_body(&body, row, err);
  if (status) return status;
  const ck_scrub_item item = {.place = CK_SCRUB_EVENT,
                              .session = self->session,
                              .seq = row->seq,
                              .kind = row->kind,
                              .bytes = body.plain};
  status = ck_scrub_ask(&self->body, changed, self, &item, err);
  if (!status) status = look_at_names(self, row, err);
  if (!status && *changed) status = pack(&stored, self, ck_buffer_bytes(&self->body), err);
  if (!status && *changed) {
    row->encoding = stored.encoding;
    row->plain_len = stored.plain_len;
    row->body = stored.bytes;
    body.digest = ck_chain_digest_event(row, ck_buffer_bytes(&self->body));
    row->check = ck_chain_check_of_event(&body.digest, row->decision);
    self->report->events++;
  }
  ck_digester_update(&self->events, body.digest.bytes, sizeof body.digest.bytes);
  if (row->seq == self->head_seq) self->head = body.digest;
  self->changed |= *changed;
  return status;
}

/* ---- checkpoints ---- */

static const ck_digest *find_digest(const ck_scrub_walk *self, int64_t session, int64_t seq) {
  size_t low = 0, high = self->digest_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const ck_scrub_digest *at = &self->digests[middle];
    if (at->session < session || (at->session == session && at->seq < seq))
      low = middle + 1;
    else
      high = middle;
  }
  const ck_scrub_digest *found = &self->digests[low];
  bool there = low < self->digest_count && found->session == session && found->seq == seq;
  return there ? &found->digest : NULL;
}

static ck_status get_parent(ck_digest *out, ck_scrub_walk *self, int64_t parent, ck_error *err) {
  int64_t owner;
  *out = (ck_digest){{0}};
  if (parent == 0) return CK_OK;
  ck_status status = ck_store_core_get_owner(&owner, self->store, self->session, parent, err);
  if (status) return status;
  const ck_digest *found = find_digest(self, owner, parent);
  if (!found)
    return ck_error_set(err, CK_E_CORRUPT, "the checkpoint before it, at %lld, is not there",
                        (long long)parent);
  *out = *found;
  return CK_OK;
}

static ck_status note_digest(ck_scrub_walk *self, const ck_checkpoint_row *row, ck_error *err) {
  ck_scrub_digest *list =
      ck_array_grow(self->digests, self->digest_count, &self->digest_cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->digests = list;
  list[self->digest_count++] = (ck_scrub_digest){self->session, row->seq, row->digest};
  return CK_OK;
}

/* Sums (model/sums.h) are shown to nobody, and go where something before them was changed: they
 * were of that. NULL in *out: the info has none. */
static ck_status leave_sums_out(ck_value **out, ck_bytes info, ck_error *err) {
  ck_value *whole = NULL;
  *out = NULL;
  if (ck_json_type_of(ck_json_get(info, CK_SUMS_MEMBER)) != CK_JSON_OBJECT) return CK_OK;
  ck_status status = ck_value_copy(&whole, info, err);
  if (status) return status;
  *out = ck_sums_hide(whole);
  ck_value_free(whole);
  return *out ? CK_OK : ck_error_no_memory(err);
}

static ck_status scrub_info(bool *changed, ck_scrub_walk *self, ck_checkpoint_row *row, bool moved,
                            ck_error *err) {
  ck_value *bare;
  ck_status status = leave_sums_out(&bare, row->info, err);
  if (status) return status;
  const ck_scrub_item item = {.place = CK_SCRUB_INFO,
                              .session = self->session,
                              .seq = row->seq,
                              .bytes = bare ? ck_value_bytes(bare) : row->info};
  status = ck_scrub_ask(&self->info, changed, self, &item, err);
  if (!status && !*changed && bare && moved) {
    ck_buffer_reset(&self->info);
    ck_buffer_append(&self->info, item.bytes.data, item.bytes.len);
    status = ck_buffer_check(&self->info, err);
    *changed = true;
  }
  if (*changed) row->info = ck_buffer_bytes(&self->info);
  ck_value_free(bare);
  return status;
}

/* What it changed is not known any more, so that it cannot be digested as it was: kept, the old
 * digest would let somebody try what was taken out. */
static void digest_stub(ck_scrub_walk *self, ck_checkpoint_row *row, const ck_digest *parent) {
  row->digest = ck_chain_digest_checkpoint(row, self->id, parent, (ck_bytes){NULL, 0});
  row->payload_digest = ck_payload_seal(row, self->id);
}

static ck_status put_payload(ck_scrub_walk *self, ck_checkpoint_row *row, ck_error *err) {
  ck_stored stored;
  int pruned = row->encoding & CK_ENCODING_PRUNED;
  ck_status status = pack(&stored, self, ck_buffer_bytes(&self->body), err);
  if (status) return status;
  row->encoding = stored.encoding | pruned;
  row->plain_len = stored.plain_len;
  row->payload = stored.bytes;
  row->payload_digest = ck_digest_of(stored.bytes);
  if (pruned) row->payload_digest = ck_payload_hide(&row->payload_digest);
  return CK_OK;
}

static ck_status scrub_whole(bool *changed, ck_scrub_walk *self, ck_checkpoint_row *row,
                             const ck_digest *parent, ck_error *err) {
  ck_codec_reader reader;
  ck_status status = ck_payload_open(&reader, &self->payload, row, err);
  if (!status) status = ck_scrub_payload(changed, self, &reader, row->parent, err);
  if (!status && *changed) status = put_payload(self, row, err);
  if (!status && *changed) status = ck_codec_open(&reader, ck_buffer_bytes(&self->body), err);
  if (!status) row->digest = ck_chain_digest_checkpoint(row, self->id, parent, reader.changed);
  return status;
}

ck_status ck_scrub_checkpoint_row(bool *changed, ck_scrub_walk *self, ck_checkpoint_row *row,
                                  ck_error *err) {
  ck_digest parent, before = row->digest, events = ck_digester_final(&self->events);
  bool info = false, payload = false, stub = ck_payload_is_stub(row);
  ck_digest old_parent = {{0}};
  ck_digester_init(&self->events);
  ck_status status = row->fault ? ck_error_set(err, row->fault->status, "%s", row->fault->text)
                                : get_parent(&parent, self, row->parent, err);
  if (!status && row->parent)
    status = ck_store_core_get_digest(&old_parent, self->store, self->session, row->parent, err);
  if (status) return status;
  bool moved =
      !ck_digest_equal(&events, &row->events_digest) || !ck_digest_equal(&parent, &old_parent);
  row->events_digest = events;
  status = scrub_info(&info, self, row, moved, err);
  if (!status && !stub) status = scrub_whole(&payload, self, row, &parent, err);
  if (!status && stub && (moved || info)) digest_stub(self, row, &parent);
  if (status) return status;
  *changed = info || payload || moved || !ck_digest_equal(&before, &row->digest);
  self->report->checkpoints += *changed;
  self->changed |= *changed;
  return note_digest(self, row, err);
}
