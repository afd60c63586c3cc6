/* request.c - requests to the owners of sessions, in memory. */
#include <stdlib.h>
#include <string.h>

#include "core/store/memory/memory.h"

void ck_memory_request_free(ck_memory_request *kept) {
  if (kept) ck_request_clear(&kept->request);
  free(kept);
}

static ck_status put_request(void *self, const ck_request *request, ck_error *err) {
  ck_memory_request *kept = calloc(1, sizeof *kept);
  if (kept)
    kept->request = (ck_request){.session = request->session, .kind = strdup(request->kind)};
  if (!kept || !kept->request.kind) {
    free(kept);
    return ck_error_no_memory(err);
  }
  kept->request.body = ck_value_share(request->body);
  ck_memory *memory = ck_memory_lock(self);
  if (!ck_memory_get_session(memory, request->session)) {
    ck_memory_request_free(kept);
    return ck_memory_unlock(memory,
                            ck_error_set(err, CK_E_NOT_FOUND, "there is no session number %lld",
                                         (long long)request->session));
  }
  kept->request.no = ++memory->last_request;
  ck_memory_request **at = &memory->requests;
  while (*at) at = &(*at)->next;
  *at = kept;
  return ck_memory_unlock(memory, CK_OK);
}

static ck_status copy(ck_request *out, const ck_request *kept, ck_error *err) {
  char *kind = strdup(kept->kind);
  if (!kind) return ck_error_no_memory(err);
  *out = *kept;
  out->kind = kind;
  out->body = ck_value_share(kept->body);
  return CK_OK;
}

static ck_status get_request(ck_request *out, bool *found, void *self, ck_lease lease,
                             int64_t after, ck_error *err) {
  *out = (ck_request){0};
  *found = false;
  ck_memory *memory = ck_memory_lock(self);
  ck_status status =
      ck_memory_check_lease(ck_memory_get_session(memory, lease.session), lease, err);
  if (status) return ck_memory_unlock(memory, status);
  const ck_memory_request *kept = memory->requests;
  while (kept && (kept->request.session != lease.session || kept->request.no <= after))
    kept = kept->next;
  if (kept) status = copy(out, &kept->request, err);
  *found = kept && status == CK_OK;
  return ck_memory_unlock(memory, status);
}

static ck_status drop_request(void *self, ck_lease lease, int64_t no, ck_error *err) {
  ck_memory *memory = ck_memory_lock(self);
  ck_status status =
      ck_memory_check_lease(ck_memory_get_session(memory, lease.session), lease, err);
  if (status) return ck_memory_unlock(memory, status);
  ck_memory_request **at = &memory->requests;
  while (*at && ((*at)->request.session != lease.session || (*at)->request.no != no))
    at = &(*at)->next;
  ck_memory_request *kept = *at;
  if (kept) *at = kept->next;
  ck_memory_request_free(kept);
  return ck_memory_unlock(memory, CK_OK);
}

void ck_memory_add_requests(ck_backend *out) {
  out->put_request = put_request;
  out->get_request = get_request;
  out->drop_request = drop_request;
}
