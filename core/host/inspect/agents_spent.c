/* agents_spent.c - what each agent of a session has spent, against its limits. */
#include "core/host/inspect/agents_spent.h"

#include "core/host/session/place.h"
#include "lua/profile/profile.h"

typedef struct adding {
  ck_spending *to;
  ck_status status;
  ck_error *err;
} adding;

static bool add_outcome(void *to, const ck_event *event) {
  adding *self = to;
  self->status = ck_spending_add_outcome(self->to, event->body, self->err);
  return self->status == CK_OK;
}

/* The latest checkpoint of all timelines has what was spent on each; its state may be gone. */
static int64_t load_state(ck_agents_spent *self, ck_store *store, const ck_head *head) {
  ck_error ignored = CK_ERROR_INIT;
  const ck_checkpoint_info *latest = head->has_latest ? &head->latest : NULL;
  if (latest && !latest->pruned &&
      ck_store_get_state(&self->state, store, head->session.no, latest->seq, &ignored) == CK_OK)
    return latest->seq;
  if (head->has_checkpoint && ck_store_get_state(&self->state, store, head->session.no,
                                                 head->checkpoint.seq, &ignored) == CK_OK)
    return head->checkpoint.seq;
  return 0;
}

static void load_profile(ck_agents_spent *self, ck_store *store, const ck_head *head) {
  ck_error ignored = CK_ERROR_INIT;
  ck_launch launch = {0};
  if (ck_place_read_launch(&launch, store, head, &ignored) == CK_OK &&
      ck_profile_load(&self->profile, launch.profile ? launch.profile : "default", &ignored) !=
          CK_OK) {
    ck_profile_free(self->profile);
    self->profile = NULL;
  }
  ck_launch_clear(&launch);
}

ck_status ck_agents_spent_read(ck_agents_spent *out, ck_store *store, const ck_head *head,
                               ck_error *err) {
  adding to = {.to = &out->spending, .err = err};
  ck_event_query query = {.session = head->session.no,
                          .after = load_state(out, store, head),
                          .kinds = 1ull << CK_EVENT_OUTCOME};
  load_profile(out, store, head);
  ck_status status = out->state ? ck_spending_read(&out->spending, out->state, err) : CK_OK;
  if (status == CK_OK) status = ck_store_read_events(store, &query, add_outcome, &to, err);
  return status == CK_OK ? to.status : status;
}

void ck_agents_spent_clear(ck_agents_spent *self) {
  ck_spending_clear(&self->spending);
  ck_state_free(self->state);
  ck_profile_free(self->profile);
  *self = (ck_agents_spent){0};
}

int64_t ck_agents_spent_limit(const ck_agents_spent *self, const char *agent,
                              ck_dimension dimension) {
  ck_limits_usage usage = {0};
  if (!self->state) return -1;
  ck_limits_usage_read_limits(&usage, self->profile, self->state, agent);
  return usage.limit.of[dimension];
}

static void put_limits(ck_document *document, struct cJSON *at, const ck_agents_spent *self,
                       const char *agent) {
  struct cJSON *object = ck_document_put_object(document, at, "limits");
  for (int d = 0; d < CK_DIMENSION_COUNT; d++) {
    int64_t limit = ck_agents_spent_limit(self, agent, (ck_dimension)d);
    if (limit < 0) continue;
    if (d == CK_DIMENSION_BUDGET)
      ck_document_put_money(document, object, "budget_usd", limit);
    else if (d == CK_DIMENSION_TIME)
      ck_document_put_duration(document, object, "time_ms", limit * 1000);
    else
      ck_document_put_int(document, object, ck_dimension_name((ck_dimension)d), limit);
  }
}

void ck_agents_spent_put(ck_document *document, const ck_agents_spent *self) {
  struct cJSON *list = ck_document_put_array(document, NULL, "agents");
  for (size_t i = 0; i < self->spending.count; i++) {
    const ck_agent_spending *one = &self->spending.agents[i];
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, at, "agent", one->agent);
    ck_document_put_money(document, at, "cost_usd", one->cost_micros);
    ck_document_put_int(document, at, "tokens", one->tokens);
    ck_document_put_int(document, at, "model_calls", one->model_calls);
    ck_document_put_int(document, at, "tool_calls", one->tool_calls);
    ck_document_put_int(document, at, "rounds", one->rounds);
    put_limits(document, at, self, one->agent);
  }
  put_limits(document, NULL, self, NULL);
}
