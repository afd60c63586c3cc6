/* imported_document.c - finds the session that a document became. */
#include "core/host/run/imported_document.h"

#include <stdio.h>
#include <string.h>

/* All but the blanks between its tokens. */
void ck_imported_document_digest(char out[CK_DIGEST_HEX_SIZE], ck_bytes document) {
  ck_digester digester;
  ck_digester_init(&digester);
  bool text = false;
  for (size_t i = 0, from = 0; i < document.len; i = from) {
    while (from < document.len && (text || !strchr(" \t\r\n", document.data[from]))) {
      if (document.data[from] == '"') text = !text;
      from += text && document.data[from] == '\\' ? 2 : 1;
    }
    if (from > document.len) from = document.len;
    ck_digester_update(&digester, document.data + i, from - i);
    while (from < document.len && strchr(" \t\r\n", document.data[from])) from++;
  }
  ck_digest digest = ck_digester_final(&digester);
  ck_digest_hex(out, &digest);
}

typedef struct search {
  const char *digest;
  char id[CK_ID_SIZE];
  ck_session_status status;
} search;

static bool look_at(void *to, const ck_session_record *record) {
  search *self = to;
  if (!record->input) return true;
  ck_bytes document = ck_json_get(ck_value_bytes(record->input), "document");
  if (!ck_json_is_text(document, self->digest)) return true;
  snprintf(self->id, sizeof self->id, "%s", record->id);
  self->status = record->status;
  return false;
}

ck_status ck_imported_document_check(ck_store *store, const char *digest, ck_error *err) {
  search found = {.digest = digest};
  ck_status status = ck_store_list_sessions(store, 0, look_at, &found, err);
  if (status != CK_OK || !found.id[0]) return status;
  return ck_error_set(err, CK_E_EXISTS,
                      "nothing is new: session %s (%s) was made of this document; to do all that "
                      "follows a second time, give the other session an id with --session",
                      found.id, ck_session_status_name(found.status));
}
