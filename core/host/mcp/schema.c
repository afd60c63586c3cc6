/* schema.c - writes the schemas of a tool's arguments and result, as JSON Schema. */
#include "core/host/mcp/schema.h"

#include <string.h>

#include "core/host/print/output.h"

/* ---- arguments ---- */

static void write_argument(ck_json_writer *w, const ck_mcp_argument *argument) {
  static const char *const types[] = {"\"string\"", "\"string\"", "\"integer\"", "\"boolean\"",
                                      "[\"object\",\"string\"]"};
  ck_json_name(w, argument->name);
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "type", ck_bytes_text(types[argument->type]));
  ck_json_member_text(w, "description", argument->help);
  if (argument->type == CK_MCP_COUNT) ck_json_member_int(w, "minimum", 0);
  if (argument->choices) {
    ck_json_name(w, "enum");
    ck_json_begin(w, '[');
    for (const char *const *choice = argument->choices; *choice; choice++)
      ck_json_put_text(w, *choice);
    if (!argument->required) ck_json_put_text(w, "");
    ck_json_end(w, ']');
  }
  ck_json_end(w, '}');
}

static void write_input(ck_json_writer *w, const ck_mcp_tool *tool) {
  ck_json_name(w, "inputSchema");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "object");
  ck_json_name(w, "properties");
  ck_json_begin(w, '{');
  for (const ck_mcp_argument *a = tool->arguments; a->name; a++) write_argument(w, a);
  ck_json_end(w, '}');
  ck_json_name(w, "required");
  ck_json_begin(w, '[');
  for (const ck_mcp_argument *a = tool->arguments; a->name; a++)
    if (a->required) ck_json_put_text(w, a->name);
  ck_json_end(w, ']');
  ck_json_member_bool(w, "additionalProperties", false);
  ck_json_end(w, '}');
}

/* ---- results ---- */

/* Members up to the bracket that ends them, one after the other from *at. */
static void write_members(ck_json_writer *w, const char **at);

static size_t word(const char *at) { return strcspn(at, " :?[]|"); }

/* "integer", "string|null", "any", or members in brackets: an object of each item of a list. */
static void write_type(ck_json_writer *w, const char **at) {
  ck_json_begin(w, '{');
  if (**at == '[') {
    ++*at;
    ck_json_member_text(w, "type", "array");
    ck_json_name(w, "items");
    ck_json_begin(w, '{');
    write_members(w, at);
    ck_json_end(w, '}');
  } else {
    ck_bytes type = {*at, word(*at)};
    *at += type.len;
    bool nullable = strncmp(*at, "|null", 5) == 0, any = type.len == 3;
    if (nullable) *at += 5;
    if (!any) ck_json_name(w, "type");
    if (nullable) ck_json_begin(w, '[');
    if (!any) ck_json_put_string(w, type);
    if (nullable) ck_json_put_text(w, "null");
    if (nullable) ck_json_end(w, ']');
  }
  ck_json_end(w, '}');
}

static void write_required(ck_json_writer *w, const char *members) {
  size_t depth = 0;
  ck_json_name(w, "required");
  ck_json_begin(w, '[');
  for (const char *at = members; *at && !(*at == ']' && depth == 0); at++) {
    depth += (*at == '[') - (*at == ']');
    size_t len = word(at);
    bool begins = depth == 0 && len && (at == members || at[-1] == ' ');
    if (begins && at[len] == ':') ck_json_put_string(w, (ck_bytes){at, len});
  }
  ck_json_end(w, ']');
}

static void write_members(ck_json_writer *w, const char **at) {
  const char *begin = *at;
  ck_json_member_text(w, "type", "object");
  ck_json_name(w, "properties");
  ck_json_begin(w, '{');
  while (**at && **at != ']') {
    ck_json_put_string(w, (ck_bytes){*at, word(*at)});
    w->comma = false;
    ck_buffer_append_char(w->out, ':');
    *at = strchr(*at, ':') + 1;
    write_type(w, at);
    *at += strspn(*at, " ");
  }
  ck_json_end(w, '}');
  *at += **at == ']';
  write_required(w, begin);
}

static void write_output(ck_json_writer *w, const ck_mcp_tool *tool) {
  ck_buffer members = {0};
  ck_buffer_append_format(&members, "%s%s", tool->own ? CK_OUTPUT_VERSION_NAME ":integer " : "",
                          tool->output);
  w->out->failed |= members.failed;
  ck_json_name(w, "outputSchema");
  ck_json_begin(w, '{');
  const char *at = members.data ? members.data : "";
  write_members(w, &at);
  ck_json_end(w, '}');
  ck_buffer_clear(&members);
}

void ck_mcp_write_schemas(ck_json_writer *w, const ck_mcp_tool *tool) {
  write_input(w, tool);
  write_output(w, tool);
}
