/* place.c - where the files of a session are: where its last run had them, or where they are said
 * to be now. */
#include "core/host/session/place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/effect/cassette/cassette.h"

enum { HOST_NAME_SIZE = 256 };

void ck_place_clear(ck_place *self) {
  free(self->flow);
  free(self->directory);
  free(self->host);
  *self = (ck_place){0};
}

void ck_place_write_host(ck_json_writer *to) {
  char host[HOST_NAME_SIZE] = "";
  gethostname(host, sizeof host - 1);
  ck_json_member_text(to, "host", host);
}

void ck_place_write(ck_json_writer *to, const char *flow, const char *directory) {
  ck_json_member_text(to, "flow_file", flow);
  if (!flow) ck_json_member_bool(to, "stored", true);
  ck_json_member_text(to, "directory", directory);
  ck_place_write_host(to);
}

static ck_status read_text(char **out, ck_bytes about, const char *name, ck_error *err) {
  ck_bytes value = ck_json_get(about, name);
  if (ck_json_type_of(value) != CK_JSON_STRING) return CK_OK;
  *out = ck_json_dup_string(value);
  return *out ? CK_OK : ck_error_no_memory(err);
}

ck_status ck_place_read(ck_place *out, ck_store *store, int64_t session,
                        const ck_timeline *timeline, ck_error *err) {
  ck_value *about = NULL;
  *out = (ck_place){0};
  int64_t owner = timeline->session ? timeline->session : session;
  ck_status status = ck_store_get_about(&about, store, owner, timeline->no, err);
  ck_bytes document = about ? ck_value_bytes(about) : (ck_bytes){0};
  if (status == CK_OK) status = read_text(&out->flow, document, "flow_file", err);
  out->stored = ck_json_type_of(ck_json_get(document, "stored")) == CK_JSON_TRUE;
  if (status == CK_OK) status = read_text(&out->directory, document, "directory", err);
  if (status == CK_OK) status = read_text(&out->host, document, "host", err);
  ck_value_free(about);
  if (status != CK_OK) ck_place_clear(out);
  return status;
}

/* ---- moves ---- */

/* A folder that was moved. */
typedef struct move {
  ck_bytes from, to; /* absolute; without the names that both end in */
} move;

/* Up to the last '/', without it; no bytes: there is no folder above but the root. */
static ck_bytes parent_of(ck_bytes path) {
  const char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;
  return (ck_bytes){path.data, slash ? (size_t)(slash - path.data) : 0};
}

static ck_bytes last_of(ck_bytes path) {
  ck_bytes parent = parent_of(path);
  return (ck_bytes){path.data + parent.len, path.len - parent.len};
}

static move find_move(ck_bytes from, ck_bytes to) {
  while (parent_of(from).len && parent_of(to).len && ck_bytes_equal(last_of(from), last_of(to))) {
    from = parent_of(from);
    to = parent_of(to);
  }
  return (move){from, to};
}

/* A file, or the one of a recording. */
static bool is_there(const char *spec) {
  ck_error ignored = CK_ERROR_INIT;
  const char *index;
  char *file = NULL;
  if (access(spec, F_OK) == 0) return true;
  bool found = ck_cassette_split(&file, &index, spec, &ignored) == CK_OK && access(file, F_OK) == 0;
  free(file);
  return found;
}

/* *moved: `*path` lay in the folder, and is at its new place. */
static ck_status follow(bool *moved, char **path, const move *by, ck_error *err) {
  ck_buffer text = {0};
  *moved = false;
  bool inside = *path && by->from.len && strlen(*path) > by->from.len &&
                memcmp(*path, by->from.data, by->from.len) == 0 && (*path)[by->from.len] == '/';
  if (!inside) return CK_OK;
  ck_buffer_append_bytes(&text, by->to);
  ck_buffer_append_text(&text, *path + by->from.len);
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK && is_there(text.data)) {
    free(*path);
    *path = ck_buffer_take(&text);
    *moved = true;
  }
  ck_buffer_clear(&text);
  return status;
}

static ck_status follow_any(char **path, const move *moves, size_t count, ck_error *err) {
  bool moved = false;
  ck_status status = CK_OK;
  for (size_t i = 0; i < count && !moved && status == CK_OK; i++)
    status = follow(&moved, path, &moves[i], err);
  return status;
}

ck_status ck_place_move(ck_launch *launch, const char *flow, const char *directory, ck_error *err) {
  move moves[2];
  size_t count = 0;
  if (flow && strcmp(flow, launch->flow) != 0)
    moves[count++] =
        find_move(parent_of(ck_bytes_text(launch->flow)), parent_of(ck_bytes_text(flow)));
  if (directory && launch->directory && strcmp(directory, launch->directory) != 0)
    moves[count++] = find_move(ck_bytes_text(launch->directory), ck_bytes_text(directory));
  ck_status status = follow_any(&launch->profile, moves, count, err);
  if (status == CK_OK) status = follow_any(&launch->cassette, moves, count, err);
  if (status == CK_OK) status = ck_text_replace(&launch->flow, flow, err);
  return status == CK_OK ? ck_text_replace(&launch->directory, directory, err) : status;
}

/* What is not known yet is taken over; true: nothing is left to find. */
static bool take_over(ck_place *to, ck_place *from) {
  ck_place old = *to;
  bool first = !old.host; /* each place has one */
  *to = (ck_place){.flow = from->flow,
                   .directory = old.directory ? old.directory : from->directory,
                   .host = first ? from->host : old.host,
                   .stored = first ? from->stored : old.stored};
  from->flow = NULL;
  if (!old.directory) from->directory = NULL;
  if (first) from->host = NULL;
  return to->flow;
}

ck_status ck_place_find(ck_place *out, ck_store *store, const ck_head *head, ck_error *err) {
  ck_status status = CK_OK;
  bool found = false;
  *out = (ck_place){0};
  for (size_t i = head->timeline_count; status == CK_OK && !found && i-- > 0;) {
    ck_place one;
    status = ck_place_read(&one, store, head->session.no, &head->timelines[i], err);
    if (status == CK_OK) found = take_over(out, &one);
    ck_place_clear(&one);
  }
  if (status != CK_OK) ck_place_clear(out);
  return status;
}

ck_status ck_place_read_launch(ck_launch *out, ck_store *store, const ck_head *head,
                               ck_error *err) {
  ck_place place = {0};
  ck_status status = ck_launch_read(out, &head->session, err);
  if (status == CK_OK) status = ck_place_find(&place, store, head, err);
  if (status == CK_OK) status = ck_place_move(out, place.flow, place.directory, err);
  ck_place_clear(&place);
  if (status != CK_OK) ck_launch_clear(out);
  return status;
}
