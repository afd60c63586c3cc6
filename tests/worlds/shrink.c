/* shrink.c - delta debugging over decisions (Zeller, Hildebrandt 2002): whatever is left out is the
 * quiet answer. */
#include "tests/worlds/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

typedef struct shrinking {
  chance_script *script;
  bool (*fails)(const chance_script *script);
  int tries;
} shrinking;

static bool try_it(shrinking *self, const chance_script *script) {
  return self->tries-- > 0 && self->fails(script);
}

/* Without the decisions first to first + count - 1; true when that still fails. */
static bool leave_out(shrinking *self, size_t first, size_t count) {
  chance_script less = {0};
  for (size_t i = 0; i < self->script->count; i++)
    if (i < first || i >= first + count) chance_script_add(&less, self->script->list[i]);
  bool fails = try_it(self, &less);
  if (!fails) {
    free(less.list);
    return false;
  }
  free(self->script->list);
  *self->script = less;
  return true;
}

static bool drop_parts(shrinking *self, size_t size) {
  bool any = false;
  for (size_t at = self->script->count; at > 0 && self->tries > 0;) {
    size_t first = at > size ? at - size : 0;
    any |= leave_out(self, first, at - first);
    at = first;
  }
  return any;
}

static void make_smaller(shrinking *self) {
  for (size_t i = 0; i < self->script->count && self->tries > 0; i++) {
    uint32_t before = self->script->list[i].value;
    if (before < 2) continue;
    self->script->list[i].value = 1;
    if (!try_it(self, self->script)) self->script->list[i].value = before;
  }
}

void shrink(chance_script *script, bool (*fails)(const chance_script *script), int tries) {
  shrinking self = {.script = script, .fails = fails, .tries = tries};
  for (size_t size = script->count / 2; size > 0; size /= 2) drop_parts(&self, size);
  while (self.tries > 0 && drop_parts(&self, 1)) continue;
  make_smaller(&self);
}

void script_print(FILE *out, const chance_script *script) {
  for (size_t i = 0; i < script->count; i++)
    fprintf(out, "%s %u %u\n", chance_name(script->list[i].kind), script->list[i].number,
            script->list[i].value);
}

static bool read_line(chance_script *out, const char *line) {
  char name[32];
  chance_choice choice = {.kind = 0};
  if (sscanf(line, "%31s %u %u", name, &choice.number, &choice.value) != 3) return false;
  while (choice.kind < CHANCE_KINDS && strcmp(chance_name(choice.kind), name) != 0) choice.kind++;
  if (choice.kind == CHANCE_KINDS) return false;
  chance_script_add(out, choice);
  return true;
}

void script_read(chance_script *out, const char *path) {
  char line[200];
  FILE *in = fopen(path, "re");
  tap_must(in != NULL, "%s can be read", path);
  while (fgets(line, sizeof line, in))
    if (line[0] != '#' && line[0] != '\n')
      tap_must(read_line(out, line), "%s: %.100s is a decision", path, line);
  fclose(in);
}
