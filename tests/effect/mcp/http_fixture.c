/* http_fixture.c - starts the server, and reads what it wrote down. */
#include "tests/effect/mcp/http_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

static const char *const headers[] = {"Authorization", "bearer", "box", "X-Tenant",
                                      "text",          "acme",   NULL};

static ck_status read_secret(void *to, ck_buffer *out, const char *name, ck_error *err) {
  (void)to;
  if (strcmp(name, "box") != 0) return ck_error_set(err, CK_E_SECRET_MISSING, "no %s", name);
  ck_buffer_append_text(out, HTTP_SECRET);
  return ck_buffer_check(out, err);
}

static int start_server(http_fixture *self) {
  int in[2], out[2], port = 0;
  tap_must(pipe(in) == 0 && pipe(out) == 0, "there are pipes");
  self->server = fork();
  if (self->server == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[1]);
    close(out[0]);
    execlp("perl", "perl", "tests/effect/mcp/http_server.pl", self->folder, (char *)NULL);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  self->input = in[1];
  FILE *said = fdopen(out[0], "r");
  tap_must(said && fscanf(said, "%d", &port) == 1, "the server says its port");
  fclose(said);
  return port;
}

void http_fixture_begin(http_fixture *self, ck_loop *loop) {
  static int count;
  mcp_fixture_begin(&self->mcp, NULL, NULL);
  snprintf(self->folder, sizeof self->folder, "%s/server%d", tap_tmpdir(), ++count);
  tap_must(mkdir(self->folder, 0700) == 0, "%s is made", self->folder);
  snprintf(self->url, sizeof self->url, "http://127.0.0.1:%d/mcp", start_server(self));
  self->mcp.process = (ck_process){.name = "box", .url = self->url, .headers = headers};
  self->mcp.options.service.loop = loop;
  self->mcp.options.read_secret = read_secret;
  self->mcp.options.retry_base_ms = 1;
}

const ck_outcome *http_fixture_call(http_fixture *self, ck_effect_class class,
                                    const char *arguments) {
  return mcp_fixture_call(&self->mcp, class, "do", arguments);
}

const char *http_fixture_read(const http_fixture *self, const char *name) {
  static char text[1 << 20];
  char path[512];
  snprintf(path, sizeof path, "%s/%s", self->folder, name);
  FILE *file = fopen(path, "r");
  size_t len = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[len] = '\0';
  return text;
}

void http_fixture_write(const http_fixture *self, const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", self->folder, name);
  FILE *file = fopen(path, "w");
  tap_must(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s is written", name);
}

int http_fixture_count(const http_fixture *self, const char *name, const char *text) {
  int count = 0;
  const char *line = http_fixture_read(self, name);
  while (*line) {
    const char *end = strchr(line, '\n'), *found = strstr(line, text);
    count += found && end && found <= end;
    if (!end) break;
    line = end + 1;
  }
  return count;
}

void http_fixture_close(http_fixture *self) { mcp_fixture_close(&self->mcp); }

void http_fixture_end(http_fixture *self) {
  http_fixture_close(self);
  close(self->input);
  waitpid(self->server, NULL, 0);
}
