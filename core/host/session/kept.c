/* kept.c - the files that a run of a stored session executed, as the store knows them. */
#include "core/host/session/kept.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/store/blob.h"

static const char *const kinds[] = {"flow", "flow_module", "profile", "policy", "policy_module"};

void ck_kept_files_clear(ck_kept_files *self) {
  for (size_t i = 0; i < self->count; i++) {
    free(self->list[i].asked);
    free(self->list[i].file);
  }
  free(self->list);
  *self = (ck_kept_files){0};
}

const char *ck_kept_kind(ck_bytes name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (ck_json_is_text(name, kinds[i])) return kinds[i];
  return NULL;
}

static bool is_true(ck_bytes object, const char *name) {
  return ck_json_type_of(ck_json_get(object, name)) == CK_JSON_TRUE;
}

/* A member that is missing or has another type: the file is left out. */
static ck_status read_file(ck_kept_files *self, ck_bytes object, ck_error *err) {
  ck_kept_file *to = &self->list[self->count];
  ck_bytes asked = ck_json_get(object, "asked"), file = ck_json_get(object, "file");
  ck_bytes hex = ck_json_get(object, "digest");
  bool whole = ck_json_type_of(asked) == CK_JSON_STRING &&
               ck_json_type_of(file) == CK_JSON_STRING && ck_json_type_of(hex) == CK_JSON_STRING &&
               hex.len == CK_DIGEST_HEX_SIZE + 1;
  *to = (ck_kept_file){.kind = ck_kept_kind(ck_json_get(object, "kind")),
                       .shipped = is_true(object, "shipped"),
                       .withheld = is_true(object, "withheld")};
  if (!whole || !to->kind) return CK_OK;
  memcpy(to->digest, hex.data + 1, CK_DIGEST_HEX_SIZE - 1);
  to->asked = ck_json_dup_string(asked);
  to->file = ck_json_dup_string(file);
  self->count++;
  return to->asked && to->file ? CK_OK : ck_error_no_memory(err);
}

static ck_status read_files(ck_kept_files *out, ck_bytes about, ck_error *err) {
  ck_bytes files = ck_json_get(about, "files");
  size_t count = 0;
  for (ck_json_iterator it = ck_json_iterate(files); ck_json_next(&it);) count++;
  out->list = count ? calloc(count, sizeof *out->list) : NULL;
  if (count && !out->list) return ck_error_no_memory(err);
  ck_status status = CK_OK;
  for (ck_json_iterator it = ck_json_iterate(files); status == CK_OK && ck_json_next(&it);)
    status = read_file(out, it.value, err);
  return status;
}

ck_status ck_kept_files_read(ck_kept_files *out, ck_store *store, const ck_head *head,
                             int64_t timeline, ck_error *err) {
  ck_status status = CK_OK;
  *out = (ck_kept_files){0};
  for (size_t i = head->timeline_count; status == CK_OK && !out->count && i-- > 0;) {
    const ck_timeline *at = &head->timelines[i];
    ck_value *about = NULL;
    if (timeline && at->no > timeline) continue;
    int64_t owner = at->session ? at->session : head->session.no;
    status = ck_store_get_about(&about, store, owner, at->no, err);
    if (status == CK_OK && about) status = read_files(out, ck_value_bytes(about), err);
    ck_value_free(about);
  }
  if (status != CK_OK) ck_kept_files_clear(out);
  return status;
}

ck_status ck_kept_files_get_text(ck_buffer *out, ck_store *store, const ck_kept_file *file,
                                 ck_error *err) {
  ck_digest digest;
  ck_status status;
  if (file->withheld)
    status = ck_error_set(err, CK_E_NOT_FOUND, "it held a secret, and is not kept");
  else if (!ck_digest_read_hex(&digest, ck_bytes_text(file->digest)))
    status = ck_error_set(err, CK_E_CORRUPT, "'%s' is no digest", file->digest);
  else
    status = ck_store_get_blob(out, store, &digest, err);
  if (status != CK_OK && status != CK_E_NO_MEMORY)
    ck_error_prefix(err, "%s %s", file->kind, file->file);
  return status;
}
