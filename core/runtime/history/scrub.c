/* scrub.c - scrubs sessions family by family: those that were forked from each other. */
#include "core/runtime/history/scrub.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/history/scrub_body.h"
#include "core/store/maintenance.h"
#include "core/store/verify.h"

typedef struct member {
  int64_t no, root; /* the first of its family */
  uint64_t epoch;
  char id[CK_ID_SIZE];
  bool wanted;
  ck_lease lease; /* session 0: not locked */
} member;

/* A kept file that holds it. */
typedef struct held_file {
  ck_digest digest;
  bool left; /* sessions beside those that were scrubbed so far need it */
} held_file;

struct ck_scrub {
  ck_store *store;
  ck_scrub_options options;
  member *list; /* ascending by no */
  size_t count, cap;
  held_file *files;
  size_t file_count, file_cap;
  ck_scrub_bodies bodies;
  ck_scrub_left_list left;
  bool learns;
  ck_scrub_counts counts, session; /* session: of the one that is walked */
  int64_t walked;
  bool refused; /* sessions were left out */
};

/* ---- families ---- */

static bool add_member(void *to, const ck_session_record *record) {
  ck_scrub *self = to;
  member *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) {
    self->walked = -1;
    return false;
  }
  self->list = list;
  member *added = &self->list[self->count++];
  *added = (member){.no = record->no, .root = record->origin.session, .epoch = record->epoch};
  memcpy(added->id, record->id, sizeof added->id);
  return true;
}

static int by_number(const void *a, const void *b) {
  const member *x = a, *y = b;
  return (x->no > y->no) - (x->no < y->no);
}

static member *find_member(const ck_scrub *self, int64_t no) {
  return self->count
             ? bsearch(&(member){.no = no}, self->list, self->count, sizeof *self->list, by_number)
             : NULL;
}

/* An origin has the smaller number, so its own root is known. */
static void find_roots(ck_scrub *self) {
  for (size_t i = 0; i < self->count; i++) {
    const member *origin =
        self->list[i].root ? find_member(self, self->list[i].root) : &self->list[i];
    self->list[i].root = origin && origin != &self->list[i] ? origin->root : self->list[i].no;
  }
}

static ck_status list_members(ck_scrub *self, ck_error *err) {
  const char *id = self->options.session;
  int64_t root = 0;
  ck_status status = ck_store_list_sessions(self->store, 0, add_member, self, err);
  if (status == CK_OK && self->walked) status = ck_error_no_memory(err);
  if (status != CK_OK) return status;
  if (self->count) qsort(self->list, self->count, sizeof *self->list, by_number);
  find_roots(self);
  for (size_t i = 0; i < self->count && id; i++)
    if (strcmp(self->list[i].id, id) == 0) root = self->list[i].root;
  if (id && !root)
    return ck_error_set(err, CK_E_NOT_FOUND, "store %s has no session %s",
                        ck_store_url(self->store), id);
  for (size_t i = 0; i < self->count; i++) self->list[i].wanted = !id || self->list[i].root == root;
  return CK_OK;
}

static ck_status lock(ck_scrub *self, member *of, ck_error *err) {
  ck_verify_report report;
  ck_status status = ck_store_lock_session(&of->lease, self->store, of->id, of->epoch, err);
  if (status != CK_OK) return status;
  status = ck_store_verify(&report, self->store, of->id, NULL, NULL, err);
  if (status == CK_OK && report.problems)
    status = ck_error_set(err, CK_E_CORRUPT,
                          "session %s is damaged, and new digests would hide it: 'ckrun store "
                          "verify' tells how",
                          of->id);
  return status;
}

static void release(ck_scrub *self, member *of) {
  if (of->lease.session) ck_store_release(self->store, of->lease);
  of->lease = (ck_lease){0};
}

/* One that is left out takes its family with it. */
static void leave_family(ck_scrub *self, const member *of, const ck_error *why) {
  if (self->options.refuse) self->options.refuse(self->options.to, of->id, why);
  int64_t root = of->root;
  self->refused = true;
  for (size_t i = 0; i < self->count; i++) {
    if (self->list[i].root != root) continue;
    self->list[i].wanted = false;
    release(self, &self->list[i]);
  }
}

static bool is_left_out(ck_status status) {
  return status == CK_E_OWNED || status == CK_E_FENCED || status == CK_E_CORRUPT;
}

static ck_status lock_all(ck_scrub *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->count && status == CK_OK; i++) {
    ck_error why = CK_ERROR_INIT;
    if (!self->list[i].wanted) continue;
    status = lock(self, &self->list[i], &why);
    if (status == CK_OK) continue;
    if (!self->options.session && is_left_out(status)) {
      leave_family(self, &self->list[i], &why);
      status = CK_OK;
    } else if (err) {
      *err = why;
    }
  }
  return status;
}

ck_status ck_scrub_open(ck_scrub **out, ck_store *store, const ck_scrub_options *options,
                        ck_error *err) {
  *out = NULL;
  ck_scrub *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->store = store;
  self->options = *options;
  self->bodies.redactor = options->redactor;
  ck_status status = list_members(self, err);
  if (status == CK_OK) status = lock_all(self, err);
  if (status != CK_OK) {
    ck_scrub_close(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

void ck_scrub_close(ck_scrub *self) {
  if (!self) return;
  for (size_t i = 0; i < self->count; i++) release(self, &self->list[i]);
  ck_scrub_bodies_clear(&self->bodies);
  ck_scrub_left_clear(&self->left);
  free(self->list);
  free(self->files);
  free(self);
}

const char *ck_scrub_session(const ck_scrub *self, size_t index) {
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].wanted && index-- == 0) return self->list[i].id;
  return NULL;
}

const ck_scrub_counts *ck_scrub_count(const ck_scrub *self) { return &self->counts; }

const ck_scrub_left_list *ck_scrub_get_left(const ck_scrub *self) { return &self->left; }

/* ---- the rules of the store's walk ---- */

static bool is_text(ck_scrub_place place) {
  return place == CK_SCRUB_TEXT || place == CK_SCRUB_FILE || place == CK_SCRUB_NAME;
}

static ck_status learn(ck_scrub *self, const ck_scrub_item *item, ck_error *err) {
  if (is_text(item->place))
    return ck_expression_learn(self->options.expression, self->options.redactor, item->bytes, err);
  return ck_expression_learn_json(self->options.expression, self->options.redactor, item->bytes,
                                  err);
}

static ck_status apply_json(ck_value **out, ck_scrub *self, const ck_scrub_item *item,
                            const ck_value *value, ck_error *err) {
  ck_redactor *redactor = self->options.redactor;
  if (item->place == CK_SCRUB_EVENT)
    return ck_scrub_body(out, &self->bodies, item->kind, value, err);
  if (item->place == CK_SCRUB_STATE)
    return ck_redactor_apply(out, redactor, CK_SINK_STATE, item->name, value, err);
  return ck_redactor_apply(out, redactor, CK_SINK_EVENT, NULL, value, err);
}

static ck_status scrub_json(ck_buffer *out, bool *changed, ck_scrub *self,
                            const ck_scrub_item *item, ck_error *err) {
  ck_value *value = NULL, *kept = NULL;
  ck_status status = ck_value_copy(&value, item->bytes, err);
  if (status == CK_OK) status = apply_json(&kept, self, item, value, err);
  ck_bytes now = kept ? ck_value_bytes(kept) : ck_bytes_text("null");
  *changed = status == CK_OK && !ck_bytes_equal(now, item->bytes);
  if (*changed) ck_buffer_append_bytes(out, now);
  ck_value_free(value);
  ck_value_free(kept);
  return status;
}

static ck_status scrub_text(ck_buffer *out, bool *changed, ck_scrub *self,
                            const ck_scrub_item *item, ck_error *err) {
  ck_status status =
      ck_redactor_apply_text(out, self->options.redactor, CK_SINK_EVENT, item->bytes, err);
  *changed = status == CK_OK && !ck_bytes_equal(ck_buffer_bytes(out), item->bytes);
  if (!*changed) ck_buffer_reset(out);
  return status;
}

static void begin_session(ck_scrub *self, int64_t session) {
  if (session == self->walked || session == 0) return;
  self->walked = session;
  self->session = (ck_scrub_counts){0};
}

static ck_status note_file(ck_scrub *self, ck_bytes text, bool left, ck_error *err) {
  ck_digest digest = ck_digest_of(text);
  size_t at = 0;
  while (at < self->file_count && !ck_digest_equal(&self->files[at].digest, &digest)) at++;
  if (at == self->file_count) {
    held_file *files = ck_array_grow(self->files, self->file_count, &self->file_cap, sizeof *files);
    if (!files) return ck_error_no_memory(err);
    self->files = files;
    self->file_count++;
  }
  self->files[at] = (held_file){digest, left};
  return CK_OK;
}

/* Of all sessions a dry run meets each file again with the next family that needs it. */
static void count_files(ck_scrub *self, bool dry_run) {
  bool others = !dry_run || self->options.session || self->refused;
  self->counts.files = self->counts.items[CK_SCRUB_FILE] = 0;
  for (size_t i = 0; i < self->file_count; i++) {
    bool left = self->files[i].left && others;
    self->counts.files += !left;
    self->counts.items[CK_SCRUB_FILE] += left;
  }
}

static ck_status note(ck_scrub *self, const ck_scrub_item *item, bool changed, ck_error *err) {
  bool name = item->place == CK_SCRUB_NAME;
  bool stays = name ? changed : item->place == CK_SCRUB_EVENT && self->bodies.kept;
  const member *of = find_member(self, item->session);
  int64_t left = 0;
  ck_status status =
      stays ? ck_scrub_left_add(&left, &self->left, item, of ? of->id : "", err) : CK_OK;
  ck_scrub_counts *const all[] = {&self->counts, &self->session};
  for (size_t i = 0; i < 2; i++) {
    if (!name) all[i]->items[item->place] += changed;
    all[i]->items[CK_SCRUB_NAME] += left;
  }
  return status;
}

static ck_status apply(ck_buffer *out, bool *changed, void *to, const ck_scrub_item *item,
                       ck_error *err) {
  ck_scrub *self = to;
  *changed = false;
  if (self->learns) return learn(self, item, err);
  begin_session(self, item->session);
  self->bodies.kept = false;
  ck_status status = is_text(item->place) ? scrub_text(out, changed, self, item, err)
                                          : scrub_json(out, changed, self, item, err);
  bool counts = item->seq || item->place != CK_SCRUB_STATE;
  if (status == CK_OK && counts) status = note(self, item, *changed, err);
  if (status == CK_OK && *changed && item->place == CK_SCRUB_FILE)
    status = note_file(self, item->bytes, false, err);
  return status;
}

static void leave(void *to, const ck_scrub_item *item) {
  ck_scrub *self = to;
  ck_error ignored = CK_ERROR_INIT; /* it is in the list, which does not grow */
  if (note_file(self, item->bytes, true, &ignored) != CK_OK) return;
}

static ck_status record(ck_value **out, void *to, int64_t session, ck_error *err) {
  ck_scrub *self = to;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  begin_session(self, session);
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "rules", ck_value_bytes(self->options.rules));
  ck_json_name(&w, "counts");
  ck_json_begin(&w, '{');
  for (int i = 0; i < CK_SCRUB_FILE; i++)
    if (self->session.items[i])
      ck_json_member_int(&w, ck_scrub_place_name((ck_scrub_place)i), self->session.items[i]);
  ck_json_end(&w, '}');
  if (self->session.items[CK_SCRUB_NAME])
    ck_json_member_int(&w, "left", self->session.items[CK_SCRUB_NAME]);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

/* ---- walks ---- */

static ck_status walk_family(ck_scrub *self, int64_t root, bool dry_run, ck_error *err) {
  size_t count = 0;
  ck_scrub_report report;
  const ck_scrub_rules rules = {.self = self, .apply = apply, .record = record, .leave = leave};
  ck_lease *leases = calloc(self->count + 1, sizeof *leases);
  if (!leases) return ck_error_no_memory(err);
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].root == root && self->list[i].wanted) leases[count++] = self->list[i].lease;
  self->walked = 0;
  ck_redactor *redactor = self->bodies.redactor;
  ck_scrub_bodies_clear(&self->bodies);
  self->bodies.redactor = redactor;
  ck_status status = ck_store_scrub(&report, self->store, leases, count, &rules, dry_run, err);
  free(leases);
  if (status != CK_OK) return status;
  self->counts.rows.sessions += report.sessions;
  self->counts.rows.events += report.events;
  self->counts.rows.checkpoints += report.checkpoints;
  for (size_t i = 0; i < self->count && !dry_run; i++) /* the store has dropped the leases */
    if (self->list[i].root == root) self->list[i].lease = (ck_lease){0};
  return CK_OK;
}

/* Of a store without sessions there may be facts. */
static ck_status walk(ck_scrub *self, bool dry_run, ck_error *err) {
  ck_status status = CK_OK;
  bool any = false;
  for (size_t i = 0; i < self->count && status == CK_OK; i++) {
    const member *at = &self->list[i];
    if (!at->wanted || at->root != at->no) continue;
    any = true;
    status = walk_family(self, at->root, dry_run, err);
  }
  if (status == CK_OK && !any) status = walk_family(self, 0, dry_run, err);
  count_files(self, dry_run);
  return status;
}

ck_status ck_scrub_learn(ck_scrub *self, ck_error *err) {
  if (!self->options.expression) return CK_OK;
  self->learns = true;
  ck_status status = walk(self, true, err);
  self->learns = false;
  self->counts = (ck_scrub_counts){0};
  return status;
}

ck_status ck_scrub_rows(ck_scrub *self, bool dry_run, ck_error *err) {
  return walk(self, dry_run, err);
}
