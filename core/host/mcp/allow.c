/* allow.c - the tools that a client of `ckrun mcp` may call. */
#include "core/host/mcp/allow.h"

#include <string.h>

static size_t next_word(const char *list) { return strcspn(list, ","); }

/* "resume_session" and "resume" name the same. */
static bool names(const ck_mcp_tool *tool, const char *word, size_t len) {
  const char *rest = tool->name + len;
  return len > 0 && !tool->read_only && strncmp(tool->name, word, len) == 0 &&
         (!*rest || strcmp(rest, "_session") == 0);
}

static bool lists(const char *list, const ck_mcp_tool *tool) {
  for (size_t len; (len = next_word(list)), *list; list += len + (list[len] == ','))
    if (names(tool, list, len)) return true;
  return false;
}

bool ck_mcp_allows(const ck_mcp *self, const ck_mcp_tool *tool) {
  return tool->read_only || (!self->read_only && (!self->allow || lists(self->allow, tool)));
}

static ck_status refuse_word(const char *word, size_t len, ck_error *err) {
  ck_buffer known = {0};
  for (const ck_mcp_tool *const *tool = ck_mcp_tools; *tool; tool++)
    if (!(*tool)->read_only)
      ck_buffer_append_format(&known, "%s%.*s", known.len ? ", " : "",
                              (int)strcspn((*tool)->name, "_"), (*tool)->name);
  ck_error_set(err, CK_E_USAGE, "--allow: '%.*s' is none of %s%s", (int)(len < 60 ? len : 60), word,
               known.data ? known.data : "the tools that act",
               len ? "" : "; to allow none of them, say --read-only");
  ck_buffer_clear(&known);
  return CK_E_USAGE;
}

ck_status ck_mcp_allow_check(const char *allow, ck_error *err) {
  for (bool more = true; more;) {
    size_t len = next_word(allow);
    const ck_mcp_tool *const *tool = ck_mcp_tools;
    while (*tool && !names(*tool, allow, len)) tool++;
    if (!*tool) return refuse_word(allow, len, err);
    more = allow[len] == ',';
    allow += len + more;
  }
  return CK_OK;
}

ck_status ck_mcp_refuse(const ck_mcp *self, const ck_mcp_tool *tool, ck_error *err) {
  if (self->read_only)
    return ck_error_set(err, CK_E_USAGE, "%s is not offered: this server runs with --read-only",
                        tool->name);
  return ck_error_set(err, CK_E_USAGE, "%s is not offered: this server runs with --allow %.100s",
                      tool->name, self->allow);
}
