/* media_take.c - takes the bytes of images and files out of a value. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/model/media_walk.h"

void ck_media_list_clear(ck_media_list *self) {
  for (size_t i = 0; i < self->count; i++) ck_buffer_clear(&self->list[i].bytes);
  free(self->list);
  *self = (ck_media_list){0};
}

static bool is_in_line(const ck_media *media) { return !media->kept && media->data.len > 0; }

/* The type that a URL of the scheme "data" says; no bytes: none. */
static ck_bytes type_of_url(ck_bytes json) {
  size_t begin = 6, end = begin;
  if (json.len < begin || memcmp(json.data + 1, "data:", 5) != 0) return (ck_bytes){0};
  while (end + 1 < json.len && json.data[end] != ';' && json.data[end] != ',') end++;
  bool plain = !memchr(json.data + begin, '\\', end - begin);
  return plain ? (ck_bytes){json.data + begin, end - begin} : (ck_bytes){0};
}

/* What the bytes are counts more than what is said of them: a provider refuses a wrong type. */
static void write_type(ck_json_writer *w, const ck_media *media, ck_bytes bytes) {
  const char *found = ck_media_sniff(bytes);
  ck_bytes said = type_of_url(media->data);
  ck_json_name(w, "media_type");
  if (found)
    ck_json_put_text(w, found);
  else if (media->type.len)
    ck_json_put_raw(w, media->type);
  else
    ck_json_put_string(w, said.len ? said : ck_bytes_text("application/octet-stream"));
}

static void write_kept(ck_json_writer *w, const ck_media *media, const ck_media_bytes *of) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(hex, &of->digest);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", of->kind);
  write_type(w, media, ck_buffer_bytes(&of->bytes));
  if (media->name.len) ck_json_member_raw(w, "name", media->name);
  ck_json_member_int(w, "bytes", (int64_t)of->bytes.len);
  ck_json_member_text(w, "digest", hex);
  if (media->detail.len) ck_json_member_raw(w, "detail", media->detail);
  if (media->cache.len) ck_json_member_raw(w, "cache_control", media->cache);
  ck_json_end(w, '}');
}

/* Takes the bytes of `of`. */
static ck_status push(ck_media_list *self, ck_media_bytes *of, ck_error *err) {
  ck_media_bytes *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) {
    ck_buffer_clear(&of->bytes);
    return ck_error_no_memory(err);
  }
  self->list = list;
  list[self->count++] = *of;
  return CK_OK;
}

/* A PDF is a file, whatever it was given as. */
static ck_status take(ck_media_walk *self, const ck_media *media, ck_bytes part, ck_error *err) {
  (void)part;
  ck_media_bytes of = {.kind = media->is_file ? "file" : "image"};
  ck_status status = ck_media_decode(&of.bytes, media, err);
  if (status != CK_OK) {
    ck_buffer_clear(&of.bytes);
    return status;
  }
  const char *found = ck_media_sniff(ck_buffer_bytes(&of.bytes));
  if (found) of.kind = strncmp(found, "image/", 6) == 0 ? "image" : "file";
  of.digest = ck_digest_of(ck_buffer_bytes(&of.bytes));
  write_kept(&self->w, media, &of);
  return push(self->to, &of, err);
}

ck_status ck_media_take(ck_value **out, ck_media_list *taken, const ck_value *whole,
                        ck_error *err) {
  ck_media_walk self = {.mark = "data", .wants = is_in_line, .put = take, .to = taken};
  return ck_media_rewrite(out, &self, whole, err);
}
