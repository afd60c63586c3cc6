/* policies.c - requests for permission that the session has a word in: its policies, or a person.
 */
#include <string.h>

#include "core/effect/acp/private.h"

/* What only looks; whatever else a tool may do, also what the agent has no word for, counts as what
 * cannot be taken back. */
static ck_effect_class class_of(const char *kind) {
  static const char *const harmless[] = {"read", "search", "think"};
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (strcmp(kind, harmless[i]) == 0) return CK_EFFECT_PURE;
  return CK_EFFECT_ONCE;
}

/* ---- what they see ---- */

static void append_options(ck_json_writer *w, ck_bytes options) {
  ck_json_name(w, "options");
  ck_json_begin(w, '[');
  for (ck_json_iterator it = ck_json_iterate(options); ck_json_next(&it);) {
    ck_bytes name = ck_json_get(it.value, "name"), kind = ck_json_get(it.value, "kind");
    ck_json_begin(w, '{');
    if (ck_json_type_of(name) == CK_JSON_STRING) ck_json_member_raw(w, "name", name);
    if (ck_json_type_of(kind) == CK_JSON_STRING) ck_json_member_raw(w, "kind", kind);
    ck_json_end(w, '}');
  }
  ck_json_end(w, ']');
}

/* Without the id of the agent's session, which is another one the next time. */
static void append_file(ck_json_writer *w, ck_bytes file) {
  static const char *const members[] = {"path", "line", "limit", "content"};
  ck_json_name(w, "arguments");
  ck_json_begin(w, '{');
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    ck_bytes value = ck_json_get(file, members[i]);
    if (value.len) ck_json_member_raw(w, members[i], value);
  }
  ck_json_end(w, '}');
}

static ck_status write_request(ck_buffer *out, const ck_effect_run *run, const ck_acp_asked *asked,
                               const char *kind, ck_error *err) {
  ck_json_writer w = {.out = out};
  ck_bytes call = ck_json_get(asked->params, "toolCall"), title = ck_json_get(call, "title"),
           input = ck_json_get(call, "rawInput"), places = ck_json_get(call, "locations");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "name", kind);
  ck_json_member_text(&w, "process", run->agent->service.process->name);
  if (ck_json_type_of(title) == CK_JSON_STRING) ck_json_member_raw(&w, "title", title);
  if (asked->wish != CK_ACP_ACTION)
    append_file(&w, ck_json_get(asked->params, "file"));
  else if (input.len)
    ck_json_member_raw(&w, "arguments", input);
  if (ck_json_type_of(places) == CK_JSON_ARRAY) ck_json_member_raw(&w, "locations", places);
  append_options(&w, ck_json_get(asked->params, "options"));
  ck_json_end(&w, '}');
  return ck_buffer_check(out, err);
}

/* ---- their word ---- */

/* An agent may have no other yes than one for ever. */
static ck_bytes find_allowing(ck_bytes options) {
  ck_bytes once = ck_acp_find_option(options, "allow_once");
  return once.len ? once : ck_acp_find_option(options, "allow_always");
}

static void on_answered(void *to, ck_action_word word, bool person, const char *why) {
  ck_acp_permission *self = to;
  ck_effect_run *run = self->run;
  ck_acp_agent *agent = self->agent;
  const ck_acp_asked asked = ck_acp_asked_of(self);
  ck_bytes options = ck_json_get(asked.params, "options"), option = {0};
  self->run = NULL;
  if (word == CK_ACTION_ALLOWED && person) option = find_allowing(options);
  if (word != CK_ACTION_LATER && !option.len)
    option = ck_acp_select_option(options,
                                  word == CK_ACTION_ALLOWED ? CK_PERMIT_ALLOW : CK_PERMIT_REJECT);
  else if (word == CK_ACTION_LATER)
    ck_acp_cancel(run, CK_E_WAITING, why);
  ck_acp_reply_permission(agent, &asked, option);
  if (word != CK_ACTION_LATER)
    ck_acp_report_decision(run, ck_json_get(asked.params, "toolCall"), person ? "person" : "policy",
                           option);
  ck_acp_touch(run);
  ck_acp_forget_permission(self);
}

static ck_status put(ck_acp_permission *permission, ck_permit rule, const char *kind,
                     ck_error *err) {
  ck_effect_run *run = permission->run;
  const ck_acp_asked asked = ck_acp_asked_of(permission);
  ck_bytes options = ck_json_get(asked.params, "options"),
           once = ck_acp_find_option(options, "allow_once");
  ck_buffer request = {0};
  ck_effect_sink *sink = run->pending.sink;
  ck_status status = write_request(&request, run, &asked, kind, err);
  if (status == CK_OK) {
    const ck_action action = {
        .class = class_of(kind),
        .rule = rule,
        .call = asked.wish == CK_ACP_ACTION
                    ? ck_json_get(ck_json_get(asked.params, "toolCall"), "toolCallId")
                    : (ck_bytes){0},
        .request = ck_buffer_bytes(&request),
        .option = rule == CK_PERMIT_ASK ? find_allowing(options) : once,
        .lasts = !once.len,
        .answered = on_answered,
        .to = permission};
    status = sink->permit(&permission->question, sink, &action, err);
  }
  ck_buffer_clear(&request);
  return status;
}

bool ck_acp_ask_policies(ck_effect_run *run, const ck_acp_asked *asked, ck_permit rule,
                         const char *kind) {
  ck_error err = CK_ERROR_INIT;
  ck_acp_permission *permission = NULL;
  if (!run->pending.sink->permit) return false;
  ck_status status = ck_acp_permissions_are_full(run->agent)
                         ? ck_error_set(&err, CK_E_REFUSED, "it asks for too much at once")
                         : ck_acp_add_permission(&permission, run, asked, &err);
  if (status == CK_OK) status = put(permission, rule, kind, &err);
  bool taken = status != CK_OK || permission->question;
  if (permission && (status != CK_OK || !permission->question))
    ck_acp_forget_permission(permission);
  if (status != CK_OK)
    ck_acp_reply_permission(
        run->agent, asked,
        ck_acp_select_option(ck_json_get(asked->params, "options"), CK_PERMIT_REJECT));
  if (taken) ck_acp_touch(run);
  return taken;
}
