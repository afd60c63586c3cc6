/* page.h - the files of the page, which are linked into the program. */
#ifndef CK_HOST_UI_PAGE_H
#define CK_HOST_UI_PAGE_H

#include <stdbool.h>

#include "core/base/buffer.h"

typedef struct ck_ui_file {
  ck_bytes text;    /* static */
  const char *type; /* of its content; NULL: there is no such file */
} ck_ui_file;

/* `path`: "/" or "/app.js". */
ck_ui_file ck_ui_page_get(const char *path);

/* A script that others import, all but report.js, which begins them in a report. */
typedef struct ck_ui_module {
  size_t row;       /* of the embedded texts */
  const char *name; /* "app.js" */
  ck_bytes text;
} ck_ui_module;

/* The next one; zero-initialised, the first. False: there are no more. */
bool ck_ui_page_next_module(ck_ui_module *self);

#endif
