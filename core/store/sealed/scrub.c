/* scrub.c - a scrub of sealed rows: each is opened, given on, and sealed again when it changed. */
#include <string.h>

#include "core/store/sealed/sealed.h"

/* `row`, `home` and `arena` hold one row at a time. */
typedef struct opening {
  ck_sealed *sealed;
  const ck_row_scrub *with;
  ck_sealed_home home;
  ck_arena arena;
  ck_buffer space;
} opening;

static ck_status open_home(ck_sealer *out, opening *self, int64_t session, ck_error *err) {
  ck_arena_reset(&self->arena);
  ck_status status = ck_sealed_get_home(&self->home, self->sealed, session, err);
  *out = ck_sealed_sealer(self->sealed, &self->home);
  return status;
}

static ck_status scrub_event(bool *changed, void *to, int64_t session, ck_event_row *row,
                             ck_error *err) {
  opening *self = to;
  ck_sealer with;
  bool was_sealed = row->encoding & CK_ENCODING_SEALED;
  int64_t seq = row->seq;
  ck_status status = open_home(&with, self, session, err);
  if (!status) status = ck_sealed_decode_event(row, &with, &self->space, err);
  if (status) ck_error_prefix(err, "session %s, event %lld", self->home.id, (long long)seq);
  if (!status) status = self->with->event(changed, self->with->self, session, row, err);
  with.signs_only = !was_sealed;
  return !status && *changed ? ck_sealed_encode_event(row, &with, &self->arena, err) : status;
}

static ck_status scrub_checkpoint(bool *changed, void *to, int64_t session, ck_checkpoint_row *row,
                                  ck_error *err) {
  opening *self = to;
  ck_sealer with;
  bool was_sealed = row->encoding & CK_ENCODING_SEALED;
  ck_status status = open_home(&with, self, session, err);
  if (!status) status = ck_sealed_decode_checkpoint(row, &with, &self->space, err);
  if (status) ck_error_prefix(err, "session %s, checkpoint %s", self->home.id, row->id);
  if (!status) status = self->with->checkpoint(changed, self->with->self, session, row, err);
  with.signs_only = !was_sealed;
  return !status && *changed ? ck_sealed_encode_checkpoint(row, &with, &self->arena, err) : status;
}

static ck_status scrub_head(void *to, int64_t session, ck_head_row *row, ck_error *err) {
  opening *self = to;
  ck_sealer with;
  bool was_sealed = row->digest_len > CK_DIGEST_SIZE;
  ck_status status = open_home(&with, self, session, err);
  if (!status) status = ck_sealed_decode_head(row, &with, err);
  if (!status) status = self->with->head(self->with->self, session, row, err);
  with.signs_only = !was_sealed;
  if (!status) ck_sealed_encode_head(row, &with);
  return status;
}

static ck_status end_session(bool *changed, ck_event_row *record, void *to, int64_t session,
                             ck_error *err) {
  opening *self = to;
  ck_sealer with;
  ck_status status = self->with->end(changed, record, self->with->self, session, err);
  if (!status) status = open_home(&with, self, session, err);
  return !status && record->seq ? ck_sealed_encode_event(record, &with, &self->arena, err) : status;
}

static ck_status begin_session(void *to, int64_t session, ck_error *err) {
  opening *self = to;
  return self->with->begin(self->with->self, session, err);
}

/* ---- files and single values ---- */

static const ck_sealed_home nowhere;

static ck_status scrub_file(bool *drop, void *to, int64_t session, ck_blob_row *row,
                            ck_error *err) {
  opening *self = to;
  ck_sealer with = ck_sealed_sealer(self->sealed, &nowhere);
  ck_status status = ck_sealed_decode_blob(row, &with, &self->space, err);
  return status ? status : self->with->file(drop, self->with->self, session, row, err);
}

static void leave_file(void *to, const ck_blob_row *row) {
  opening *self = to;
  self->with->leave(self->with->self, row);
}

static ck_status seal(ck_buffer *out, const ck_sealer *with, const ck_rekey_bytes *what,
                      ck_bytes plain, ck_error *err) {
  ck_buffer sealed = {0};
  ck_status status = ck_sealed_encode_bytes(&sealed, with, what->use, what->name, plain, err);
  if (!status && what->text)
    ck_sealed_append_hex(out, ck_buffer_bytes(&sealed));
  else if (!status)
    ck_buffer_append_bytes(out, ck_buffer_bytes(&sealed));
  ck_buffer_clear(&sealed);
  return status;
}

static ck_status scrub_bytes(ck_buffer *out, bool *changed, void *to, const ck_rekey_bytes *what,
                             ck_error *err) {
  opening *self = to;
  ck_buffer stored = {0}, plain = {0}, now = {0};
  bool was_sealed = ck_sealed_is_sealed(what->bytes);
  self->home = (ck_sealed_home){.created_ms = what->created_ms};
  strncat(self->home.id, what->id, sizeof self->home.id - 1);
  ck_sealer with = ck_sealed_sealer(self->sealed, &self->home);
  ck_status status = ck_sealed_append_stored(&stored, what->bytes, what->text, err);
  if (!status)
    status =
        ck_sealed_decode_bytes(&plain, &with, what->use, what->name, ck_buffer_bytes(&stored), err);
  ck_rekey_bytes opened = *what;
  opened.bytes = ck_buffer_bytes(&plain);
  if (!status) status = self->with->bytes(&now, changed, self->with->self, &opened, err);
  if (!status && *changed && was_sealed)
    status = seal(out, &with, what, ck_buffer_bytes(&now), err);
  else if (!status && *changed)
    ck_buffer_append_bytes(out, ck_buffer_bytes(&now));
  ck_buffer_clear(&stored);
  ck_buffer_clear(&plain);
  ck_buffer_clear(&now);
  return status ? status : ck_buffer_check(out, err);
}

/* ---- the functions of backend.h ---- */

static ck_status scrub(void *to, const ck_lease *leases, size_t count, const ck_row_scrub *with,
                       ck_error *err) {
  opening open = {.sealed = to, .with = with};
  const ck_backend *inner = &open.sealed->inner;
  const ck_row_scrub rows = {.self = &open,
                             .dry_run = with->dry_run,
                             .file = scrub_file,
                             .leave = leave_file,
                             .begin = begin_session,
                             .event = scrub_event,
                             .checkpoint = scrub_checkpoint,
                             .bytes = scrub_bytes,
                             .end = end_session,
                             .head = scrub_head};
  ck_status status = inner->scrub.rows(inner->self, leases, count, &rows, err);
  ck_arena_clear(&open.arena);
  ck_buffer_clear(&open.space);
  return status;
}

static ck_status begin_scrub(void *to, ck_bytes note, ck_error *err) {
  const ck_backend *inner = &((ck_sealed *)to)->inner;
  return inner->scrub.begin(inner->self, note, err);
}
static ck_status get_scrub(ck_buffer *out, void *to, ck_error *err) {
  const ck_backend *inner = &((ck_sealed *)to)->inner;
  return inner->scrub.get(out, inner->self, err);
}
static ck_status end_scrub(void *to, ck_error *err) {
  const ck_backend *inner = &((ck_sealed *)to)->inner;
  return inner->scrub.end(inner->self, err);
}

void ck_sealed_add_scrub(ck_backend *out) {
  const ck_backend *inner = &((ck_sealed *)out->self)->inner;
  const ck_scrub_functions *of = &inner->scrub;
  if (!of->rows || !of->begin || !of->get || !of->end) return;
  out->scrub = (ck_scrub_functions){scrub, begin_scrub, get_scrub, end_scrub};
}
