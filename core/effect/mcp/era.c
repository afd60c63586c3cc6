/* era.c - how a server is greeted, and what each request says of this client.
 *
 * Since revision 2026-07-28 there is no handshake: each request says what it needs in its "_meta".
 * Which kind a server is, "server/discover" tells: older servers refuse it, in one way or another,
 * and are initialized then. */
#include <stdio.h>
#include <string.h>

#include "core/effect/mcp/private.h"

enum { PROBE_SHARE = 4, UNSUPPORTED = -32022, HEADERS_DIFFER = -32020 };

/* The newest revision is requested; a server may answer with an older one. */
static const char *const revisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05",
                                        NULL};

static bool is_spoken(ck_bytes revision) {
  for (const char *const *it = revisions; *it; it++) {
    if (ck_json_is_text(revision, *it)) return true;
  }
  return false;
}

static bool lists_modern(ck_bytes list) {
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it);) {
    if (ck_json_is_text(it.value, CK_MCP_MODERN_REVISION)) return true;
  }
  return false;
}

static bool lists_older(ck_bytes list) {
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it);) {
    if (is_spoken(it.value)) return true;
  }
  return false;
}

bool ck_mcp_server_is_modern(const ck_mcp_server *self) { return self->era == CK_MCP_MODERN; }

static void agree(ck_mcp_server *self, const char *revision) {
  if (self->http) ck_mcp_http_agree(self->http, ck_bytes_text(revision));
}

/* ---- what a request says of this client ---- */

static void write_capabilities(ck_json_writer *w, const ck_mcp_server *self) {
  ck_json_begin(w, '{');
  if (self->service.process->roots) ck_json_member_raw(w, "roots", ck_bytes_text("{}"));
  if (self->service.process->elicitation)
    ck_json_member_raw(w, "elicitation", ck_bytes_text("{\"form\":{}}"));
  if (self->service.process->sampling) ck_json_member_raw(w, "sampling", ck_bytes_text("{}"));
  ck_json_end(w, '}');
}

void ck_mcp_put_client(ck_json_writer *w, const ck_mcp_server *self) {
  if (self->era == CK_MCP_OLDER) return;
  ck_json_member_text(w, "io.modelcontextprotocol/protocolVersion", CK_MCP_MODERN_REVISION);
  ck_service_write_client(w, "io.modelcontextprotocol/clientInfo", &self->options->service);
  ck_json_name(w, "io.modelcontextprotocol/clientCapabilities");
  write_capabilities(w, self);
}

/* ---- the greeting ---- */

const char *ck_mcp_greeting(void *to) {
  const ck_mcp_server *self = to;
  return self->era == CK_MCP_OLDER ? "initialize" : "server/discover";
}

int64_t ck_mcp_patience_ms(void *to, int64_t start_ms) {
  const ck_mcp_server *self = to;
  return self->era == CK_MCP_OLDER ? start_ms : (start_ms + PROBE_SHARE - 1) / PROBE_SHARE;
}

void ck_mcp_write_greeting(void *to, ck_buffer *out) {
  ck_mcp_server *self = to;
  ck_json_writer w = {.out = out};
  agree(self, self->era == CK_MCP_OLDER ? "" : CK_MCP_MODERN_REVISION);
  ck_json_begin(&w, '{');
  if (self->era == CK_MCP_OLDER) {
    ck_json_member_text(&w, "protocolVersion", revisions[0]);
    ck_json_name(&w, "capabilities");
    write_capabilities(&w, self);
    ck_service_write_client(&w, "clientInfo", &self->options->service);
  } else {
    self->era = CK_MCP_ASKED;
    ck_json_name(&w, "_meta");
    ck_json_begin(&w, '{');
    ck_mcp_put_client(&w, self);
    ck_json_end(&w, '}');
  }
  ck_json_end(&w, '}');
}

static void read_tells(ck_mcp_server *self, ck_bytes result) {
  ck_bytes tools = ck_json_get(ck_json_get(result, "capabilities"), "tools");
  self->tells_changes = false;
  ck_json_read_bool(&self->tells_changes, ck_json_get(tools, "listChanged"));
}

static bool take_discovered(ck_mcp_server *self, ck_bytes result, char why[CK_SERVICE_WHY_MAX]) {
  ck_bytes list = ck_json_get(result, "supportedVersions");
  if (lists_modern(list)) {
    self->era = CK_MCP_MODERN;
    read_tells(self, result);
    return true;
  }
  snprintf(why, CK_SERVICE_WHY_MAX,
           "it speaks revisions %.*s of the protocol; %s to %s are understood",
           (int)ck_peer_cut(list, 200), list.len ? list.data : "?", revisions[3],
           CK_MCP_MODERN_REVISION);
  return false;
}

bool ck_mcp_take_greeting(void *to, ck_bytes result, char why[CK_SERVICE_WHY_MAX]) {
  ck_mcp_server *self = to;
  if (self->era != CK_MCP_OLDER) return take_discovered(self, result, why);
  ck_bytes revision = ck_json_get(result, "protocolVersion");
  read_tells(self, result);
  if (self->http && revision.len > 2)
    ck_mcp_http_agree(self->http, (ck_bytes){revision.data + 1, revision.len - 2});
  if (is_spoken(revision)) return true;
  snprintf(why, CK_SERVICE_WHY_MAX,
           "it speaks revision %.*s of the protocol; %s to %s are understood",
           revision.len < 64 ? (int)revision.len : 64, revision.len ? revision.data : "?",
           revisions[3], revisions[0]);
  return false;
}

/* One that knows the new way says so by its codes, and one that knows both by its list; some answer
 * whatever they do not know with nothing. */
static bool is_older(const ck_peer_answer *answer) {
  ck_bytes list = ck_json_get(answer->json, "supportedVersions");
  switch (answer->outcome) {
    case CK_PEER_RESULT:
      return ck_json_type_of(list) != CK_JSON_ARRAY || lists_older(list);
    case CK_PEER_ERROR:
      if (answer->code == UNSUPPORTED)
        return lists_older(ck_json_get(ck_json_get(answer->json, "data"), "supported"));
      return answer->code > HEADERS_DIFFER || answer->code < UNSUPPORTED;
    case CK_PEER_LATE:
      return true;
    case CK_PEER_LOST:
      return answer->arrival != CK_PEER_UNSENT;
  }
  return false;
}

/* Who said nothing, or died, may be a new one all the same: if it is not to be initialized, it is
 * asked once more. */
bool ck_mcp_greets_again(void *to, const ck_peer_answer *answer) {
  ck_mcp_server *self = to;
  if (self->era == CK_MCP_OLDER) {
    bool again = self->guessed && answer->outcome == CK_PEER_ERROR;
    self->guessed = false;
    if (again) self->era = CK_MCP_ASKED;
    self->asked_twice |= again;
    return again;
  }
  if (!is_older(answer)) return false;
  self->guessed =
      !self->asked_twice && (answer->outcome == CK_PEER_LATE || answer->outcome == CK_PEER_LOST);
  self->era = CK_MCP_OLDER;
  return true;
}
