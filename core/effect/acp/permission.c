/* permission.c - requests for permission: answered by a rule, or put to the session. */
#include <stdio.h>

#include "core/effect/acp/private.h"

/* Nobody keeps questions here: the turn ends, and is to go again under another rule. */
static void wait_for_rule(ck_effect_run *run, const ck_acp_asked *asked, const char *kind) {
  char why[CK_ACP_WHY_MAX];
  snprintf(why, sizeof why,
           "%s asks for permission (%s), and nobody is there to be asked: give its profile a rule "
           "for permissions.%s",
           run->agent->service.label, kind, kind);
  ck_acp_cancel(run, CK_E_WAITING, why);
  ck_acp_reply_permission(run->agent, asked, (ck_bytes){0});
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
    wait_for_rule(run, asked, kind);
    return;
  }
  ck_bytes option = ck_acp_select_option(options, rule);
  ck_acp_reply_permission(self, asked, option);
  ck_acp_report_decision(run, call, "rule", option);
  ck_acp_touch(run);
}
