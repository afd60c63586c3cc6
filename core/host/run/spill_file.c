/* spill_file.c - opens what is sealed, and writes beside before it replaces. */
#include "core/host/run/spill_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/sealed_text.h"
#include "core/effect/process/spill.h"

/* ---- reading ---- */

enum { PART = CK_SEALED_TEXT_PIECE, ROOM = PART + 64 };

typedef struct walk {
  const ck_spill_file *file;
  ck_shelf_item *item;
  char *room; /* of ROOM bytes */
  ck_spill_file_visit visit;
  void *to;
} walk;

static ck_status take(size_t *got, const walk *self, size_t len, ck_error *err) {
  return ck_shelf_read(got, self->item, self->room, len, err);
}

static ck_status walk_plain(const walk *self, size_t got, ck_error *err) {
  ck_status status = CK_OK;
  while (status == CK_OK && got > 0) {
    status = self->visit(self->to, (ck_bytes){self->room, got}, err);
    if (status == CK_OK) status = take(&got, self, PART, err);
  }
  return status;
}

/* *got: of the next piece; 0: it is not one that was written. */
static ck_status take_piece(size_t *got, const walk *self, ck_error *err) {
  ck_status status = take(got, self, CK_SEALED_TEXT_LENGTH, err);
  if (status != CK_OK) return status;
  size_t len = *got == CK_SEALED_TEXT_LENGTH ? ck_sealed_text_next(self->room) : 0;
  status = take(got, self, len, err);
  if (*got != len) *got = 0;
  return status;
}

static ck_status walk_pieces(bool *whole, const walk *self, ck_sealed_text *seal, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = CK_OK;
  bool last = false;
  size_t got = 1;
  while (status == CK_OK && !last) {
    ck_buffer_reset(&text);
    status = take_piece(&got, self, err);
    if (status != CK_OK || !got ||
        !ck_sealed_text_take(&text, &last, seal, (ck_bytes){self->room, got}))
      break;
    if (text.len) status = self->visit(self->to, ck_buffer_bytes(&text), err);
  }
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK && last) status = take(&got, self, 1, err);
  *whole = last && got == 0;
  if (text.data) explicit_bzero(text.data, text.cap);
  ck_buffer_clear(&text);
  return status;
}

static ck_status refuse(const ck_spill_file *file, ck_error *err) {
  ck_status status = ck_sealed_text_refuse(file->name, err);
  ck_error_prefix(err, "%s", file->shelf->place);
  return status;
}

static ck_status walk_sealed(const walk *self, ck_error *err) {
  uint8_t key[CK_SPILL_KEY];
  ck_sealed_text *seal;
  bool whole = false;
  const ck_spill_file *file = self->file;
  if (!file->key)
    return ck_error_set(err, CK_E_CORRUPT,
                        "%s/%s is sealed, and lies beside a store without a key: it is of another "
                        "store",
                        file->shelf->place, file->name);
  ck_spill_derive_key(key, file->key);
  bool is =
      ck_sealed_text_begin(&seal, key, file->name, (ck_bytes){self->room, CK_SEALED_TEXT_HEAD});
  explicit_bzero(key, sizeof key);
  if (is && !seal) return ck_error_no_memory(err);
  ck_status status = is ? walk_pieces(&whole, self, seal, err) : CK_OK;
  ck_sealed_text_free(seal);
  if (status != CK_OK || whole) return status;
  return refuse(file, err);
}

static ck_status walk_open(bool *sealed, const walk *self, ck_error *err) {
  size_t got;
  ck_status status = take(&got, self, CK_SEALED_TEXT_HEAD, err);
  if (status != CK_OK) return status;
  *sealed = ck_sealed_text_is((ck_bytes){self->room, got});
  if (*sealed && got == CK_SEALED_TEXT_HEAD) return walk_sealed(self, err);
  if (*sealed) return refuse(self->file, err);
  return walk_plain(self, got, err);
}

ck_status ck_spill_file_walk(bool *sealed, const ck_spill_file *file, ck_spill_file_visit visit,
                             void *to, ck_error *err) {
  walk self = {.file = file, .visit = visit, .to = to};
  *sealed = false;
  ck_status status = ck_shelf_open_item(&self.item, file->shelf, file->name, err);
  if (status != CK_OK) return status;
  self.room = malloc(ROOM);
  status = self.room ? walk_open(sealed, &self, err) : ck_error_no_memory(err);
  ck_shelf_free(self.item);
  if (self.room) explicit_bzero(self.room, ROOM);
  free(self.room);
  return status;
}

static ck_status pass(void *to, ck_bytes part, ck_error *err) {
  (void)to;
  (void)part;
  (void)err;
  return CK_OK;
}

ck_status ck_spill_file_check(bool *sealed, const ck_spill_file *self, ck_error *err) {
  return ck_spill_file_walk(sealed, self, pass, NULL, err);
}

static ck_status append(void *to, ck_bytes part, ck_error *err) {
  ck_buffer *out = to;
  ck_buffer_append_bytes(out, part);
  return ck_buffer_check(out, err);
}

ck_status ck_spill_file_read(ck_buffer *out, bool *sealed, const ck_spill_file *self,
                             ck_error *err) {
  return ck_spill_file_walk(sealed, self, append, out, err);
}

/* ---- writing ---- */

struct ck_spill_draft {
  const ck_spill_file *file; /* borrowed */
  const char *name;          /* borrowed */
  ck_shelf_item *item;
  ck_sealed_text *seal; /* NULL: it is not sealed */
  ck_buffer space;
};

static void free_draft(ck_spill_draft *self) {
  ck_shelf_free(self->item);
  ck_sealed_text_free(self->seal);
  ck_buffer_clear(&self->space);
  free(self);
}

void ck_spill_draft_drop(ck_spill_draft *self) {
  if (!self) return;
  if (self->item) (void)!ck_shelf_remove(self->file->shelf, self->name, NULL);
  free_draft(self);
}

static ck_status begin_seal(ck_spill_draft *self, ck_error *err) {
  uint8_t key[CK_SPILL_KEY];
  if (!self->file->key) return CK_OK;
  ck_spill_derive_key(key, self->file->key);
  ck_status status = ck_sealed_text_new(&self->seal, &self->space, key, self->file->name, err);
  explicit_bzero(key, sizeof key);
  return status;
}

ck_status ck_spill_draft_open(ck_spill_draft **out, const ck_spill_file *file, const char *draft,
                              ck_error *err) {
  *out = NULL;
  ck_spill_draft *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->file = file;
  self->name = draft;
  ck_status status = begin_seal(self, err);
  if (status == CK_OK) status = ck_shelf_make(&self->item, file->shelf, draft, err);
  if (status == CK_OK)
    *out = self;
  else
    ck_spill_draft_drop(self);
  return status;
}

static ck_status put(ck_spill_draft *self, ck_bytes part, bool last, ck_error *err) {
  if (!self->seal) return ck_shelf_write(self->item, part, err);
  ck_status status = ck_sealed_text_append(&self->space, self->seal, part, last, err);
  if (status == CK_OK) status = ck_shelf_write(self->item, ck_buffer_bytes(&self->space), err);
  ck_buffer_reset(&self->space);
  return status;
}

ck_status ck_spill_draft_append(ck_spill_draft *self, ck_bytes part, ck_error *err) {
  return put(self, part, false, err);
}

ck_status ck_spill_draft_end(ck_spill_draft *self, const char *as, ck_error *err) {
  const ck_shelf *shelf = self->file->shelf;
  ck_status status = put(self, (ck_bytes){NULL, 0}, true, err);
  if (status == CK_OK) status = ck_shelf_end(self->item, true, err);
  if (status == CK_OK) status = ck_shelf_move(shelf, self->name, as, err);
  if (status == CK_OK)
    free_draft(self);
  else
    ck_spill_draft_drop(self);
  return status == CK_OK ? ck_shelf_sync(shelf, err) : status;
}
