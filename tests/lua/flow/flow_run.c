/* flow_run.c - a session in memory, an outside world that counts, and kills in between. */
#include "tests/lua/flow/flow_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/clock.h"
#include "tests/tap.h"

/* ---- the outside world ---- */

struct ck_effect_run {
  flow_under_way *at;
};

static bool serves(void *self, const ck_effect *effect) {
  (void)self, (void)effect;
  return true;
}

static ck_value *value_of(const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "%s: %s", json, err.text);
  return value;
}

/* Counts how often the key was carried out, and keeps what came of it. */
static void keep(flow_run *self, const ck_effect *effect, const char *answer) {
  ck_error err = CK_ERROR_INIT;
  int64_t times = 0;
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  const ck_value *before = ck_state_get(self->ran, effect->key);
  if (before) ck_json_read_int(&times, ck_json_get(ck_value_bytes(before), "times"));
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "times", answer && answer[0] == '!' ? times : times + 1);
  if (answer) ck_json_member_text(&w, "answer", answer);
  ck_json_end(&w, '}');
  ck_value *kept = value_of(json.data);
  tap_must(ck_state_put(self->ran, effect->key, kept, &err) == CK_OK, "%s", err.text);
  ck_value_free(kept);
  ck_buffer_clear(&json);
}

static ck_outcome *outcome_of(const char *answer) {
  ck_error err = CK_ERROR_INIT;
  ck_outcome *outcome;
  ck_outcome_status status = !answer            ? CK_OUTCOME_ENDED
                             : answer[0] == '!' ? CK_OUTCOME_ERROR
                                                : CK_OUTCOME_OK;
  ck_value *result = status == CK_OUTCOME_OK ? value_of(answer) : NULL;
  const char *problem = status == CK_OUTCOME_ERROR ? answer + 1 : NULL;
  tap_must(ck_outcome_new(&outcome, status, result, problem, &err) == CK_OK, "%s", err.text);
  ck_value_free(result);
  return outcome;
}

static ck_effect_run *put_under_way(flow_run *self, ck_effect_sink *sink, ck_outcome *outcome) {
  tap_must(self->under_way_count < FLOW_UNDER_WAY_MAX, "not too much at once");
  self->under_way[self->under_way_count++] = (flow_under_way){sink, outcome};
  if ((int)self->under_way_count > self->most_under_way)
    self->most_under_way = (int)self->under_way_count;
  return (ck_effect_run *)sink;
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  flow_run *self = to;
  (void)err;
  const char *answer = self->answer ? self->answer(self->to, effect) : "true";
  ck_buffer_append_format(&self->log, "%s %.*s\n", effect->key, (int)effect->request.len,
                          effect->request.data);
  keep(self, effect, answer);
  *out = put_under_way(self, sink, outcome_of(answer));
  return CK_OK;
}

static ck_status probe(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  flow_run *self = to;
  ck_outcome *outcome;
  const ck_value *kept = ck_state_get(self->ran, effect->key);
  if (kept) {
    char *answer = ck_json_dup_string(ck_json_get(ck_value_bytes(kept), "answer"));
    outcome = outcome_of(answer);
    free(answer);
  } else if (ck_outcome_new(&outcome, CK_OUTCOME_ABSENT, NULL, NULL, err) != CK_OK) {
    return err->status;
  }
  *out = put_under_way(self, sink, outcome);
  return CK_OK;
}

static flow_under_way take(flow_run *self, size_t index) {
  flow_under_way taken = self->under_way[index];
  memmove(&self->under_way[index], &self->under_way[index + 1],
          (--self->under_way_count - index) * sizeof taken);
  return taken;
}

static void cancel(void *to, ck_effect_run *run) {
  flow_run *self = to;
  for (size_t i = 0; i < self->under_way_count; i++) {
    if ((ck_effect_run *)self->under_way[i].sink != run) continue;
    flow_under_way taken = take(self, i);
    ck_error err = CK_ERROR_INIT;
    ck_outcome_free(taken.outcome);
    tap_must(ck_outcome_new(&taken.outcome, CK_OUTCOME_FAILED, NULL, "cancelled", &err) == CK_OK,
             "%s", err.text);
    taken.outcome->error_status = CK_E_CANCELLED;
    taken.sink->done(taken.sink, taken.outcome);
    return;
  }
}

static size_t draw(flow_run *self, size_t below) {
  self->random = self->random * 6364136223846793005u + 1442695040888963407u;
  return (size_t)((self->random >> 33) % below);
}

static bool deliver(flow_run *self) {
  if (self->under_way_count == 0) return false;
  size_t index = self->random ? draw(self, self->under_way_count) : 0;
  flow_under_way taken = take(self, index);
  taken.sink->done(taken.sink, taken.outcome);
  return true;
}

/* ---- runs ---- */

void flow_run_open(flow_run *self, const char *path) {
  ck_error err = CK_ERROR_INIT;
  ck_status status =
      ck_runtime_open(&self->runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err);
  if (status == CK_OK) status = ck_flow_engine_new(&self->engine, NULL, &err);
  if (status == CK_OK) status = self->engine->load(&self->flow, self->engine->self, path, &err);
  if (status == CK_OK) status = ck_state_new(&self->ran, &err);
  tap_must(status == CK_OK, "%s", err.text);
}

static ck_status decide(ck_decision *out, void *to, const ck_boundary *at, ck_error *err) {
  flow_run *self = to;
  (void)at, (void)err;
  *out = (ck_decision){0};
  if (self->no_checkpoints) return CK_OK;
  *out = (ck_decision){.take = (int)draw(self, 100) < self->seldom, .sync = draw(self, 2) == 0};
  return CK_OK;
}

static void open_session(flow_run *self) {
  ck_error err = CK_ERROR_INIT;
  self->policies = (ck_policy_engine){.self = self, .checkpoint = decide};
  const ck_policy_engine *policies = self->no_checkpoints || self->seldom ? &self->policies : NULL;
  ck_status status;
  if (self->runs++ == 0) {
    ck_value *input = self->input ? value_of(self->input) : NULL;
    ck_session_options options = {
        .id = "it", .input = input, .profile = self->profile, .policies = policies};
    status = ck_session_start(&self->session, self->runtime, &options, &err);
    ck_value_free(input);
  } else {
    ck_session_close(self->session);
    self->session = NULL;
    ck_resume_options options = {.profile = self->profile, .policies = policies, .retry = true};
    status = ck_session_resume(&self->session, self->runtime, "it", &options, &err);
  }
  tap_must(status == CK_OK, "run %d: %s", self->runs, err.text);
}

static void count_progress(void *to, const ck_progress *progress) {
  flow_run *self = to;
  if (strcmp(progress->what, "boundary") != 0) return;
  ck_buffer_append_format(&self->marks, "%s %s %s\n", progress->text, progress->scope,
                          progress->node ? progress->node : "-");
}

bool flow_run_once(flow_run *self, int moves) {
  ck_error err = CK_ERROR_INIT;
  ck_effect_driver driver = {.name = "test",
                             .self = self,
                             .serves = serves,
                             .start = start,
                             .probe = probe,
                             .cancel = cancel};
  const ck_effect_driver *drivers[] = {&driver, NULL};
  open_session(self);
  ck_execution_options options = {.session = self->session,
                                  .engine = self->engine,
                                  .flow = self->flow,
                                  .drivers = drivers,
                                  .clock = clock_of_readings(),
                                  .waker = self->runtime->waker,
                                  .progress = count_progress,
                                  .to = self};
  ck_execution *execution;
  tap_must(ck_execution_open(&execution, &options, &err) == CK_OK, "%s", err.text);
  ck_status status = CK_E_PENDING;
  self->moves = 0;
  while (status == CK_E_PENDING) {
    size_t before = self->marks.len + self->log.len;
    int64_t last = ck_session_last_seq(self->session);
    status = ck_execution_turn(&self->result, execution, &err);
    if (status != CK_E_PENDING || self->moves == moves) break;
    if (ck_session_flush(self->session, CK_DURABLE_PROCESS, &err) != CK_OK) break;
    self->moves++;
    /* Something is delivered only when no coroutine can go on by itself, so that each run is like
     * the one before: what was recorded just now may be waited for. */
    if (self->marks.len + self->log.len == before && ck_session_last_seq(self->session) == last)
      deliver(self);
  }
  tap_must(status == CK_OK || status == CK_E_PENDING, "%s", err.text);
  ck_execution_close(execution);
  tap_must(self->under_way_count == 0, "nothing is under way after an execution");
  return status == CK_OK;
}

ck_session_status flow_run_finish(flow_run *self) {
  bool ended = flow_run_once(self, -1);
  tap_must(ended, "the session ends");
  return self->result.status;
}

/* ---- what can be asked ---- */

const char *flow_run_get(const flow_run *self, const char *key) {
  const ck_value *value = ck_session_get(self->session, key);
  return value ? ck_value_bytes(value).data : "nothing";
}

void flow_run_put(flow_run *self, const char *key, const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value = value_of(json);
  if (!self->session) open_session(self);
  ck_status status = ck_session_put(self->session, key, value, &err);
  ck_saved saved;
  if (status == CK_OK)
    status =
        ck_session_boundary(&saved, self->session, &(ck_boundary){.kind = CK_BOUNDARY_EDIT}, &err);
  tap_must(status == CK_OK, "%s", err.text);
  ck_value_free(value);
}

int flow_run_twice(const flow_run *self) {
  ck_error err = CK_ERROR_INIT;
  ck_state_entry *entries;
  size_t count;
  int twice = 0;
  tap_must(ck_state_list(&entries, &count, self->ran, &err) == CK_OK, "%s", err.text);
  for (size_t i = 0; i < count; i++) {
    int64_t times = 0;
    ck_json_read_int(&times, ck_json_get(ck_value_bytes(entries[i].value), "times"));
    twice += times > 1;
  }
  free(entries);
  return twice;
}

static bool write_event(void *to, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  ck_buffer_append_format(to, "%s %s %.*s\n", event->scope, event->agent ? event->agent : "-",
                          (int)body.len, body.data);
  return true;
}

static const char *read_events(const flow_run *self, ck_event_kind kind,
                               bool (*visit)(void *to, const ck_event *event)) {
  static ck_buffer text;
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = ck_session_get_record(self->session)->no,
                          .kinds = 1ull << kind};
  ck_buffer_reset(&text);
  ck_buffer_append_text(&text, "");
  tap_must(ck_session_flush(self->session, CK_DURABLE_PROCESS, &err) == CK_OK, "%s", err.text);
  tap_must(ck_store_read_events(self->runtime->store, &query, visit, &text, &err) == CK_OK, "%s",
           err.text);
  return text.data;
}

const char *flow_run_events(const flow_run *self, ck_event_kind kind) {
  return read_events(self, kind, write_event);
}

static bool write_result(void *to, const ck_event *event) {
  ck_buffer_append_bytes(to, ck_json_get(ck_value_bytes(event->body), "result"));
  return true;
}

const char *flow_run_result(const flow_run *self) {
  const char *result = read_events(self, CK_EVENT_SESSION_COMPLETED, write_result);
  return *result ? result : "nothing";
}

const char *flow_run_messages(const flow_run *self, const char *scope) {
  static ck_buffer text;
  ck_error err = CK_ERROR_INIT;
  ck_conversation *conversation;
  ck_buffer_reset(&text);
  ck_buffer_append_text(&text, "");
  tap_must(ck_session_conversation(&conversation, self->session, scope, &err) == CK_OK &&
               ck_conversation_unpack(conversation, &err) == CK_OK,
           "%s", err.text);
  for (size_t i = 0; i < ck_conversation_count(conversation); i++) {
    ck_buffer_append_bytes(&text, ck_value_bytes(ck_conversation_get(conversation, i)));
    ck_buffer_append_char(&text, '\n');
  }
  return text.data;
}

const char *flow_run_log(flow_run *self) { return self->log.data ? self->log.data : ""; }

bool flow_run_is_before(flow_run *self, const char *first, const char *second) {
  const char *one = strstr(flow_run_log(self), first), *other = strstr(flow_run_log(self), second);
  return one && other && one < other;
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

const char *flow_run_sort_log(flow_run *self) {
  char *lines[64], *rest = NULL, *copy = strdup(flow_run_log(self));
  size_t count = 0;
  if (!copy) abort();
  for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    if (count == sizeof lines / sizeof *lines) abort();
    lines[count++] = line;
  }
  qsort(lines, count, sizeof *lines, compare_texts);
  ck_buffer_clear(&self->log);
  for (size_t i = 0; i < count; i++) ck_buffer_append_format(&self->log, "%s\n", lines[i]);
  free(copy);
  return flow_run_log(self);
}

const char *flow_run_marks(flow_run *self) { return self->marks.data ? self->marks.data : ""; }

void flow_run_close(flow_run *self) {
  ck_session_close(self->session);
  self->engine->unload(self->flow);
  self->engine->free(self->engine->self);
  ck_runtime_close(self->runtime);
  ck_state_free(self->ran);
  ck_buffer_clear(&self->log);
  ck_buffer_clear(&self->marks);
  *self = (flow_run){0};
}
