/* permission.c - requests for permission: answered by a rule, or put to a person. */
#include <stdio.h>
#include <stdlib.h>

#include "core/effect/acp/private.h"

enum { OPTIONS_MAX = 16, TITLE_MAX = 200 };

/* ---- a person ---- */

static void on_person(void *to, const ck_answer *answer) {
  ck_acp_permission *self = to;
  ck_effect_run *run = self->run;
  ck_acp_agent *agent = self->agent;
  self->run = NULL;
  if (run) {
    const ck_acp_asked asked = ck_acp_asked_of(self);
    ck_bytes option = {0};
    ck_json_iterator it = ck_json_iterate(ck_json_get(asked.params, "options"));
    for (size_t i = 0; answer->status == CK_OK && i <= answer->choice && ck_json_next(&it); i++) {
      if (i == answer->choice) option = ck_json_get(it.value, "optionId");
    }
    if (answer->status == CK_E_WAITING)
      ck_acp_cancel(run, CK_E_WAITING, "nobody answered the agent's request for permission");
    else if (answer->status == CK_E_INTERRUPTED)
      ck_acp_cancel(run, CK_E_INTERRUPTED, "the question for permission was cancelled");
    ck_acp_reply_permission(agent, &asked, option);
    ck_acp_report_decision(run, ck_json_get(asked.params, "toolCall"), "person", option);
    ck_acp_touch(run);
  }
  ck_acp_forget_permission(self);
}

static void append_question(ck_buffer *out, const ck_effect_run *run, ck_bytes call) {
  char kind[CK_ACP_KIND_MAX];
  ck_buffer title = {0};
  ck_acp_kind_of(kind, run, call);
  if (!ck_json_read_string(&title, ck_json_get(call, "title")))
    ck_json_read_string(&title, ck_json_get(call, "toolCallId"));
  size_t shown = ck_peer_cut(ck_buffer_bytes(&title), TITLE_MAX);
  ck_buffer_append_format(out, "%s asks for permission: %.*s%s (%s)", run->agent->service.label,
                          (int)shown, title.data ? title.data : "", shown < title.len ? "…" : "",
                          kind);
  ck_buffer_clear(&title);
}

/* The names of the options, ended by NULL; false when they are none to choose from. */
static bool read_options(char *names[OPTIONS_MAX + 1], ck_bytes options) {
  size_t count = 0;
  ck_json_iterator it = ck_json_iterate(options);
  while (count < OPTIONS_MAX && ck_json_next(&it)) {
    bool whole = ck_json_type_of(ck_json_get(it.value, "optionId")) == CK_JSON_STRING;
    names[count] = whole ? ck_json_dup_string(ck_json_get(it.value, "name")) : NULL;
    if (!names[count]) break;
    count++;
  }
  names[count] = NULL;
  return count > 0;
}

static ck_status ask_person(ck_effect_run *run, const ck_acp_asked *asked, const char *question,
                            ck_error *err) {
  const ck_acp_options *options = run->agent->options;
  char *names[OPTIONS_MAX + 1];
  ck_acp_permission *permission = NULL;
  if (!options->asker) return ck_error_set(err, CK_E_WAITING, "nobody is there to be asked");
  if (ck_acp_permissions_are_full(run->agent))
    return ck_error_set(err, CK_E_REFUSED, "it asks for too much at once");
  bool choosable = read_options(names, ck_json_get(asked->params, "options"));
  ck_status status = choosable ? ck_acp_add_permission(&permission, run, asked, err)
                               : ck_error_set(err, CK_E_REFUSED, "it offers no options");
  if (status == CK_OK) {
    const ck_question put = {.text = question,
                             .from = run->pending.effect->scope,
                             .options = (const char *const *)names,
                             .answered = on_person,
                             .to = permission};
    status = options->asker->ask(&permission->asking, options->asker->self, &put, err);
  }
  for (char **name = names; *name; name++) free(*name);
  if (status != CK_OK && permission) ck_acp_forget_permission(permission);
  if (status == CK_OK) ck_acp_touch(run);
  return status;
}

/* Without a person the turn ends, and the session waits for a person or another rule. */
static void wait_for_person(ck_effect_run *run, const ck_acp_asked *asked) {
  char why[CK_ACP_WHY_MAX];
  ck_error err = CK_ERROR_INIT;
  ck_buffer question = {0};
  append_question(&question, run, ck_json_get(asked->params, "toolCall"));
  ck_status status = ck_buffer_check(&question, &err);
  if (status == CK_OK) status = ask_person(run, asked, question.data, &err);
  if (status == CK_E_WAITING) {
    snprintf(why, sizeof why,
             "%s; resume it at a terminal, or give its profile a rule for permissions",
             question.data);
    ck_acp_cancel(run, CK_E_WAITING, why);
    ck_acp_reply_permission(run->agent, asked, (ck_bytes){0});
  } else if (status != CK_OK) {
    ck_acp_reply_permission(
        run->agent, asked,
        ck_acp_select_option(ck_json_get(asked->params, "options"), CK_PERMIT_REJECT));
  }
  ck_buffer_clear(&question);
}

void ck_acp_take_permission(ck_acp_agent *self, const ck_acp_asked *asked) {
  char kind[CK_ACP_KIND_MAX];
  ck_effect_run *run = ck_acp_find_run(self, asked->params);
  ck_bytes call = ck_json_get(asked->params, "toolCall"),
           options = ck_json_get(asked->params, "options");
  if (!run || run->phase != CK_ACP_PROMPTED) {
    ck_acp_reply_permission(self, asked, (ck_bytes){0});
    return;
  }
  ck_acp_kind_of(kind, run, call);
  ck_permit rule = self->options->permit
                       ? self->options->permit(self->options->to, kind, asked->params)
                       : CK_PERMIT_REJECT;
  if (rule != CK_PERMIT_REJECT && ck_acp_ask_policies(run, asked, rule, kind)) return;
  if (rule == CK_PERMIT_ASK) {
    wait_for_person(run, asked);
    return;
  }
  ck_bytes option = ck_acp_select_option(options, rule);
  ck_acp_reply_permission(self, asked, option);
  ck_acp_report_decision(run, call, "rule", option);
  ck_acp_touch(run);
}
