/* era.c - the two eras of the protocol, told apart by each request alone. */
#include "core/host/mcp/era.h"

#include <string.h>

#include "core/base/base64.h"

#define META(name) "io.modelcontextprotocol/" name

const char *const ck_mcp_legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL};

static bool is_legacy(const char *revision) {
  const char *const *it = ck_mcp_legacy;
  while (*it && strcmp(*it, revision) != 0) it++;
  return *it != NULL;
}

static ck_bytes meta_of(const ck_rpc_message *request, const char *name) {
  return ck_json_get(ck_json_get(request->params, "_meta"), name);
}

static ck_bytes revision_of(const ck_rpc_message *request) {
  return meta_of(request, META("protocolVersion"));
}

bool ck_mcp_asks_modern(const ck_rpc_message *request, const ck_mcp_headers *headers) {
  if (revision_of(request).len || ck_json_is_text(request->method, "server/discover")) return true;
  return headers && headers->revision && !is_legacy(headers->revision);
}

void ck_mcp_append_modern(ck_json_writer *w) {
  ck_json_begin(w, '[');
  ck_json_put_text(w, CK_MCP_MODERN);
  ck_json_end(w, ']');
}

/* ---- headers ---- */

static int mismatch(ck_error *err, const char *name, const char *given) {
  if (given)
    ck_error_set(err, CK_E_USAGE, "Header mismatch: %s '%.100s' is not what the body says", name,
                 given);
  else
    ck_error_set(err, CK_E_USAGE, "Header mismatch: %s is missing", name);
  return CK_MCP_HEADER_MISMATCH;
}

static ck_bytes trimmed(const char *header) {
  ck_bytes text = ck_bytes_text(header);
  while (text.len && strchr(" \t", text.data[text.len - 1])) text.len--;
  while (text.len && strchr(" \t", *text.data)) text.data++, text.len--;
  return text;
}

/* "=?base64?…?=" holds what no header can. */
static bool decode(ck_buffer *out, ck_bytes text) {
  static const char begin[] = "=?base64?", end[] = "?=";
  size_t around = sizeof begin + sizeof end - 2;
  bool encoded = text.len >= around && memcmp(text.data, begin, sizeof begin - 1) == 0 &&
                 memcmp(text.data + text.len - 2, end, 2) == 0;
  if (!encoded) ck_buffer_append_bytes(out, text);
  return !encoded ||
         ck_base64_read(out, (ck_bytes){text.data + sizeof begin - 1, text.len - around});
}

static bool is_same(ck_bytes value, const char *header) {
  ck_buffer said = {0}, meant = {0};
  bool same = header && ck_json_read_string(&meant, value) && decode(&said, trimmed(header)) &&
              !said.failed && !meant.failed &&
              ck_bytes_equal(ck_buffer_bytes(&said), ck_buffer_bytes(&meant));
  ck_buffer_clear(&said);
  ck_buffer_clear(&meant);
  return same;
}

/* The parameter that Mcp-Name repeats; NULL: this method has none. */
static const char *name_of(const ck_rpc_message *request) {
  if (ck_json_is_text(request->method, "resources/read")) return "uri";
  bool named = ck_json_is_text(request->method, "tools/call") ||
               ck_json_is_text(request->method, "prompts/get");
  return named ? "name" : NULL;
}

static int check_headers(const ck_rpc_message *request, const ck_mcp_headers *headers,
                         ck_error *err) {
  const char *name = name_of(request);
  if (!is_same(request->method, headers->method))
    return mismatch(err, "Mcp-Method", headers->method);
  if (name && !is_same(ck_json_get(request->params, name), headers->name))
    return mismatch(err, "Mcp-Name", headers->name);
  return 0;
}

/* ---- what each request has ---- */

static int missing(ck_error *err, const char *name) {
  ck_error_set(err, CK_E_USAGE, "params._meta has no \"%s\", which each request needs", name);
  return CK_RPC_INVALID_PARAMS;
}

static int refuse_revision(ck_buffer *data, ck_bytes revision, ck_error *err) {
  ck_json_writer w = {.out = data};
  ck_json_begin(&w, '{');
  ck_json_name(&w, "supported");
  ck_mcp_append_modern(&w);
  ck_json_member_raw(&w, "requested", revision);
  ck_json_end(&w, '}');
  ck_error_set(err, CK_E_USAGE,
               "Unsupported protocol version: " CK_MCP_MODERN
               " is spoken, and older ones behind an initialize");
  return CK_MCP_UNSUPPORTED_VERSION;
}

/* A client of a revision that nobody knows here sends its header alone: it is told, too. */
static int refuse_header(ck_buffer *data, const char *revision, ck_error *err) {
  ck_buffer json = {0};
  ck_json_append_string(&json, trimmed(revision));
  int code = refuse_revision(data, ck_buffer_bytes(&json), err);
  data->failed |= json.failed;
  ck_buffer_clear(&json);
  return code;
}

int ck_mcp_era_check(ck_buffer *data, const ck_rpc_message *request, const ck_mcp_headers *headers,
                     ck_error *err) {
  ck_bytes revision = revision_of(request);
  bool text = ck_json_type_of(revision) == CK_JSON_STRING;
  if (!text && headers && headers->revision && !is_legacy(headers->revision) &&
      strcmp(headers->revision, CK_MCP_MODERN) != 0)
    return refuse_header(data, headers->revision, err);
  int code = headers ? check_headers(request, headers, err) : 0;
  if (code) return code;
  if (!text) return missing(err, META("protocolVersion"));
  if (headers && !is_same(revision, headers->revision))
    return mismatch(err, "MCP-Protocol-Version", headers->revision);
  if (!ck_json_is_text(revision, CK_MCP_MODERN)) return refuse_revision(data, revision, err);
  bool able = ck_json_type_of(meta_of(request, META("clientCapabilities"))) == CK_JSON_OBJECT;
  return able ? 0 : missing(err, META("clientCapabilities"));
}
