/* page.h - the files of the page, which are linked into the program. */
#ifndef CK_HOST_UI_PAGE_H
#define CK_HOST_UI_PAGE_H

#include "core/base/buffer.h"

typedef struct ck_ui_file {
  ck_bytes text;    /* static */
  const char *type; /* of its content; NULL: there is no such file */
} ck_ui_file;

/* `path`: "/" or "/app.js". */
ck_ui_file ck_ui_page_get(const char *path);

#endif
