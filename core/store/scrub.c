/* scrub.c - scrubs sessions: gives their rows to the rules, and changes them in one transaction. */
#include "core/store/scrub.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/store/scrub_walk.h"

const char *ck_scrub_place_name(ck_scrub_place place) {
  static const char *const names[] = {
#define X(name, text) [name] = text,
      CK_SCRUB_TABLE(X)
#undef X
  };
  return place < CK_SCRUB_PLACES ? names[place] : NULL;
}

/* ---- files ---- */

static ck_status note_dropped(ck_scrub_walk *self, const ck_digest *digest, ck_error *err) {
  ck_digest *list =
      ck_array_grow(self->dropped, self->dropped_count, &self->dropped_cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->dropped = list;
  list[self->dropped_count++] = *digest;
  return CK_OK;
}

/* A changed text is not the one that ran, and is under another digest: it goes as a whole. */
static ck_status scrub_file(bool *drop, void *to, int64_t session, ck_blob_row *row,
                            ck_error *err) {
  ck_scrub_walk *self = to;
  if (row->fault) return ck_error_set(err, row->fault->status, "%s", row->fault->text);
  const ck_scrub_item item = {
      .place = CK_SCRUB_FILE, .session = session, .name = row->kind, .bytes = row->body};
  ck_status status = ck_scrub_ask(&self->body, drop, self, &item, err);
  return !status && *drop ? note_dropped(self, &row->name, err) : status;
}

static void leave_file(void *to, const ck_blob_row *row) {
  const ck_scrub_walk *self = to;
  const ck_scrub_item item = {.place = CK_SCRUB_FILE, .name = row->kind, .bytes = row->body};
  if (self->rules->leave) self->rules->leave(self->rules->self, &item);
}

static bool is_dropped(const ck_scrub_walk *self, ck_bytes hex) {
  ck_digest digest;
  if (hex.len != CK_DIGEST_HEX_SIZE + 1 ||
      !ck_digest_read_hex(&digest, (ck_bytes){hex.data + 1, hex.len - 2}))
    return false;
  for (size_t i = 0; i < self->dropped_count; i++)
    if (ck_digest_equal(&self->dropped[i], &digest)) return true;
  return false;
}

static bool put_file(ck_json_writer *w, const ck_scrub_walk *self, ck_bytes file) {
  ck_json_iterator it = ck_json_iterate(file);
  bool dropped = is_dropped(self, ck_json_get(file, "digest"));
  if (!dropped) {
    ck_json_put_raw(w, file);
    return false;
  }
  ck_json_begin(w, '{');
  while (ck_json_next(&it)) {
    ck_json_raw_name(w, it.name);
    ck_json_put_raw(w, it.value);
  }
  ck_json_member_bool(w, "withheld", true);
  ck_json_end(w, '}');
  return true;
}

/* What a run executed, with the files that went marked as withheld. */
static bool mark_files(ck_buffer *out, const ck_scrub_walk *self, ck_bytes about) {
  ck_json_writer w = {.out = out};
  bool marked = false;
  ck_json_begin(&w, '{');
  for (ck_json_iterator it = ck_json_iterate(about); ck_json_next(&it);) {
    ck_json_raw_name(&w, it.name);
    if (!ck_bytes_equal(it.name, ck_bytes_text("\"files\""))) {
      ck_json_put_raw(&w, it.value);
      continue;
    }
    ck_json_begin(&w, '[');
    for (ck_json_iterator file = ck_json_iterate(it.value); ck_json_next(&file);)
      marked |= put_file(&w, self, file.value);
    ck_json_end(&w, ']');
  }
  ck_json_end(&w, '}');
  return marked;
}

/* ---- single values ---- */

static ck_scrub_place place_of(const char *use) {
  static const struct {
    const char *use;
    ck_scrub_place place;
  } uses[] = {{"input", CK_SCRUB_INPUT},
              {"about", CK_SCRUB_ABOUT},
              {"request", CK_SCRUB_REQUEST},
              {"fact", CK_SCRUB_FACT}};
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
    if (strcmp(uses[i].use, use) == 0) return uses[i].place;
  return CK_SCRUB_TEXT;
}

static ck_status scrub_about(ck_buffer *out, bool *changed, ck_scrub_walk *self, ck_bytes about,
                             ck_error *err) {
  ck_buffer marked = {0};
  if (!mark_files(&marked, self, about)) {
    ck_buffer_clear(&marked);
    return CK_OK;
  }
  *changed = true;
  ck_buffer_reset(out);
  ck_buffer_append_bytes(out, ck_buffer_bytes(&marked));
  ck_status status = ck_buffer_check(&marked, err);
  ck_buffer_clear(&marked);
  return status;
}

static ck_status scrub_bytes(ck_buffer *out, bool *changed, void *to, const ck_rekey_bytes *what,
                             ck_error *err) {
  ck_scrub_walk *self = to;
  ck_scrub_item item = {.place = place_of(what->use),
                        .session = self->session,
                        .name = what->name,
                        .bytes = what->bytes};
  if (item.place == CK_SCRUB_TEXT) item.name = what->use;
  ck_status status = ck_scrub_ask(out, changed, self, &item, err);
  ck_bytes now = *changed ? ck_buffer_bytes(out) : what->bytes;
  if (!status && item.place == CK_SCRUB_ABOUT) status = scrub_about(out, changed, self, now, err);
  if (!status && item.place == CK_SCRUB_FACT)
    status = ck_scrub_look(self, "fact", 0, what->name, err);
  self->changed |= *changed;
  return status;
}

/* ---- sessions ---- */

static ck_status look_at_session(ck_scrub_walk *self, ck_error *err) {
  ck_session_record record;
  ck_status status = ck_store_get_session(&record, self->store, self->id, err);
  if (status) return status;
  self->timeline = record.timeline;
  ck_head_row head;
  status = ck_store_core_get_head_row(&head, self->store, &record, err);
  self->head_seq = head.seq;
  const struct {
    const char *what, *name;
  } names[] = {{"id", self->id}, {"profile", record.profile}, {"flow", record.flow}};
  for (size_t i = 0; i < sizeof names / sizeof *names && !status; i++)
    status = ck_scrub_look(self, names[i].what, 0, names[i].name, err);
  ck_session_record_clear(&record);
  return status;
}

static ck_status begin_session(void *to, int64_t session, ck_error *err) {
  ck_scrub_walk *self = to;
  self->session = session;
  self->changed = false;
  ck_state_rebuild_free(self->state);
  self->state = NULL;
  ck_digester_init(&self->events);
  ck_status status = ck_store_core_get_name(self->id, self->store, session, err);
  if (status) return status;
  ck_payload_clear(&self->payload);
  ck_payload_init(&self->payload, self->id);
  status = look_at_session(self, err);
  if (!status) status = ck_store_core_get_last_seq(&self->last_seq, self->store, session, err);
  return status;
}

static ck_status name_row(ck_status status, const ck_scrub_walk *self, const char *what,
                          int64_t seq, ck_error *err) {
  if (status && status != CK_E_NO_MEMORY)
    ck_error_prefix(err, "session %s, %s %lld", self->id, what, (long long)seq);
  return status;
}

static ck_status scrub_event(bool *changed, void *to, int64_t session, ck_event_row *row,
                             ck_error *err) {
  (void)session;
  return name_row(ck_scrub_event_row(changed, to, row, err), to, "event", row->seq, err);
}

static ck_status scrub_checkpoint(bool *changed, void *to, int64_t session, ck_checkpoint_row *row,
                                  ck_error *err) {
  (void)session;
  return name_row(ck_scrub_checkpoint_row(changed, to, row, err), to, "checkpoint at", row->seq,
                  err);
}

static ck_status make_record(ck_event_row *out, ck_scrub_walk *self, ck_error *err) {
  ck_value *body = NULL;
  ck_clock clock = ck_clock_system();
  ck_status status = self->rules->record(&body, self->rules->self, self->session, err);
  if (status || !body) return status;
  ck_buffer_reset(&self->body);
  ck_buffer_append_bytes(&self->body, ck_value_bytes(body));
  ck_value_free(body);
  ck_bytes plain = ck_buffer_bytes(&self->body);
  *out = (ck_event_row){.seq = self->last_seq + 1,
                        .timeline = self->timeline,
                        .kind = CK_EVENT_SCRUBBED,
                        .at_ms = clock.wall_ms(clock.self),
                        .scope = "main",
                        .plain_len = (int64_t)plain.len,
                        .body = plain};
  ck_digest digest = ck_chain_digest_event(out, plain);
  out->check = ck_chain_check_of_event(&digest, out->decision);
  return ck_buffer_check(&self->body, err);
}

static ck_status end_session(bool *changed, ck_event_row *record, void *to, int64_t session,
                             ck_error *err) {
  (void)session;
  ck_scrub_walk *self = to;
  *record = (ck_event_row){0};
  *changed = self->changed;
  self->report->sessions += self->changed;
  return self->changed ? make_record(record, self, err) : CK_OK;
}

static ck_status scrub_head(void *to, int64_t session, ck_head_row *row, ck_error *err) {
  (void)session, (void)err;
  ck_scrub_walk *self = to;
  *row = ck_head_row_of(row->epoch + 1, row->status, row->seq, &self->head);
  return CK_OK;
}

/* ---- the whole ---- */

static void free_walk(ck_scrub_walk *self) {
  ck_buffer *const buffers[] = {&self->body, &self->kept, &self->info, &self->space};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
    if (buffers[i]->data) explicit_bzero(buffers[i]->data, buffers[i]->cap);
    ck_buffer_clear(buffers[i]);
  }
  ck_state_rebuild_free(self->state);
  ck_payload_clear(&self->payload);
  free(self->digests);
  free(self->dropped);
  free(self);
}

static ck_status check_leases(ck_store *self, const ck_lease *leases, size_t count, ck_error *err) {
  const ck_held_lease *held;
  ck_status status = ck_backend_require(&self->backend, CK_BACKEND_SCRUB, self->url, err);
  for (size_t i = 0; i < count && !status; i++)
    status = ck_store_core_check_lease(&held, self, leases[i], err);
  return status;
}

/* The epochs were raised: what the leases let write is over. */
static void drop_leases(ck_store *self, const ck_lease *leases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    self->backend.release(self->backend.self, leases[i]);
    ck_store_core_drop_lease(self, leases[i].session);
  }
}

static ck_status scrub(ck_scrub_walk *self, const ck_lease *leases, size_t count, bool dry_run,
                       ck_error *err) {
  const ck_backend *backend = &self->store->backend;
  const ck_row_scrub with = {.self = self,
                             .dry_run = dry_run,
                             .file = scrub_file,
                             .leave = leave_file,
                             .begin = begin_session,
                             .event = scrub_event,
                             .checkpoint = scrub_checkpoint,
                             .bytes = scrub_bytes,
                             .end = end_session,
                             .head = scrub_head};
  self->store->compress.from = 0;
  return backend->scrub.rows(backend->self, leases, count, &with, err);
}

ck_status ck_store_scrub(ck_scrub_report *out, ck_store *self, const ck_lease *leases, size_t count,
                         const ck_scrub_rules *rules, bool dry_run, ck_error *err) {
  *out = (ck_scrub_report){0};
  ck_scrub_walk *walk = aligned_alloc(_Alignof(ck_scrub_walk), sizeof *walk);
  if (!walk) return ck_error_no_memory(err);
  *walk = (ck_scrub_walk){.store = self, .rules = rules, .report = out};
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) {
    free_walk(walk);
    return status;
  }
  status = check_leases(self, leases, count, err);
  if (!status) status = scrub(walk, leases, count, dry_run, err);
  if (!status && !dry_run) drop_leases(self, leases, count);
  free_walk(walk);
  return ck_store_core_end_write(self, status, err);
}

/* ---- the note ---- */

ck_status ck_store_begin_scrub(ck_store *self, ck_bytes note, ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_backend_require(&self->backend, CK_BACKEND_SCRUB, self->url, err);
  if (!status) status = self->backend.scrub.begin(self->backend.self, note, err);
  return ck_store_core_end_write(self, status, err);
}

ck_status ck_store_get_scrub(ck_buffer *out, ck_store *self, ck_error *err) {
  if (!ck_backend_can(&self->backend, CK_BACKEND_SCRUB)) return CK_OK;
  return self->backend.scrub.get(out, self->backend.self, err);
}

ck_status ck_store_end_scrub(ck_store *self, ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_backend_require(&self->backend, CK_BACKEND_SCRUB, self->url, err);
  if (!status) status = self->backend.scrub.end(self->backend.self, err);
  return ck_store_core_end_write(self, status, err);
}
