/* tool_model_server.c - the provider of models for shell tests: tool_model_server SCRIPT LOG
 * PORT-FILE serves until it is killed. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/effect/model/model_server.h"

/* The port is there in full or not at all. */
static int tell_port(const char *path, int port) {
  char partial[4096];
  snprintf(partial, sizeof partial, "%s.part", path);
  FILE *file = fopen(partial, "w");
  if (!file) return -1;
  fprintf(file, "%d\n", port);
  return fclose(file) || rename(partial, path) ? -1 : 0;
}

int main(int count, char **arguments) {
  ck_buffer script = {0};
  char chunk[1 << 16];
  size_t got;
  int port;
  FILE *file = count == 4 ? fopen(arguments[1], "r") : NULL;
  if (!file) {
    fprintf(stderr, "usage: tool_model_server SCRIPT LOG PORT-FILE\n");
    return 2;
  }
  while ((got = fread(chunk, 1, sizeof chunk, file)) > 0) ck_buffer_append(&script, chunk, got);
  fclose(file);
  int listening = model_server_listen(&port);
  if (listening < 0 || tell_port(arguments[3], port)) {
    perror("tool_model_server");
    return 1;
  }
  model_server_serve(listening, ck_buffer_bytes(&script), arguments[2]);
}
