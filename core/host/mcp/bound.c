/* bound.c - what goes out to a client of `ckrun mcp` has a limit, whatever a session stored. */
#include "core/host/mcp/bound.h"

#include <string.h>

#include "core/base/utf8.h"

enum { TEXT_MAX = 1 << 16, TEXT_MIN = 1 << 8 };

/* The length of one character of a JSON text, with its escape. */
static size_t measure(const char *at, size_t len) {
  size_t pair = len >= 12 && at[1] == 'u' && (at[2] == 'd' || at[2] == 'D') && at[6] == '\\';
  if (*at == '\\') return pair ? 12 : len > 1 && at[1] == 'u' ? 6 : 2;
  size_t whole = ck_utf8_length(at, len);
  return whole ? whole : 1;
}

/* The length of a text with its quotes. */
static size_t find_end(ck_bytes json) {
  size_t i = 1;
  while (i < json.len && json.data[i] != '"') i += json.data[i] == '\\' ? 2 : 1;
  return i < json.len ? i + 1 : json.len;
}

/* Names of members stay whole, so that none is there twice. */
static bool is_name(ck_bytes behind) {
  size_t i = 0;
  while (i < behind.len && strchr(" \t", behind.data[i]) && behind.data[i]) i++;
  return i < behind.len && behind.data[i] == ':';
}

static void append_cut(ck_buffer *out, ck_bytes text, size_t limit) {
  size_t kept = 1;
  while (kept < limit) kept += measure(text.data + kept, text.len - kept);
  ck_buffer_append(out, text.data, kept);
  ck_buffer_append_format(out, "[… %zu more bytes]\"", text.len - kept - 1);
}

static void append_bounded(ck_buffer *out, ck_bytes json, size_t limit) {
  for (size_t i = 0; i < json.len;) {
    const char *quote = memchr(json.data + i, '"', json.len - i);
    size_t plain = quote ? (size_t)(quote - json.data) - i : json.len - i;
    ck_buffer_append(out, json.data + i, plain);
    i += plain;
    if (!quote) continue;
    ck_bytes rest = {quote, json.len - i};
    ck_bytes text = {quote, find_end(rest)};
    i += text.len;
    if (text.len <= limit + 32 || is_name((ck_bytes){json.data + i, json.len - i}))
      ck_buffer_append_bytes(out, text);
    else
      append_cut(out, text, limit);
  }
}

ck_status ck_mcp_bound(ck_buffer *out, bool *cut, ck_bytes json, ck_error *err) {
  size_t before = out->len;
  *cut = json.len > CK_MCP_RESULT_MAX;
  if (!*cut) ck_buffer_append_bytes(out, json);
  for (size_t limit = TEXT_MAX; *cut && limit >= TEXT_MIN; limit /= 4) {
    out->len = before;
    append_bounded(out, json, limit);
    if (out->len - before <= CK_MCP_RESULT_MAX) break;
  }
  if (out->len - before <= CK_MCP_RESULT_MAX) return ck_buffer_check(out, err);
  return ck_error_set(err, CK_E_REFUSED,
                      "the result has %zu bytes, and at most %d go out: ask for less of it, or "
                      "read it with ckrun itself",
                      json.len, CK_MCP_RESULT_MAX);
}
