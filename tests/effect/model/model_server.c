/* model_server.c - sockets, just enough HTTP, and the position in the script. */
#include "tests/effect/model/model_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/effect/model/model_script.h"
#include "tests/effect/wire_check.h"
#include "tests/tap.h"

enum { ENTRIES_MAX = 4096, NO_CUT = 1 << 30 };

/* One for the process; the lock is held while a request takes its entry and is logged. */
static struct {
  pthread_mutex_t lock;
  ck_bytes entries[ENTRIES_MAX];
  int64_t used[ENTRIES_MAX];
  size_t count;
  int log;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef struct request {
  int fd;
  ck_buffer input; /* received and not used yet */
  char path[256];
  ck_buffer headers; /* a JSON object */
  ck_bytes body;
  size_t end; /* of this request in `input` */
} request;

static int64_t number(ck_bytes object, const char *name, int64_t otherwise) {
  int64_t value;
  return ck_json_read_int(&value, ck_json_get(object, name)) ? value : otherwise;
}

/* ---- reading ---- */

static bool read_more(request *self) {
  char chunk[1 << 16];
  ssize_t got = recv(self->fd, chunk, sizeof chunk, 0);
  if (got > 0) ck_buffer_append(&self->input, chunk, (size_t)got);
  return got > 0;
}

static size_t take_header(ck_json_writer *w, ck_bytes line) {
  const char *colon = memchr(line.data, ':', line.len);
  if (!colon) return 0;
  char name[128];
  size_t len = (size_t)(colon - line.data), skip = len + 1;
  while (skip < line.len && line.data[skip] == ' ') skip++;
  snprintf(name, sizeof name, "%.*s", (int)len, line.data);
  for (char *c = name; *c; c++) *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c;
  ck_bytes value = {line.data + skip, line.len - skip};
  ck_json_member_string(w, name, value);
  return strcmp(name, "content-length") == 0 ? strtoul(line.data + skip, NULL, 10) : 0;
}

/* False: the client has gone. */
static bool read_request(request *self) {
  const char *head_end;
  while (!self->input.data ||
         !(head_end = memmem(self->input.data, self->input.len, "\r\n\r\n", 4))) {
    if (!read_more(self)) return false;
  }
  size_t head = (size_t)(head_end - self->input.data) + 4, body = 0;
  ck_json_writer w = {.out = &self->headers};
  ck_buffer_reset(&self->headers);
  ck_json_begin(&w, '{');
  sscanf(self->input.data, "%*s %255s", self->path);
  for (const char *line = strstr(self->input.data, "\r\n") + 2; line < head_end;) {
    const char *end = strstr(line, "\r\n");
    body += take_header(&w, (ck_bytes){line, (size_t)(end - line)});
    line = end + 2;
  }
  ck_json_end(&w, '}');
  while (self->input.len < head + body) {
    if (!read_more(self)) return false;
  }
  self->body = (ck_bytes){self->input.data + head, body};
  self->end = head + body;
  return true;
}

/* ---- the script's place ---- */

static bool fits(size_t at, int64_t turns) {
  ck_bytes entry = server.entries[at];
  int64_t turn = number(entry, "turn", -1), times = number(entry, "times", 1);
  if (turn >= 0) return turn == turns;
  return times == 0 || server.used[at] < times;
}

static ck_bytes take_entry(ck_bytes body) {
  int64_t turns = (int64_t)model_script_turns(body);
  for (size_t i = 0; i < server.count; i++) {
    if (!fits(i, turns)) continue;
    server.used[i]++;
    return server.entries[i];
  }
  return ck_bytes_text(
      "{\"status\":500,\"body\":{\"error\":{\"message\":\"the script has no more\"}}}");
}

static void log_request(const request *self, const char *problem) {
  ck_buffer line = {0};
  ck_json_writer w = {.out = &line};
  bool is_json = ck_json_check(self->body, NULL) == CK_OK;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "path", self->path);
  ck_json_member_text(&w, "problem", problem);
  ck_json_member_raw(&w, "headers", ck_buffer_bytes(&self->headers));
  if (is_json) ck_json_member_raw(&w, "body", self->body);
  ck_json_end(&w, '}');
  ck_buffer_append_char(&line, '\n');
  ssize_t written = write(server.log, line.data, line.len);
  (void)written;
  ck_buffer_clear(&line);
}

/* ---- answering ---- */

typedef struct reply {
  ck_buffer head, body;
  int64_t piece, cut, hang, pause_ms;
} reply;

static void break_utf8(ck_buffer *body) {
  size_t len = 0;
  for (size_t i = 0; i < body->len; i++) {
    bool marked = i + 1 < body->len && memcmp(body->data + i, "\xc3\xbf", 2) == 0;
    i += marked;
    body->data[len++] = marked ? '\xff' : body->data[i];
  }
  body->len = len;
}

static void make_body(reply *out, ck_bytes entry, const request *of, const char **type) {
  bool events = false;
  ck_bytes answer = ck_json_get(entry, "answer"), body = ck_json_get(entry, "body");
  if (answer.len > 0)
    model_script_answer(&out->body, &events, answer, of->path, of->body);
  else if (!ck_json_read_string(&out->body, body) && body.len > 0)
    ck_buffer_append_bytes(&out->body, body);
  if (ck_json_type_of(ck_json_get(entry, "broken")) == CK_JSON_TRUE) break_utf8(&out->body);
  *type = events ? "text/event-stream" : "application/json";
  bool gzip = ck_json_is_text(ck_json_get(entry, "encoding"), "gzip");
  if (!gzip) return;
  ck_buffer plain = out->body;
  out->body = (ck_buffer){0};
  if (number(entry, "bomb", 0) > 0)
    model_script_bomb(&out->body, (size_t)number(entry, "bomb", 0));
  else
    model_script_gzip(&out->body, ck_buffer_bytes(&plain));
  ck_buffer_append_text(&out->head, "Content-Encoding: gzip\r\n");
  ck_buffer_clear(&plain);
}

/* Each piece is a chunk (RFC 9112, 7.1); then the writes are as long as it pleases. */
static void make_chunks(reply *out) {
  ck_buffer whole = out->body;
  out->body = (ck_buffer){0};
  for (size_t at = 0; at < whole.len;) {
    size_t len = whole.len - at < (size_t)out->piece ? whole.len - at : (size_t)out->piece;
    ck_buffer_append_format(&out->body, "%zx\r\n", len);
    ck_buffer_append(&out->body, whole.data + at, len);
    ck_buffer_append_text(&out->body, "\r\n");
    at += len;
  }
  ck_buffer_append_text(&out->body, "0\r\n\r\n");
  ck_buffer_clear(&whole);
}

static void make_reply(reply *out, ck_bytes entry, const request *of) {
  const char *type;
  ck_buffer text = {0};
  ck_bytes headers = ck_json_get(entry, "headers");
  *out = (reply){.piece = number(entry, "piece", INT64_MAX),
                 .cut = number(entry, "cut", number(entry, "longer", 0) ? NO_CUT - 1 : NO_CUT),
                 .hang = number(entry, "hang", -1),
                 .pause_ms = number(entry, "pause_ms", 0)};
  ck_buffer_append_format(&out->head, "HTTP/1.1 %d Whatever\r\n",
                          (int)number(entry, "status", 200));
  make_body(out, entry, of, &type);
  if (ck_json_read_string(&text, ck_json_get(entry, "type"))) type = text.data;
  bool chunked = ck_json_type_of(ck_json_get(entry, "chunked")) == CK_JSON_TRUE;
  if (chunked) make_chunks(out);
  ck_buffer_append_format(&out->head, "Content-Type: %s\r\n", type);
  if (chunked)
    ck_buffer_append_text(&out->head, "Transfer-Encoding: chunked\r\n");
  else
    ck_buffer_append_format(&out->head, "Content-Length: %zu\r\n",
                            out->body.len + (size_t)number(entry, "longer", 0));
  ck_json_iterator it = ck_json_iterate(headers);
  while (headers.len > 0 && ck_json_next(&it)) {
    ck_json_read_string(&out->head, it.name);
    ck_buffer_append_text(&out->head, ": ");
    ck_json_read_string(&out->head, it.value);
    ck_buffer_append_text(&out->head, "\r\n");
  }
  ck_buffer_append_text(&out->head, "\r\n");
  ck_buffer_clear(&text);
}

static bool send_all(int fd, const char *data, size_t len, const reply *how) {
  size_t piece = (size_t)how->piece;
  while (len > 0) {
    if (how->pause_ms) poll(NULL, 0, (int)how->pause_ms);
    ssize_t sent = send(fd, data, len < piece ? len : piece, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data += sent;
    len -= (size_t)sent;
  }
  return true;
}

/* False: the connection ends. */
static bool send_reply(request *of, const reply *it) {
  size_t len = it->body.len;
  bool cuts = it->cut != NO_CUT;
  int64_t stop = !cuts ? it->hang : it->cut >= 0 ? it->cut : (int64_t)len + it->cut;
  if (stop >= 0 && (size_t)stop < len) len = (size_t)stop;
  if (!send_all(of->fd, it->head.data, it->head.len, it) ||
      !send_all(of->fd, it->body.data, len, it))
    return false;
  char byte;
  if (it->hang >= 0)
    return recv(of->fd, &byte, 1, 0) > 0; /* until the client closes the connection */
  return !cuts;
}

static bool serve_request(request *self) {
  char problem[WIRE_PROBLEM_SIZE];
  ck_buffer refusal = {0};
  pthread_mutex_lock(&server.lock);
  bool right = wire_check(problem, self->path, self->body);
  ck_bytes entry = right ? take_entry(self->body) : (ck_bytes){NULL, 0};
  log_request(self, right ? NULL : problem);
  pthread_mutex_unlock(&server.lock);
  if (!right) {
    ck_buffer_append_format(&refusal, "{\"status\":400,\"body\":{\"error\":{\"message\":\"%s\"}}}",
                            problem);
    entry = ck_buffer_bytes(&refusal);
  }
  reply it = {0};
  bool closes = ck_json_type_of(ck_json_get(entry, "close")) == CK_JSON_TRUE;
  if (!closes) make_reply(&it, entry, self);
  bool stays = !closes && send_reply(self, &it);
  ck_buffer_clear(&it.head);
  ck_buffer_clear(&it.body);
  ck_buffer_clear(&refusal);
  return stays;
}

static void *serve_connection(void *to) {
  request self = {.fd = (int)(intptr_t)to};
  while (read_request(&self) && serve_request(&self)) {
    size_t left = self.input.len - self.end;
    memmove(self.input.data, self.input.data + self.end, left + 1);
    self.input.len = left;
  }
  close(self.fd);
  ck_buffer_clear(&self.input);
  ck_buffer_clear(&self.headers);
  return NULL;
}

static void read_script(ck_bytes script) {
  while (script.len > 0) {
    const char *newline = memchr(script.data, '\n', script.len);
    size_t len = newline ? (size_t)(newline - script.data) : script.len;
    ck_bytes line = {script.data, len};
    if (len > 0 && *script.data != '#' && server.count < ENTRIES_MAX) {
      if (ck_json_check(line, NULL) != CK_OK)
        fprintf(stderr, "not JSON: %.*s\n", (int)len, script.data);
      server.entries[server.count++] = line;
    }
    script.data += len + (newline != NULL);
    script.len -= len + (newline != NULL);
  }
}

int model_server_listen(int *port) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof at;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 64) ||
      getsockname(fd, (struct sockaddr *)&at, &len))
    return -1;
  *port = ntohs(at.sin_port);
  return fd;
}

void model_server_serve(int listening, ck_bytes script, const char *log) {
  read_script(script);
  server.log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  for (;;) {
    int fd = accept(listening, NULL, NULL);
    pthread_t thread;
    if (fd < 0) continue;
    if (pthread_create(&thread, NULL, serve_connection, (void *)(intptr_t)fd) == 0)
      pthread_detach(thread);
    else
      close(fd);
  }
}

/* ---- for a test in C ---- */

void model_server_start(model_server *self, const char *script) {
  static int number_of_log;
  char name[32];
  snprintf(name, sizeof name, "requests-%d.jsonl", number_of_log++);
  *self = (model_server){.log = tap_tmpfile(name)};
  int listening = model_server_listen(&self->port);
  tap_must(listening >= 0, "there is a port");
  fflush(NULL);
  self->pid = fork();
  tap_must(self->pid >= 0, "there is a process");
  if (self->pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    model_server_serve(listening, ck_bytes_text(script), self->log);
  }
  close(listening);
}

void model_server_stop(model_server *self) {
  kill(self->pid, SIGKILL);
  waitpid(self->pid, NULL, 0);
  unlink(self->log);
  ck_buffer_clear(&self->text);
}

static void read_log(model_server *self) {
  char chunk[1 << 16];
  FILE *file = fopen(self->log, "r");
  size_t got;
  ck_buffer_reset(&self->text);
  while (file && (got = fread(chunk, 1, sizeof chunk, file)) > 0)
    ck_buffer_append(&self->text, chunk, got);
  if (file) fclose(file);
}

ck_bytes model_server_request(model_server *self, size_t index) {
  read_log(self);
  const char *at = self->text.data, *end = at ? at + self->text.len : NULL;
  for (const char *newline; at && (newline = memchr(at, '\n', (size_t)(end - at)));
       at = newline + 1) {
    if (index-- == 0) return (ck_bytes){at, (size_t)(newline - at)};
  }
  return (ck_bytes){NULL, 0};
}

size_t model_server_count(model_server *self) {
  size_t count = 0;
  while (model_server_request(self, count).len > 0) count++;
  return count;
}
