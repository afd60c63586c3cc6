/* seen.c - what policies are told of a resume beside the session itself: the models, the machine,
 * the clock of who resumes, whether the flow has changed. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/array.h"
#include "core/host/preflight/preflight.h"
#include "core/host/session/place.h"

/* Of one agent under one name of the flow. Texts owned. */
typedef struct use {
  char *agent, *name; /* agent: NULL: none */
  int64_t timeline;   /* of the last time */
} use;

typedef struct uses {
  use *list;
  size_t count, cap;
  ck_status status;
  ck_error *err;
} uses;

static void clear_uses(uses *self) {
  for (size_t i = 0; i < self->count; i++) {
    free(self->list[i].agent);
    free(self->list[i].name);
  }
  free(self->list);
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/* NULL: no memory. */
static use *put_use(uses *self, const char *agent, ck_bytes name) {
  for (size_t i = 0; i < self->count; i++)
    if (same_text(self->list[i].agent, agent) && ck_json_is_text(name, self->list[i].name))
      return &self->list[i];
  use *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return NULL;
  self->list = list;
  use made = {.agent = agent ? strdup(agent) : NULL, .name = ck_json_dup_string(name)};
  list[self->count++] = made;
  return made.name && (made.agent || !agent) ? &list[self->count - 1] : NULL;
}

static bool take_intent(void *to, const ck_event *event) {
  uses *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  ck_bytes name = ck_json_get(body, "model");
  if (!name.len) name = ck_json_get(ck_json_get(body, "request"), "model");
  if (!ck_json_is_text(ck_json_get(body, "kind"), "model")) return true;
  if (ck_json_type_of(name) != CK_JSON_STRING) return true;
  use *found = put_use(self, event->agent, name);
  if (found)
    found->timeline = event->timeline;
  else
    self->status = ck_error_no_memory(self->err);
  return found;
}

/* In what the live timeline shows. */
static ck_status read_uses(uses *out, const ck_preflight *self, ck_store *store, ck_error *err) {
  const ck_head *head = &self->head;
  ck_view view = {0};
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  ck_event_query query = {
      .session = head->session.no, .view = &view, .kinds = UINT64_C(1) << CK_EVENT_INTENT};
  out->err = err;
  if (status == CK_OK) status = ck_store_read_events(store, &query, take_intent, out, err);
  ck_view_clear(&view);
  return status == CK_OK ? out->status : status;
}

/* What the name stood for in the run of a timeline; no member: not recorded. */
static ck_status write_was(ck_json_writer *w, const ck_preflight *self, ck_store *store,
                           const use *of, ck_error *err) {
  const ck_head *head = &self->head;
  ck_value *about = NULL;
  ck_status status = CK_OK;
  for (size_t i = 0; i < head->timeline_count; i++) {
    const ck_timeline *at = &head->timelines[i];
    if (at->no != of->timeline) continue;
    int64_t owner = at->session ? at->session : head->session.no;
    status = ck_store_get_about(&about, store, owner, at->no, err);
  }
  ck_bytes models = about ? ck_json_get(ck_value_bytes(about), "models") : (ck_bytes){0};
  ck_bytes was = models.len ? ck_json_get(models, of->name) : (ck_bytes){0};
  if (was.len) ck_json_member_raw(w, "was", was);
  ck_value_free(about);
  return status;
}

static void write_now(ck_json_writer *w, const ck_engine *engine, const char *name) {
  const ck_profile_model *model = ck_profile_get_model(engine->profile, name);
  ck_json_member_text(w, "name", name);
  if (model) ck_json_member_text(w, "now", model->model);
}

/* Those that the flow names, and nobody has asked. */
static void write_unused(ck_json_writer *w, const uses *self, const ck_engine *engine) {
  const char *const *names = engine->flow ? ck_engine_manifest(engine)->models : NULL;
  for (; names && *names; names++) {
    bool used = false;
    for (size_t i = 0; i < self->count; i++) used |= strcmp(self->list[i].name, *names) == 0;
    if (used) continue;
    ck_json_begin(w, '{');
    write_now(w, engine, *names);
    ck_json_end(w, '}');
  }
}

static ck_status write_models(ck_json_writer *w, const ck_preflight *self, const ck_engine *engine,
                              ck_error *err) {
  uses used = {0};
  ck_store *store = engine->runtime->store;
  ck_status status = read_uses(&used, self, store, err);
  ck_json_name(w, "models");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < used.count && status == CK_OK; i++) {
    ck_json_begin(w, '{');
    ck_json_member_text(w, "agent", used.list[i].agent);
    write_now(w, engine, used.list[i].name);
    status = write_was(w, self, store, &used.list[i], err);
    ck_json_end(w, '}');
  }
  write_unused(w, &used, engine);
  ck_json_end(w, ']');
  clear_uses(&used);
  return status;
}

static ck_status write_host(ck_json_writer *w, const ck_preflight *self, ck_store *store,
                            ck_error *err) {
  const ck_head *head = &self->head;
  bool found = false;
  ck_status status = CK_OK;
  ck_place_write_host(w);
  for (size_t i = head->timeline_count; status == CK_OK && !found && i-- > 0;) {
    ck_place place;
    status = ck_place_read(&place, store, head->session.no, &head->timelines[i], err);
    found = status == CK_OK && place.host;
    if (found) ck_json_member_text(w, "host_before", place.host);
    ck_place_clear(&place);
  }
  return status;
}

/* Seconds east of UTC, here and now. */
static int64_t utc_offset(const ck_clock *clock) {
  time_t now = (time_t)(clock->wall_ms(clock->self) / 1000);
  struct tm local;
  return localtime_r(&now, &local) ? (int64_t)local.tm_gmtoff : 0;
}

ck_status ck_preflight_describe(ck_preflight *self, const ck_engine *engine, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  if (!engine->profile || !engine->policies.resume) return CK_OK;
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "utc_offset_s", utc_offset(&engine->runtime->clock));
  if (self->flow_changed) ck_json_member_bool(&w, "flow_changed", true);
  ck_status status = write_host(&w, self, engine->runtime->store, err);
  if (status == CK_OK) status = write_models(&w, self, engine, err);
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(&self->seen, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}
