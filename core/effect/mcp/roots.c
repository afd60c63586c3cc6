/* roots.c - the one root that a server is told of, where its flow says so: the folder in which
 * tools run. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/mcp/private.h"

/* Everything but what RFC 3986 calls unreserved, and the slashes. */
static void append_uri(ck_buffer *out, const char *path) {
  static const char plain[] = "-._~/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  ck_buffer_append_text(out, "file://");
  for (; *path; path++) {
    if (strchr(plain, *path))
      ck_buffer_append_char(out, *path);
    else
      ck_buffer_append_format(out, "%%%02X", (unsigned char)*path);
  }
}

void ck_mcp_write_roots(ck_json_writer *w, const ck_mcp_server *self) {
  const char *folder = self->options->service.directory;
  char *path = realpath(folder ? folder : ".", NULL);
  ck_buffer uri = {0};
  if (path) append_uri(&uri, path);
  ck_json_begin(w, '{');
  ck_json_name(w, "roots");
  ck_json_begin(w, '[');
  if (path) {
    ck_json_begin(w, '{');
    ck_json_member_string(w, "uri", ck_buffer_bytes(&uri));
    ck_json_end(w, '}');
  }
  ck_json_end(w, ']');
  ck_json_end(w, '}');
  if (uri.failed) w->out->failed = true;
  ck_buffer_clear(&uri);
  free(path);
}

void ck_mcp_reply_roots(ck_mcp_server *self, ck_bytes id) {
  ck_buffer result = {0};
  ck_json_writer w = {.out = &result};
  ck_mcp_write_roots(&w, self);
  if (result.failed)
    ck_peer_refuse(self->service.peer, id, CK_RPC_INTERNAL_ERROR, ck_status_text(CK_E_NO_MEMORY));
  else
    ck_peer_reply(self->service.peer, id, ck_buffer_bytes(&result));
  ck_buffer_clear(&result);
}
