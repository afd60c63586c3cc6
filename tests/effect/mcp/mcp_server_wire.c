/* mcp_server_wire.c - the messages of the tests' MCP server, in and out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/effect/mcp/mcp_server.h"

const char *mcp_mode = "good", *mcp_argument = "";

bool mcp_is_mode(const char *name) { return strcmp(mcp_mode, name) == 0; }

void mcp_write(const char *text) {
  fputs(text, stdout);
  fflush(stdout);
}

void mcp_answer(ck_bytes id, const char *json) {
  ck_buffer line = {0};
  ck_rpc_write_result(&line, id, ck_bytes_text(json));
  if (mcp_is_mode("batch"))
    printf("[%.*s]\n", (int)line.len - 1, line.data);
  else
    mcp_write(line.data);
  if (mcp_is_mode("double")) mcp_write(line.data);
  fflush(stdout);
  ck_buffer_clear(&line);
}

bool mcp_is_modern(ck_bytes params) {
  ck_bytes meta = ck_json_get(params, "_meta");
  return ck_json_is_text(ck_json_get(meta, "io.modelcontextprotocol/protocolVersion"),
                         "2026-07-28") &&
         ck_json_type_of(ck_json_get(meta, "io.modelcontextprotocol/clientCapabilities")) ==
             CK_JSON_OBJECT &&
         ck_json_is_text(
             ck_json_get(ck_json_get(meta, "io.modelcontextprotocol/clientInfo"), "name"), "ckrun");
}

void mcp_refuse(ck_bytes id, int code, const char *message) {
  ck_buffer line = {0};
  ck_rpc_write_error(&line, id, code, message);
  mcp_write(line.data);
  ck_buffer_clear(&line);
}

void mcp_answer_text(ck_bytes id, const char *text) {
  ck_buffer json = {0};
  ck_buffer_append_text(&json, "{\"content\":[{\"type\":\"text\",\"text\":");
  ck_json_append_string(&json, ck_bytes_text(text));
  ck_buffer_append_text(&json, "}]}");
  mcp_answer(id, json.data);
  ck_buffer_clear(&json);
}

bool mcp_read(ck_rpc_message *out) {
  static char *line;
  static size_t room;
  ssize_t len = getline(&line, &room, stdin);
  ck_error err = CK_ERROR_INIT;
  if (len <= 0) return false;
  ck_bytes text = {line, (size_t)len};
  if (ck_json_check(text, &err) != CK_OK || !ck_rpc_read(out, text)) {
    fprintf(stderr, "the client wrote nonsense: %s", line);
    exit(9);
  }
  return true;
}
