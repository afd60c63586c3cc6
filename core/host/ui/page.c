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
