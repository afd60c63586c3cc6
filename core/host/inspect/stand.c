/* stand.c - tells where a session stands after a person went back in it. */
#include "core/host/inspect/stand.h"

#include "core/host/print/facts.h"
#include "core/host/run/summary.h"

ck_status ck_stand_print(const ck_errand *errand, const ck_hand_result *now, ck_error *err) {
  ck_facts facts;
  ck_buffer words = {0}, next = {0};
  ck_buffer_append_format(&words, "resume %s", now->session);
  ck_summary_append_command(&next, errand->host, words.data ? words.data : "");
  ck_facts_init(&facts, errand->host->output);
  ck_facts_put_text(&facts, "session", now->session);
  ck_facts_put_text(&facts, "from", now->from);
  ck_facts_put_text(&facts, "checkpoint", now->checkpoint);
  ck_facts_put_text(&facts, "told", now->told);
  ck_facts_put_count(&facts, "timeline", now->timeline);
  ck_facts_put_count(&facts, "left", now->left);
  ck_facts_put_text(&facts, "status", "paused");
  ck_facts_put_text(&facts, "next", next.data);
  ck_status status = ck_buffer_check(&next, err);
  if (status == CK_OK) status = ck_facts_print(&facts, err);
  ck_facts_clear(&facts);
  ck_buffer_clear(&words);
  ck_buffer_clear(&next);
  return status;
}
