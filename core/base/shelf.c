/* shelf.c - asks the kind of shelf that it is. */
#include "core/base/shelf.h"

#include <string.h>

void ck_shelf_close(ck_shelf *self) {
  if (self->kind) self->kind->close(self->self);
  *self = (ck_shelf){0};
}

ck_status ck_shelf_list(const ck_shelf *self, const char *session, ck_shelf_visit visit, void *to,
                        ck_error *err) {
  return self->kind ? self->kind->list(self->self, session, visit, to, err) : CK_OK;
}

ck_status ck_shelf_open_item(ck_shelf_item **out, const ck_shelf *self, const char *name,
                             ck_error *err) {
  *out = NULL;
  if (self->kind) return self->kind->open(out, self->self, name, err);
  return ck_error_set(err, CK_E_NOT_FOUND, "%s is not there", name);
}

ck_status ck_shelf_make(ck_shelf_item **out, const ck_shelf *self, const char *name,
                        ck_error *err) {
  *out = NULL;
  return self->kind->make(out, self->self, name, err);
}

ck_status ck_shelf_move(const ck_shelf *self, const char *name, const char *as, ck_error *err) {
  return strcmp(name, as) == 0 ? CK_OK : self->kind->move(self->self, name, as, err);
}

ck_status ck_shelf_remove(const ck_shelf *self, const char *name, ck_error *err) {
  return self->kind->remove(self->self, name, err);
}

ck_status ck_shelf_sync(const ck_shelf *self, ck_error *err) {
  return self->kind && self->kind->sync ? self->kind->sync(self->self, err) : CK_OK;
}

ck_status ck_shelf_read(size_t *got, ck_shelf_item *item, char *room, size_t len, ck_error *err) {
  *got = 0;
  return item->kind->read(got, item, room, len, err);
}

ck_status ck_shelf_write(ck_shelf_item *item, ck_bytes bytes, ck_error *err) {
  return item->kind->write(item, bytes, err);
}

ck_status ck_shelf_end(ck_shelf_item *item, bool sync, ck_error *err) {
  return item->kind->end(item, sync, err);
}

void ck_shelf_free(ck_shelf_item *item) {
  if (item) item->kind->free(item);
}
