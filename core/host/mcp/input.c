/* input.c - splits standard input into lines, and finds in those that are read already what they
 * take back. */
#include "core/host/mcp/input.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "core/host/mcp/server.h"
#include "core/host/mcp/taken_back.h"

enum { CHUNK = 1 << 16, AHEAD_MAX = 1 << 20 };

void ck_mcp_input_clear(ck_mcp_input *self) { ck_buffer_clear(&self->text); }

/* ---- what is taken back ---- */

static size_t find(const ck_mcp_input *self, ck_bytes id) {
  size_t i = 0;
  while (i < self->count && !ck_bytes_equal(ck_bytes_text(self->taken_back[i]), id)) i++;
  return i;
}

/* The id of the request that the line takes back; no bytes: it is no such line. */
static ck_bytes read_id(ck_bytes line) {
  static const char method[] = "notifications/cancelled";
  ck_rpc_message message;
  ck_error ignored = CK_ERROR_INIT;
  if (line.len > CK_MCP_LINE_MAX || !memmem(line.data, line.len, method, sizeof method - 1) ||
      ck_json_check(line, &ignored) != CK_OK || !ck_rpc_read(&message, line))
    return (ck_bytes){0};
  return ck_mcp_taken_back(&message);
}

static void note(ck_mcp_input *self, ck_bytes line) {
  ck_bytes id = read_id(line);
  if (!id.len || id.len > CK_MCP_ID_MAX || self->count == CK_MCP_TAKEN_BACK_MAX) return;
  if (find(self, id) < self->count) return;
  memcpy(self->taken_back[self->count], id.data, id.len);
  self->taken_back[self->count++][id.len] = '\0';
}

/* What a line takes back was asked before it: nothing that comes behind it is meant. */
static void forget(ck_mcp_input *self, ck_bytes line) {
  size_t i = self->count ? find(self, read_id(line)) : 0;
  if (i >= self->count) return;
  self->count--;
  memmove(self->taken_back[i], self->taken_back[self->count], sizeof *self->taken_back);
}

/* The end of the line that begins at `from`; NULL: it has none so far. */
static const char *find_end(const ck_mcp_input *self, size_t from) {
  size_t left = self->text.len - from;
  return left ? memchr(self->text.data + from, '\n', left) : NULL;
}

/* Each whole line once. */
static void look(ck_mcp_input *self) {
  for (const char *end; (end = find_end(self, self->seen));) {
    bool rest = self->skipping && self->seen == self->at;
    const char *begin = self->text.data + self->seen;
    if (!rest) note(self, (ck_bytes){begin, (size_t)(end - begin)});
    self->seen += (size_t)(end - begin) + 1;
  }
}

/* ---- reading ---- */

static ssize_t read_once(ck_mcp_input *self) {
  char *room = ck_buffer_extend(&self->text, CHUNK);
  if (!room) return -1;
  ssize_t got = read(self->fd, room, CHUNK);
  self->text.len -= (size_t)(CHUNK - (got > 0 ? got : 0));
  if (got > 0) look(self);
  return got;
}

ck_status ck_mcp_input_read(bool *more, ck_mcp_input *self, ck_error *err) {
  ssize_t got = read_once(self);
  int code = got < 0 ? errno : 0;
  *more = got > 0 || (got < 0 && (code == EINTR || code == EAGAIN));
  if (self->text.failed) return ck_error_no_memory(err);
  return *more || !code ? CK_OK : ck_error_set(err, CK_E_IO, "stdin: %s", strerror(code));
}

bool ck_mcp_input_takes_back(ck_mcp_input *self, ck_bytes id) {
  struct pollfd in = {.fd = self->fd, .events = POLLIN};
  while (!self->text.failed && self->text.len - self->at < AHEAD_MAX && poll(&in, 1, 0) == 1)
    if (read_once(self) <= 0) break; /* its end is found again */
  return find(self, id) < self->count;
}

/* ---- lines ---- */

static void drop_taken(ck_mcp_input *self) {
  if (!self->at) return;
  self->text.len -= self->at;
  memmove(self->text.data, self->text.data + self->at, self->text.len);
  self->seen -= self->at;
  self->at = 0;
}

/* Of a line without an end so far. */
static ck_mcp_input_found wait_for_more(ck_mcp_input *self) {
  bool first = !self->skipping;
  drop_taken(self);
  if (self->text.len <= CK_MCP_LINE_MAX) return CK_MCP_INPUT_NONE;
  self->skipping = true;
  self->text.len = self->seen = 0;
  return first ? CK_MCP_INPUT_OVERSIZE : CK_MCP_INPUT_NONE;
}

ck_mcp_input_found ck_mcp_input_next(ck_buffer *line, ck_mcp_input *self) {
  for (const char *end; (end = find_end(self, self->at));) {
    const char *begin = self->text.data + self->at;
    ck_bytes found = {begin, (size_t)(end - begin)};
    bool skipped = self->skipping;
    self->skipping = false;
    self->at += found.len + 1;
    if (skipped) continue;
    if (found.len > CK_MCP_LINE_MAX) return CK_MCP_INPUT_OVERSIZE;
    forget(self, found);
    ck_buffer_reset(line);
    ck_buffer_append_bytes(line, found);
    return CK_MCP_INPUT_LINE;
  }
  return wait_for_more(self);
}
