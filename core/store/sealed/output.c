/* output.c - long outputs, which are sealed before they come here: as they are. */
#include "core/store/sealed/sealed.h"

static const ck_backend *inner_of(void *to) { return &((ck_sealed *)to)->inner; }

static ck_status list(void *to, const char *session_id, ck_output_visit visit, void *visitor,
                      ck_error *err) {
  const ck_backend *inner = inner_of(to);
  return inner->output.list(inner->self, session_id, visit, visitor, err);
}

static ck_status get(void *to, const char *name, int64_t part, ck_output_row_visit visit,
                     void *visitor, ck_error *err) {
  const ck_backend *inner = inner_of(to);
  return inner->output.get(inner->self, name, part, visit, visitor, err);
}

static ck_status put(void *to, ck_lease lease, const ck_output_row *row, ck_error *err) {
  const ck_backend *inner = inner_of(to);
  return inner->output.put(inner->self, lease, row, err);
}

static ck_status move(void *to, ck_lease lease, const char *name, const char *as, ck_error *err) {
  const ck_backend *inner = inner_of(to);
  return inner->output.move(inner->self, lease, name, as, err);
}

void ck_sealed_add_outputs(ck_backend *out) {
  if (inner_of(out->self)->output.put)
    out->output = (ck_output_functions){.list = list, .get = get, .put = put, .move = move};
}
