/* page.c - finds a file of the page by its address. */
#include "core/host/ui/page.h"

#include <stdio.h>
#include <string.h>

#include "core/base/embed.h"

#define FOLDER "core/host/ui/page"

static const char *type_of(const char *path) {
  static const struct {
    const char *ending, *type;
  } types[] = {{".html", "text/html; charset=utf-8"},
               {".css", "text/css; charset=utf-8"},
               {".js", "text/javascript; charset=utf-8"},
               {".svg", "image/svg+xml"}};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
    if (strcmp(dot, types[i].ending) == 0) return types[i].type;
  return NULL;
}

ck_ui_file ck_ui_page_get(const char *path) {
  char name[128];
  if (strcmp(path, "/") == 0) path = "/index.html";
  int len = snprintf(name, sizeof name, FOLDER "%s", path);
  ck_ui_file file = {.text = len < (int)sizeof name ? ck_embedded_get(name) : (ck_bytes){0}};
  if (file.text.data) file.type = type_of(path);
  return file;
}

bool ck_ui_page_next_module(ck_ui_module *self) {
  for (const ck_embedded *row = &ck_embedded_table[self->row]; row->name; row++) {
    const char *name = row->name + sizeof FOLDER;
    self->row++;
    if (strncmp(row->name, FOLDER "/", sizeof FOLDER) != 0) continue;
    if (!strstr(name, ".js") || strcmp(name, "report.js") == 0) continue;
    self->name = name;
    self->text = (ck_bytes){row->begin, (size_t)(row->end - row->begin)};
    return true;
  }
  return false;
}
