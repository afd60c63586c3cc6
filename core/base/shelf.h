/* shelf.h - long texts under names, kept beside what they belong to: files of a folder, or what a
 * store on a server keeps. Each is read and written in parts, so that its size does not matter. */
#ifndef CK_BASE_SHELF_H
#define CK_BASE_SHELF_H

#include "core/base/buffer.h"

/* One text that is read, or written. */
typedef struct ck_shelf_item ck_shelf_item;
/* True: it is removed. What stands on the shelf may be read and written meanwhile. */
typedef bool (*ck_shelf_visit)(void *to, const char *name, int64_t bytes);

/* A kind of shelf; the functions are those below, without what is said of all. */
typedef struct ck_shelf_kind {
  ck_status (*list)(void *self, const char *session, ck_shelf_visit visit, void *to, ck_error *err);
  ck_status (*open)(ck_shelf_item **out, void *self, const char *name, ck_error *err);
  ck_status (*make)(ck_shelf_item **out, void *self, const char *name, ck_error *err);
  ck_status (*move)(void *self, const char *name, const char *as, ck_error *err);
  ck_status (*remove)(void *self, const char *name, ck_error *err);
  ck_status (*sync)(void *self, ck_error *err);
  void (*close)(void *self);
  ck_status (*read)(size_t *got, ck_shelf_item *item, char *room, size_t len, ck_error *err);
  ck_status (*write)(ck_shelf_item *item, ck_bytes bytes, ck_error *err);
  ck_status (*end)(ck_shelf_item *item, bool sync, ck_error *err);
  void (*free)(ck_shelf_item *item);
} ck_shelf_kind;
struct ck_shelf_item {
  const ck_shelf_kind *kind;
};

/* {0}: there is none, on which nothing stands. */
typedef struct ck_shelf {
  const ck_shelf_kind *kind;
  void *self;
  const char *place;  /* for messages, with the name behind a '/' */
  const char *folder; /* of files; NULL: another kind */
} ck_shelf;

/* Files of a folder, which is made with the first. */
CK_CHECKED ck_status ck_shelf_open_folder(ck_shelf *out, const char *folder, ck_error *err);
void ck_shelf_close(ck_shelf *self);

/* Visits what belongs to a session, or more (NULL: all). CK_E_IO: the first that could not be
 * removed. */
CK_CHECKED ck_status ck_shelf_list(const ck_shelf *self, const char *session, ck_shelf_visit visit,
                                   void *to, ck_error *err);
/* CK_E_NOT_FOUND, CK_E_IO. */
CK_CHECKED ck_status ck_shelf_open_item(ck_shelf_item **out, const ck_shelf *self, const char *name,
                                        ck_error *err);
/* A new one in the place of what has this name. CK_E_FULL, CK_E_IO. */
CK_CHECKED ck_status ck_shelf_make(ck_shelf_item **out, const ck_shelf *self, const char *name,
                                   ck_error *err);
/* It takes the place of `as`. */
CK_CHECKED ck_status ck_shelf_move(const ck_shelf *self, const char *name, const char *as,
                                   ck_error *err);
CK_CHECKED ck_status ck_shelf_remove(const ck_shelf *self, const char *name, ck_error *err);
/* Names that were given are on disk. */
CK_CHECKED ck_status ck_shelf_sync(const ck_shelf *self, ck_error *err);

/* *got: as many as there are, up to `len`. CK_E_CORRUPT, CK_E_IO. */
CK_CHECKED ck_status ck_shelf_read(size_t *got, ck_shelf_item *item, char *room, size_t len,
                                   ck_error *err);
CK_CHECKED ck_status ck_shelf_write(ck_shelf_item *item, ck_bytes bytes, ck_error *err);
/* What was written is whole; `sync`: and on disk. It is still to be freed. */
CK_CHECKED ck_status ck_shelf_end(ck_shelf_item *item, bool sync, ck_error *err);
/* NULL is fine. */
void ck_shelf_free(ck_shelf_item *item);

#endif
