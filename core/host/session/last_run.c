/* last_run.c - finds what the last run of a session executed. */
#include "core/host/session/last_run.h"

void ck_last_run_clear(ck_last_run *self) {
  ck_value_free(self->about);
  *self = (ck_last_run){0};
}

static ck_status read_about(ck_value **out, ck_store *store, const ck_head *head,
                            const ck_timeline *of, ck_error *err) {
  int64_t owner = of->session ? of->session : head->session.no;
  return ck_store_get_about(out, store, owner, of->no, err);
}

static ck_bytes get(const ck_last_run *self, const char *name) {
  return self->about ? ck_json_get(ck_value_bytes(self->about), name) : (ck_bytes){0};
}

ck_bytes ck_last_run_own_policies(const ck_last_run *self) { return get(self, "own_policies"); }
ck_bytes ck_last_run_policies(const ck_last_run *self) { return get(self, "policies"); }
ck_bytes ck_last_run_flow_digest(const ck_last_run *self) { return get(self, "flow"); }
ck_bytes ck_last_run_profile(const ck_last_run *self) { return get(self, "other_profile"); }

ck_status ck_last_run_read(ck_last_run *out, ck_store *store, const ck_head *head, ck_error *err) {
  ck_status status = CK_OK;
  *out = (ck_last_run){0};
  for (size_t i = head->timeline_count; status == CK_OK && i-- > 0;) {
    status = read_about(&out->about, store, head, &head->timelines[i], err);
    out->resumed = i > 0;
    out->timeline = head->timelines[i].no;
    if (ck_last_run_policies(out).len) return status;
    ck_last_run_clear(out);
  }
  return status;
}

ck_status ck_last_run_had_other_flow(bool *out, ck_store *store, const ck_head *head,
                                     const char *digest, ck_error *err) {
  ck_status status = CK_OK;
  *out = false;
  for (size_t i = head->timeline_count; status == CK_OK && !*out && i-- > 0;) {
    ck_last_run one = {0};
    status = read_about(&one.about, store, head, &head->timelines[i], err);
    ck_bytes then = ck_last_run_flow_digest(&one);
    *out = then.len && !ck_json_is_text(then, digest);
    ck_last_run_clear(&one);
  }
  return status;
}
