/* flow_statement.c - names the files of a flow by what they have in common, and writes them. */
#include "core/host/run/flow_statement.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/host/session/launch.h"

/* A flow is asked for as somebody typed it. */
static const char *asked_of(const ck_script *script) {
  return strcmp(script->kind, "flow") == 0 ? script->name : script->asked;
}

/* ---- the folder in common ---- */

static size_t folder_len(const char *path, size_t len) {
  while (len > 0 && path[len - 1] != '/') len--;
  return len;
}

/* `root`: a folder, with its '/'. */
static void narrow(ck_bytes *root, const char *path) {
  if (!root->data) *root = (ck_bytes){path, folder_len(path, strlen(path))};
  while (root->len && strncmp(root->data, path, root->len) != 0)
    root->len = folder_len(root->data, root->len - 1);
}

static ck_bytes find_root(const ck_scripts *scripts) {
  ck_bytes root = {0};
  for (size_t i = 0; i < scripts->count; i++) {
    if (scripts->list[i].shipped) continue;
    narrow(&root, asked_of(&scripts->list[i]));
    narrow(&root, scripts->list[i].name);
  }
  return root;
}

/* ---- the document ---- */

/* A path loses the root; the name of what ships is as it is. */
static void put_name(ck_json_writer *w, ck_bytes root, const char *name) {
  ck_json_put_text(w, ck_launch_is_path(name) ? name + root.len : name);
}

static void write_file(ck_json_writer *w, ck_bytes root, const ck_script *script) {
  char digest[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(digest, &script->digest);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "kind", script->kind);
  ck_json_name(w, "asked");
  put_name(w, root, asked_of(script));
  ck_json_name(w, "file");
  put_name(w, root, script->name);
  ck_json_member_text(w, "digest", digest);
  ck_json_end(w, '}');
}

static ck_status write_policies(ck_json_writer *w, ck_bytes root, const ck_words *policies,
                                ck_error *err) {
  ck_status status = CK_OK;
  if (!policies->count) return CK_OK;
  ck_json_name(w, "policies");
  ck_json_begin(w, '[');
  for (size_t i = 0; status == CK_OK && i < policies->count; i++) {
    char *name = NULL;
    status = ck_launch_take_profile(&name, policies->list[i], err);
    if (status == CK_OK) put_name(w, root, name);
    free(name);
  }
  ck_json_end(w, ']');
  return status;
}

static void write_options(ck_json_writer *w, const ck_words *options) {
  if (!options->count) return;
  ck_json_name(w, "options");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < options->count; i++) ck_json_put_text(w, options->list[i]);
  ck_json_end(w, ']');
}

static void write_files(ck_json_writer *w, ck_bytes root, const ck_scripts *scripts) {
  ck_json_name(w, "files");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < scripts->count; i++)
    if (!scripts->list[i].shipped) write_file(w, root, &scripts->list[i]);
  ck_json_end(w, ']');
}

ck_status ck_flow_statement_runs(ck_buffer *out, const ck_flow_parts *parts, ck_error *err) {
  ck_json_writer w = {.out = out};
  ck_bytes root = find_root(parts->scripts);
  const ck_script *flow = &parts->scripts->list[0];
  if (!root.len)
    return ck_error_set(err, CK_E_REFUSED, "the files of the flow have no folder in common");
  ck_json_begin(&w, '{');
  ck_json_name(&w, "flow");
  put_name(&w, root, flow->name);
  if (parts->profile) {
    ck_json_name(&w, "profile");
    put_name(&w, root, parts->profile);
  }
  ck_status status = write_policies(&w, root, &parts->settings->policies, err);
  write_options(&w, &parts->settings->options);
  write_files(&w, root, parts->scripts);
  ck_json_end(&w, '}');
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}
