/* line_editor.c - finds libedit at run time; without it lines are read as they come. */
#include "core/host/cli/line_editor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* A pointer to a function and one to data have the same size wherever dlsym is. */
static bool find(void *out, size_t size, void *handle, const char *name) {
  void *found = dlsym(handle, name);
  memcpy(out, &found, size);
  return found != NULL;
}

bool ck_line_editor_open(ck_line_editor *self, const char *library) {
  *self = (ck_line_editor){.prompts = true};
  void *handle = dlopen(library ? library : "libedit.so.2", RTLD_NOW | RTLD_LOCAL);
  if (handle && find(&self->read, sizeof self->read, handle, "readline") &&
      find(&self->remember, sizeof self->remember, handle, "add_history"))
    return true;
  self->read = NULL;
  self->remember = NULL;
  return false;
}

static char *read_plain(const ck_line_editor *self, const char *prompt) {
  char *line = NULL;
  size_t size = 0;
  if (self->prompts) {
    fputs(prompt, stdout);
    fflush(stdout);
  }
  ssize_t len = getline(&line, &size, stdin);
  if (len < 0) {
    free(line);
    return NULL;
  }
  if (len > 0 && line[len - 1] == '\n') line[len - 1] = '\0';
  return line;
}

char *ck_line_editor_read(const ck_line_editor *self, const char *prompt) {
  if (!self->read) return read_plain(self, prompt);
  char *line = self->read(prompt);
  if (line && *line) self->remember(line);
  return line;
}
