/* prepared.c - digests and packs events, into one block. */
#include "core/store/prepared.h"

#include <stdlib.h>

#include "core/store/format/chain.h"

ck_event_row ck_prepared_row(const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  return (ck_event_row){.seq = event->seq,
                        .timeline = event->timeline,
                        .kind = event->kind,
                        .at_ms = event->at_ms,
                        .scope = event->scope,
                        .agent = event->agent,
                        .encoding = CK_ENCODING_PLAIN,
                        .plain_len = (int64_t)body.len,
                        .body = body,
                        .decision = event->decision};
}

static bool is_packed(const ck_compress *compress, size_t len) {
  return ck_compress_wants(compress, len) && len <= (size_t)CK_PLAIN_MAX;
}

void ck_preparer_clear(ck_preparer *self) { ck_compress_clear(&self->compress); }

ck_prepared_event *ck_prepare_events(ck_preparer *self, ck_event *const *events, size_t count) {
  size_t room = 0;
  for (size_t i = 0; i < count; i++) {
    size_t len = ck_value_bytes(events[i]->body).len;
    if (is_packed(&self->compress, len)) room += len;
  }
  ck_prepared_event *out = malloc(count * sizeof *out + room);
  if (!out) return NULL;
  char *to = (char *)(out + count);
  for (size_t i = 0; i < count; i++) {
    ck_event_row row = ck_prepared_row(events[i]);
    out[i] = (ck_prepared_event){.digest = ck_chain_digest_event(&row, row.body),
                                 .tried = is_packed(&self->compress, row.body.len)};
    if (!out[i].tried) continue;
    out[i].packed = (ck_bytes){to, ck_compress_encode(&self->compress, to, row.body)};
    to += out[i].packed.len;
  }
  return out;
}
