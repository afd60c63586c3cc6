/* name.c - replaces every character that providers refuse by '_', and cuts a name that is too
 * long. */
#include "core/effect/mcp/name.h"

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/* A character of several bytes becomes one '_'. */
static bool goes_on(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

void ck_mcp_put_names(ck_json_writer *w, ck_bytes name) {
  ck_buffer own = {0};
  char plain[CK_MCP_NAME_MAX + 1];
  size_t len = 0;
  ck_json_read_string(&own, name);
  for (size_t i = 0; i < own.len && len < CK_MCP_NAME_MAX; i++)
    if (!goes_on(own.data[i])) plain[len++] = is_plain(own.data[i]) ? own.data[i] : '_';
  plain[len] = 0;
  ck_json_member_text(w, "name", plain);
  if (!ck_bytes_equal(ck_buffer_bytes(&own), ck_bytes_text(plain)))
    ck_json_member_raw(w, "called", name);
  ck_buffer_clear(&own);
}

bool ck_mcp_name_is_usable(ck_bytes name) {
  ck_buffer own = {0};
  bool usable = ck_json_read_string(&own, name) && own.len > 0;
  for (size_t i = 0; usable && i < own.len; i++)
    usable = (unsigned char)own.data[i] >= ' ' && own.data[i] != '"' && own.data[i] != '\\';
  ck_buffer_clear(&own);
  return usable;
}

ck_bytes ck_mcp_name_of(const ck_effect *effect) {
  ck_bytes called = ck_json_get(effect->request, "called");
  return ck_json_type_of(called) == CK_JSON_STRING ? called : ck_json_get(effect->request, "name");
}
