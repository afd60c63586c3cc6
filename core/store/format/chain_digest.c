/* chain_digest.c - the digests that chain.h defines. */
#include "core/store/format/chain.h"

static void update_text(ck_digester *digester, const char *text) {
  ck_bytes bytes = ck_bytes_text(text);
  ck_digester_update(digester, bytes.data, bytes.len);
}

ck_digest ck_chain_digest_event(const ck_event_row *event, ck_bytes plain) {
  ck_digester digester;
  ck_digest body = ck_digest_of(plain);
  ck_digester_init(&digester);
  update_text(&digester, "ckrun event 1");
  ck_digester_update_int(&digester, event->seq);
  ck_digester_update_int(&digester, event->timeline);
  ck_digester_update_int(&digester, (int64_t)event->kind);
  ck_digester_update_int(&digester, event->at_ms);
  ck_digester_update_field(&digester, ck_bytes_text(event->scope));
  ck_digester_update_int(&digester, event->agent != NULL);
  if (event->agent) ck_digester_update_field(&digester, ck_bytes_text(event->agent));
  ck_digester_update(&digester, body.bytes, sizeof body.bytes);
  return ck_digester_final(&digester);
}

int64_t ck_chain_check_of(const ck_digest *digest) {
  uint64_t check = 0;
  for (size_t i = 0; i < 8; i++) check = check << 8 | digest->bytes[i];
  return (int64_t)check;
}

int64_t ck_chain_check_of_event(const ck_digest *digest, ck_bytes decision) {
  ck_digester digester;
  if (decision.len == 0) return ck_chain_check_of(digest);
  ck_digester_init(&digester);
  update_text(&digester, "ckrun decided event 1");
  ck_digester_update(&digester, digest->bytes, sizeof digest->bytes);
  ck_digester_update_field(&digester, decision);
  ck_digest all = ck_digester_final(&digester);
  return ck_chain_check_of(&all);
}

static void update_totals(ck_digester *digester, const ck_totals *totals) {
  ck_digester_update_int(digester, totals->cost_micros);
  ck_digester_update_int(digester, totals->input_tokens);
  ck_digester_update_int(digester, totals->output_tokens);
  ck_digester_update_int(digester, totals->model_calls);
  ck_digester_update_int(digester, totals->tool_calls);
  ck_digester_update_int(digester, totals->unmetered);
  ck_digester_update_int(digester, totals->active_us);
}

ck_digest ck_chain_digest_checkpoint(const ck_checkpoint_row *row, const char *session_id,
                                     const ck_digest *parent, ck_bytes changed) {
  ck_digester digester;
  ck_digester_init(&digester);
  update_text(&digester, "ckrun checkpoint 1");
  ck_digester_update(&digester, parent->bytes, sizeof parent->bytes);
  ck_digester_update_field(&digester, ck_bytes_text(session_id));
  ck_digester_update_field(&digester, ck_bytes_text(row->id));
  ck_digester_update_int(&digester, row->seq);
  ck_digester_update_int(&digester, row->parent);
  ck_digester_update_int(&digester, row->timeline);
  ck_digester_update_int(&digester, row->covers);
  ck_digester_update_int(&digester, (int64_t)row->kind);
  ck_digester_update_int(&digester, row->created_ms);
  ck_digester_update_int(&digester, row->clean);
  ck_digester_update_int(&digester, row->resumable);
  update_totals(&digester, &row->totals);
  ck_digester_update_int(&digester, row->changed);
  ck_digester_update_field(&digester, row->info);
  ck_digester_update_field(&digester, changed);
  ck_digester_update(&digester, row->events_digest.bytes, sizeof row->events_digest.bytes);
  return ck_digester_final(&digester);
}
