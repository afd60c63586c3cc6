/* cover.c - a table of counts, and the file that keeps their totals. */
#include "tests/worlds/cover.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THINGS = 400, NAME = 80 };

typedef struct thing {
  char name[NAME];
  uint64_t count;
} thing;

static thing things[THINGS];
static size_t used;

static thing *find(const char *name) {
  for (size_t i = 0; i < used; i++)
    if (strcmp(things[i].name, name) == 0) return &things[i];
  return NULL;
}

void cover_add(const char *name, uint64_t count) {
  thing *at = find(name);
  if (!at) {
    tap_must(used < THINGS, "at most %d things are counted", THINGS);
    at = &things[used++];
    *at = (thing){0};
    snprintf(at->name, sizeof at->name, "%s", name);
  }
  at->count += count;
}

void cover(const char *format, ...) {
  char name[NAME];
  va_list list;
  va_start(list, format);
  vsnprintf(name, sizeof name, format, list);
  va_end(list);
  cover_add(name, 1);
}

uint64_t cover_get(const char *name) {
  const thing *at = find(name);
  return at ? at->count : 0;
}

static int compare(const void *a, const void *b) {
  return strcmp(((const thing *)a)->name, ((const thing *)b)->name);
}

void cover_show(void) {
  qsort(things, used, sizeof *things, compare);
  for (size_t i = 0; i < used; i++)
    tap_diag("%-58s %llu", things[i].name, (unsigned long long)things[i].count);
}

static void read_totals(FILE *in) {
  char line[2 * NAME];
  while (fgets(line, sizeof line, in)) {
    char *colon = strrchr(line, '\t');
    if (!colon || line[0] == '#') continue;
    *colon = 0;
    cover_add(line, strtoull(colon + 1, NULL, 10));
  }
}

void cover_save(const char *path) {
  FILE *file = fopen(path, "re");
  if (file) read_totals(file);
  if (file) fclose(file);
  qsort(things, used, sizeof *things, compare);
  file = fopen(path, "we");
  tap_must(file != NULL, "%s can be written", path);
  fprintf(file, "# Totals of the histories that campaigns have lived (WORLDS_TOTALS).\n");
  for (size_t i = 0; i < used; i++)
    fprintf(file, "%s\t%llu\n", things[i].name, (unsigned long long)things[i].count);
  tap_must(fclose(file) == 0, "%s is written", path);
}
