/* decision.c - a decision about a request for permission: the option for it, and its report. */
#include "core/effect/acp/private.h"

void ck_acp_report_decision(ck_effect_run *run, ck_bytes call, const char *by, ck_bytes option) {
  ck_buffer update = {0};
  ck_json_writer w = {.out = &update};
  char kind[CK_ACP_KIND_MAX];
  ck_bytes title = ck_json_get(call, "title");
  ck_acp_kind_of(kind, run, call);
  ck_json_begin(&w, '{');
  ck_json_name(&w, "permission");
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "call", ck_json_get(call, "toolCallId"));
  if (ck_json_type_of(title) == CK_JSON_STRING) ck_json_member_raw(&w, "title", title);
  ck_json_member_text(&w, "kind", kind);
  ck_json_member_text(&w, "by", by);
  ck_json_member_raw(&w, "option", option);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  if (!update.failed) run->pending.sink->update(run->pending.sink, ck_buffer_bytes(&update));
  ck_buffer_clear(&update);
}

ck_bytes ck_acp_find_option(ck_bytes options, const char *kind) {
  ck_json_iterator it = ck_json_iterate(options);
  while (ck_json_next(&it)) {
    ck_bytes id = ck_json_get(it.value, "optionId");
    if (ck_json_is_text(ck_json_get(it.value, "kind"), kind) &&
        ck_json_type_of(id) == CK_JSON_STRING)
      return id;
  }
  return (ck_bytes){0};
}

ck_bytes ck_acp_select_option(ck_bytes options, ck_permit rule) {
  ck_bytes option =
      rule == CK_PERMIT_ALLOW ? ck_acp_find_option(options, "allow_once") : (ck_bytes){0};
  if (!option.len) option = ck_acp_find_option(options, "reject_once");
  return option.len ? option : ck_acp_find_option(options, "reject_always");
}
