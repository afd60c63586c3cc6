/* lineage.c - what a fork inherits: the parts of its transcript that lie in other sessions, and
 * their timelines. */
#include <stdlib.h>
#include <string.h>

#include "core/store/store_core.h"

/* Sessions are numbered in the order of their creation, so an origin has the smaller number and the
 * walk to the root ends. */
ck_status ck_store_core_check_origin(ck_origin origin, int64_t session, const char *id,
                                     ck_error *err) {
  if (origin.session == 0 || (origin.session > 0 && origin.session < session && origin.cut >= 1))
    return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "session %s is said to be cut from session number %lld at %lld", id,
                      (long long)origin.session, (long long)origin.cut);
}

static ck_status get_origin(ck_origin *out, ck_store *self, int64_t session, ck_error *err) {
  ck_identity identity;
  *out = (ck_origin){0};
  ck_status status = self->backend.get_identity(&identity, self->backend.self, session, err);
  if (status) return status;
  ck_store_core_put_name(self, session, identity.id);
  status = ck_store_core_check_origin(identity.origin, session, identity.id, err);
  if (!status) *out = identity.origin;
  return status;
}

void ck_store_core_lineage_clear(ck_store_core_lineage *self) {
  if (self->parts != &self->own) free(self->parts);
  *self = (ck_store_core_lineage){0};
}

/* While parts are added they are in the order newest first. */
static ck_status add_part(ck_store_core_lineage *self, ck_store_core_part part, ck_error *err) {
  bool first = self->parts == &self->own;
  ck_store_core_part *parts =
      realloc(first ? NULL : self->parts, (self->count + 1) * sizeof *parts);
  if (!parts) return ck_error_no_memory(err);
  if (first) parts[0] = self->own;
  self->parts = parts;
  self->parts[self->count++] = part;
  return CK_OK;
}

/* A fork can be cut before its origin's own first event: that part is empty. */
ck_status ck_store_core_follow_origin(ck_store_core_lineage *out, ck_store *self, int64_t session,
                                      ck_origin origin, ck_error *err) {
  *out = (ck_store_core_lineage){.count = 1, .own = {.session = session}};
  out->parts = &out->own;
  ck_status status = CK_OK;
  int64_t until = 0;
  out->own.after = origin.cut;
  while (!status && origin.session) {
    ck_store_core_part part = {.session = origin.session,
                               .until = until && until < origin.cut ? until : origin.cut};
    until = part.until;
    status = get_origin(&origin, self, origin.session, err);
    part.after = origin.cut;
    if (!status) status = add_part(out, part, err);
  }
  for (size_t i = 0, j = out->count; !status && i + 1 < j; i++) {
    ck_store_core_part other = out->parts[--j];
    out->parts[j] = out->parts[i];
    out->parts[i] = other;
  }
  if (status) ck_store_core_lineage_clear(out);
  return status;
}

ck_status ck_store_core_get_lineage(ck_store_core_lineage *out, ck_store *self, int64_t session,
                                    ck_error *err) {
  ck_origin origin;
  *out = (ck_store_core_lineage){0};
  ck_status status = get_origin(&origin, self, session, err);
  return status ? status : ck_store_core_follow_origin(out, self, session, origin, err);
}

ck_status ck_store_core_get_owner(int64_t *out, ck_store *self, int64_t session, int64_t seq,
                                  ck_error *err) {
  ck_origin origin;
  ck_status status;
  *out = session;
  while (!(status = get_origin(&origin, self, *out, err)) && origin.session && seq <= origin.cut)
    *out = origin.session;
  return status;
}

/* Prepends the origin's timelines that are older than the session's first one. */
static ck_status inherit(ck_timeline **list, size_t *count, ck_store *self, ck_origin origin,
                         ck_error *err) {
  ck_timeline *older;
  size_t older_count, kept = 0;
  ck_status status = ck_store_core_list_timelines(&older, &older_count, self, origin.session, err);
  if (status) return status;
  while (kept < older_count && (*count == 0 || older[kept].no < (*list)[0].no)) kept++;
  ck_timeline *all = reallocarray(older, kept + *count + 1, sizeof *all);
  if (!all) {
    free(older);
    return ck_error_no_memory(err);
  }
  for (size_t i = 0; i < kept; i++) {
    if (!all[i].session) all[i].session = origin.session;
  }
  if (*count) memcpy(all + kept, *list, *count * sizeof *all);
  free(*list);
  *list = all;
  *count += kept;
  return CK_OK;
}

/* Numbers above half of INT64_MAX are refused, so that sums of them cannot overflow. */
static ck_status check_numbers(const ck_timeline *list, size_t count, int64_t session,
                               ck_error *err) {
  for (size_t i = 0; i < count; i++)
    if (list[i].no > INT64_MAX / 2 || list[i].begin > INT64_MAX / 2)
      return ck_error_set(err, CK_E_CORRUPT,
                          "session number %lld: a timeline is said to be %lld and to begin at %lld",
                          (long long)session, (long long)list[i].no, (long long)list[i].begin);
  return CK_OK;
}

ck_status ck_store_core_list_timelines(ck_timeline **out, size_t *count, ck_store *self,
                                       int64_t session, ck_error *err) {
  ck_origin origin;
  *out = NULL;
  *count = 0;
  ck_status status = get_origin(&origin, self, session, err);
  return status ? status : ck_store_core_join_timelines(out, count, self, session, origin, err);
}

ck_status ck_store_core_join_timelines(ck_timeline **out, size_t *count, ck_store *self,
                                       int64_t session, ck_origin origin, ck_error *err) {
  *out = NULL;
  *count = 0;
  ck_status status = self->backend.list_timelines(out, count, self->backend.self, session, err);
  if (!status) status = check_numbers(*out, *count, session, err);
  if (!status && origin.session) status = inherit(out, count, self, origin, err);
  if (!status) return CK_OK;
  free(*out);
  *out = NULL;
  *count = 0;
  return status;
}

ck_status ck_store_core_get_last_seq(int64_t *out, ck_store *self, int64_t session, ck_error *err) {
  ck_origin origin;
  *out = 0;
  ck_status status = get_origin(&origin, self, session, err);
  return status ? status : ck_store_core_find_last_seq(out, self, session, origin, err);
}

ck_status ck_store_core_find_last_seq(int64_t *out, ck_store *self, int64_t session,
                                      ck_origin origin, ck_error *err) {
  ck_status status = self->backend.last_seq(out, self->backend.self, session, err);
  if (status) return status;
  if (*out < origin.cut) *out = origin.cut;
  if (*out <= INT64_MAX / 2) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT, "session number %lld: its last event is said to be %lld",
                      (long long)session, (long long)*out);
}
