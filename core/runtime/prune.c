/* prune.c - asks the policies which checkpoints of the session's history go, and lets the store drop them. */
#include <stdlib.h>

#include "core/base/log.h"
#include "core/runtime/session_private.h"

/* The checkpoints as listed, ascending. */
typedef struct listing {
  ck_checkpoint_info *list;
  size_t count, cap;
  bool failed;
} listing;

static void clear(listing *self) {
  for (size_t i = 0; i < self->count; i++) ck_checkpoint_info_clear(&self->list[i]);
  free(self->list);
  *self = (listing){0};
}

static bool add(void *to, const ck_checkpoint_info *checkpoint) {
  listing *self = to;
  if (checkpoint->session) return true; /* its origin's affair */
  if (self->count == self->cap) {
    size_t cap = self->cap ? self->cap * 2 : 64;
    ck_checkpoint_info *list = realloc(self->list, cap * sizeof *list);
    self->failed = !list;
    if (!list) return false;
    self->list = list;
    self->cap = cap;
  }
  self->list[self->count] = *checkpoint;
  self->list[self->count++].info = ck_value_share(checkpoint->info);
  return true;
}

static void tell(const ck_session *self, const ck_error *failure) {
  ck_log_line(CK_LOG_WARN, "session %s: nothing was pruned: %s", self->record.id, failure->text);
}

/* Into `seqs`, one place per checkpoint. The store protects more than this; what is known here is not even asked for. */
static size_t choose(int64_t *seqs, const ck_session *self, const listing *history, const bool *drop) {
  size_t count = 0;
  for (size_t i = 0; i < history->count; i++) {
    int64_t seq = history->list[i].seq;
    if (drop[i] && seq != self->checkpoint && seq != self->resumed_from) seqs[count++] = seq;
  }
  return count;
}

static ck_status ask(int64_t *seqs, size_t *count, ck_session *self, const listing *history, ck_error *err) {
  bool *flags = calloc(history->count * 2 + 1, sizeof *flags);
  if (!flags) return ck_error_no_memory(err);
  ck_clock *clock = &self->runtime->clock;
  ck_history of = {.checkpoints = history->list, .count = history->count, .now_ms = clock->wall_ms(clock->self)};
  ck_prune_plan plan = {.drop = flags, .keep = flags + history->count};
  ck_error failure = CK_ERROR_INIT;
  ck_status status = self->policies->prune(&plan, self->policies->self, &of, &failure);
  *count = status == CK_OK ? choose(seqs, self, history, plan.drop) : 0;
  if (status != CK_OK) status = ck_session_record_policy_error(self, "prune", &failure, err);
  free(flags);
  return status;
}

static ck_status record(ck_session *self, const listing *history, const ck_prune_report *report, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *body = NULL;
  ck_json_begin(&w, '{');
  ck_json_name(&w, "ids");
  ck_json_begin(&w, '[');
  for (size_t i = 0, at = 0; i < history->count && at < report->count; i++) {
    if (history->list[i].seq != report->seqs[at]) continue;
    ck_json_put_text(&w, history->list[i].id);
    at++;
  }
  ck_json_end(&w, ']');
  ck_json_member_int(&w, "bytes", report->bytes);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK) status = ck_session_append(self, CK_EVENT_PRUNE, NULL, NULL, body, err);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status drop(ck_session *self, const listing *history, const int64_t *seqs, size_t count, ck_error *err) {
  ck_prune_report report;
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_channel_prune(self->channel, seqs, count, &report, &failure);
  if (status != CK_OK) tell(self, &failure);
  status = status == CK_OK && report.count > 0 ? record(self, history, &report, err) : CK_OK;
  ck_prune_report_clear(&report);
  return status;
}

static ck_status prune_history(ck_session *self, const listing *history, ck_error *err) {
  size_t count = 0;
  int64_t *seqs = calloc(history->count + 1, sizeof *seqs);
  if (!seqs) return ck_error_no_memory(err);
  ck_status status = ask(seqs, &count, self, history, err);
  if (status == CK_OK && count > 0) status = drop(self, history, seqs, count, err);
  free(seqs);
  return status;
}

ck_status ck_session_prune(ck_session *self, ck_error *err) {
  listing history = {0};
  self->unpruned = 0;
  if (!self->policies->prune) return CK_OK;
  ck_status status = ck_channel_wait(self->channel, ck_channel_last(self->channel), err);
  if (status != CK_OK) return status;
  ck_error failure = CK_ERROR_INIT;
  status = ck_store_list_checkpoints(self->runtime->store, self->record.no, add, &history, &failure);
  if (history.failed) {
    status = ck_error_no_memory(err);
  } else if (status != CK_OK) {
    tell(self, &failure);
    status = CK_OK;
  } else if (history.count > 0) {
    status = prune_history(self, &history, err);
  }
  clear(&history);
  return status;
}
