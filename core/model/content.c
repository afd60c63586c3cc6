/* content.c - the tables of what is content, and a walk over a value by them. */
#include "core/model/content.h"

#include <string.h>

/* What the members of an object are; arrays are as their elements. */
typedef struct shape shape;
typedef struct member {
  const char *name; /* NULL: no more */
  const shape *is;  /* NULL: structure */
} member;
struct shape {
  const member *members;
  const shape *others; /* the members that are not named; NULL: structure */
};

static const member nobody[] = {{0}};
static const shape all = {nobody, &all};

/* ---- within a body ---- */

static const shape message;
static const member message_members[] = {
    {"role", NULL},      {"name", NULL},         {"id", NULL},
    {"type", NULL},      {"call_id", NULL},      {"index", NULL},
    {"signature", NULL}, {"tool_call_id", NULL}, {"arguments", &all},
    {"input", &all},     {"agent", NULL},        {"media_type", NULL},
    {"digest", NULL},    {"bytes", NULL},        {0}};
static const shape message = {message_members, &message};

static const member request_members[] = {{"name", NULL},
                                         {"model", NULL},
                                         {"agent", NULL},
                                         {"server", NULL},
                                         {"tool", NULL},
                                         {"tools", NULL},
                                         {"target", NULL},
                                         {"kind", NULL},
                                         {"type", NULL},
                                         {"class", NULL},
                                         {"id", NULL},
                                         {"call_id", NULL},
                                         {0}};
static const shape request = {request_members, &all};

/* Paths of files that hold the rest of an output. */
static const member result_members[] = {{"spill", NULL}, {0}};
static const shape result = {result_members, &all};

static const member reason_members[] = {{"policy", NULL}, {0}};
static const shape reason = {reason_members, &all};
static const member asked_members[] = {{"id", NULL}, {"request", NULL}, {"kind", NULL}, {0}};
static const shape asked = {asked_members, &all};

/* ---- bodies: members that are not named are structure ---- */

static const member said_members[] = {{"message", &message}, {0}};
static const member dropped_members[] = {{"question", &all}, {0}};
static const shape dropped = {dropped_members, NULL};
static const member intent_members[] = {{"request", &request}, {"dropped", &dropped}, {0}};
static const member denied_members[] = {
    {"reason", &all}, {"question", &all}, {"request", &request}, {0}};
static const shape denied = {denied_members, NULL};
static const member outcome_members[] = {
    {"message", &message}, {"result", &result}, {"error", &all}, {"denied", &denied}, {0}};
/* Of a list that the runtime reads: the tools of a server, the scopes of a join. */
static const member list_members[] = {{"error", &all}, {0}};
static const member resolution_members[] = {{"result", &all}, {"correction", &all}, {0}};
static const member boundary_members[] = {{"outcome", &all},     {"last_error", &all},
                                          {"description", &all}, {"reasons", &reason},
                                          {"requests", &asked},  {0}};
static const member position_members[] = {
    {"result", &all}, {"error", &all}, {"task", &request}, {0}};
static const member report_members[] = {{"report", &all}, {0}};
static const member error_members[] = {{"error", &all}, {0}};
static const member value_members[] = {{"value", &all}, {0}};
static const member why_members[] = {{"reason", &all}, {0}};
static const member approval_members[] = {{"question", &all}, {"dropped", &dropped}, {0}};
static const member ended_members[] = {{"result", &all}, {0}};
static const member update_members[] = {{"update", &message}, {0}};
static const member note_members[] = {{"type", NULL},   {"request", NULL}, {"kind", NULL},
                                      {"effect", NULL}, {"tool", NULL},    {"run", NULL},
                                      {"phase", NULL},  {"stage", NULL},   {0}};

static const member launch_members[] = {
    {"flow_digest", NULL}, {"flow_version", NULL}, {"directory", NULL}, {"cassette", NULL},
    {"profile", NULL},     {"policies", NULL},     {"document", NULL},  {0}};

static const shape bodies[] = {
    [CK_EVENT_SESSION_STARTED] = {launch_members, &all}, /* its input alone is asked about */
    [CK_EVENT_SESSION_PAUSED] = {why_members, NULL},
    [CK_EVENT_SESSION_FAILED] = {why_members, NULL},
    [CK_EVENT_SESSION_COMPLETED] = {ended_members, NULL},
    [CK_EVENT_SESSION_CANCELLED] = {why_members, NULL},
    [CK_EVENT_MESSAGE] = {said_members, NULL},
    [CK_EVENT_INTENT] = {intent_members, NULL},
    [CK_EVENT_OUTCOME] = {outcome_members, NULL},
    [CK_EVENT_RESOLUTION] = {resolution_members, NULL},
    [CK_EVENT_REWIND] = {report_members, NULL},
    [CK_EVENT_BOUNDARY] = {boundary_members, NULL},
    [CK_EVENT_POLICY_ERROR] = {error_members, NULL},
    [CK_EVENT_EDIT] = {value_members, NULL},
    [CK_EVENT_DELEGATION] = {said_members, NULL},
    [CK_EVENT_UPDATE] = {update_members, NULL},
    [CK_EVENT_SAVING] = {error_members, NULL},
    [CK_EVENT_RESUME_REFUSED] = {why_members, NULL},
    [CK_EVENT_RESUME_APPROVAL] = {approval_members, NULL},
    [CK_EVENT_NOTE] = {note_members, &all},
};
bool ck_content_has_kind(ck_event_kind kind) {
  return (size_t)kind < sizeof bodies / sizeof *bodies && bodies[kind].members;
}

static const shape list_body = {list_members, NULL}, position = {position_members, NULL},
                   structure = {nobody, NULL};

static bool begins_with(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* What a flow keeps is content, but for the record of where it is, and the runtime's own keys. */
static const shape *shape_of_key(const char *key) {
  static const char *const areas[] = {"memory.", "outputs.", "scratch.", "ended.",
                                      "facts.",  "options.", "files."};
  for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
    if (begins_with(key, areas[i])) return &all;
  return begins_with(key, "position.") ? &position : &structure;
}

static bool key_holds(const ck_value *body, const char *part) {
  ck_bytes key = ck_json_get(ck_value_bytes(body), "key");
  return key.len > 0 && memmem(key.data, key.len, part, strlen(part));
}

static const shape *shape_of(ck_content_of of, const ck_value *whole) {
  if (of.key) return shape_of_key(of.key);
  if (!of.kind) return &all;
  if (of.kind >= sizeof bodies / sizeof *bodies || !bodies[of.kind].members) return &structure;
  bool list = of.kind == CK_EVENT_OUTCOME &&
              (ck_json_get(ck_value_bytes(whole), "list").len > 0 || key_holds(whole, "/join/"));
  bool limit = of.kind == CK_EVENT_RESOLUTION && key_holds(whole, "/limit/");
  bool permit = of.kind != CK_EVENT_INTENT && key_holds(whole, "/permit\"");
  return limit || permit ? &structure : list ? &list_body : &bodies[of.kind];
}

/* ---- the walk ---- */

static bool is_container(ck_bytes value) {
  return ck_json_type_of(value) == CK_JSON_OBJECT || ck_json_type_of(value) == CK_JSON_ARRAY;
}

static bool is_name(ck_bytes raw, const char *name) {
  size_t len = strlen(name);
  return raw.len == len + 2 && memcmp(raw.data + 1, name, len) == 0;
}

static const shape *find_member(const shape *of, ck_bytes raw_name) {
  for (const member *one = of->members; one->name; one++)
    if (is_name(raw_name, one->name)) return one->is;
  return of->others;
}

/* Writes the content of `value` of that shape; *any: there is some. */
static void pick(ck_json_writer *w, bool *any, const shape *is, ck_bytes value) {
  if (is == &all || !is_container(value)) {
    *any = true;
    ck_json_put_raw(w, value);
    return;
  }
  bool object = ck_json_type_of(value) == CK_JSON_OBJECT;
  ck_json_iterator it = ck_json_iterate(value);
  ck_json_begin(w, object ? '{' : '[');
  while (ck_json_next(&it)) {
    const shape *inner = object ? find_member(is, it.name) : is;
    if (!inner) continue;
    if (object) ck_json_raw_name(w, it.name);
    pick(w, any, inner, it.value);
  }
  ck_json_end(w, object ? '}' : ']');
}

ck_status ck_content_pick(ck_value **out, ck_content_of of, const ck_value *whole, ck_error *err) {
  const shape *is = shape_of(of, whole);
  *out = is == &all ? ck_value_share(whole) : NULL;
  if (is == &all || is == &structure || !is_container(ck_value_bytes(whole))) return CK_OK;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  bool any = false;
  pick(&w, &any, is, ck_value_bytes(whole));
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK && any) status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_content_recorded(ck_value **out, ck_event_kind kind, const ck_value *body,
                              ck_error *err) {
  ck_bytes input = ck_json_get(ck_value_bytes(body), "input");
  *out = NULL;
  if (kind != CK_EVENT_SESSION_STARTED) *out = ck_value_share(body);
  return *out || !input.len ? CK_OK : ck_value_copy(out, input, err);
}

/* Writes `value` with what `changed` has in the place of its content. */
static void put(ck_json_writer *w, const shape *is, ck_bytes value, ck_bytes changed) {
  if (is == &all || !is_container(value)) {
    ck_json_put_raw(w, changed);
    return;
  }
  bool object = ck_json_type_of(value) == CK_JSON_OBJECT;
  ck_json_iterator it = ck_json_iterate(value), by = ck_json_iterate(changed);
  ck_json_begin(w, object ? '{' : '[');
  while (ck_json_next(&it)) {
    const shape *inner = object ? find_member(is, it.name) : is;
    if (object) ck_json_raw_name(w, it.name);
    if (inner && ck_json_next(&by))
      put(w, inner, it.value, by.value);
    else
      ck_json_put_raw(w, it.value);
  }
  ck_json_end(w, object ? '}' : ']');
}

ck_status ck_content_put(ck_value **out, ck_content_of of, const ck_value *whole,
                         const ck_value *changed, ck_error *err) {
  const shape *is = shape_of(of, whole);
  *out = ck_value_share(is == &all ? changed : whole);
  if (is == &all || is == &structure) return CK_OK;
  ck_value_free(*out);
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  put(&w, is, ck_value_bytes(whole), ck_value_bytes(changed));
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}
