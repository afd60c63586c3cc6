/* prune_at_rest.c - drops checkpoints of a session that nobody runs, and records it. */
#include "core/runtime/history/prune_at_rest.h"

#include <stdlib.h>

#include "core/base/clock.h"

void ck_pruned_clear(ck_pruned *self) {
  ck_value_free(self->candidates);
  ck_prune_report_clear(&self->report);
}

/* What is asked to go. */
typedef struct selection {
  bool older; /* all but the latest that stay: the store finds them itself */
  int64_t *seqs;
  size_t count;
} selection;

static bool fits(const ck_prune_filter *filter, const ck_checkpoint_info *checkpoint) {
  bool named = !filter->seqs;
  for (size_t i = 0; i < filter->count; i++) named |= filter->seqs[i] == checkpoint->seq;
  return named && (!filter->before_ms || checkpoint->created_ms < filter->before_ms) &&
         !(filter->unclean && checkpoint->clean);
}

static ck_status ask(selection *of, ck_pruned *out, const ck_checkpoint_list *before,
                     const ck_prune_order *order, ck_error *err) {
  ck_clock clock = ck_clock_system();
  int64_t begun_us = clock.mono_us(clock.self);
  ck_prune_choice choice = {.seqs = of->seqs};
  ck_status status =
      ck_checkpoint_list_ask(&choice, before, order->policies, clock.wall_ms(clock.self), err);
  of->count = choice.count;
  out->said = choice.said;
  out->said.took_us = clock.mono_us(clock.self) - begun_us;
  out->candidates = choice.candidates;
  return status;
}

static void filter(selection *of, const ck_checkpoint_list *before, const ck_prune_order *order) {
  int64_t keep = order->keep < 0 ? 0 : order->keep;
  for (size_t i = 0; i < before->count && (int64_t)(before->count - i) > keep; i++)
    if (fits(order->filter, &before->list[i])) of->seqs[of->count++] = before->list[i].seq;
}

/* Where nobody chooses, all stay and need not be listed. */
static ck_status select_checkpoints(selection *of, ck_pruned *out, ck_store *store, int64_t session,
                                    const ck_prune_order *order, ck_error *err) {
  ck_checkpoint_list before;
  of->older = !order->filter && order->keep >= 0;
  if (of->older || (!order->filter && !order->policies->prune)) return CK_OK;
  ck_status status = ck_checkpoint_list_read(&before, store, session, err);
  if (status != CK_OK) return status;
  of->seqs = calloc(before.count + 1, sizeof *of->seqs);
  if (!of->seqs)
    status = ck_error_no_memory(err);
  else if (order->filter)
    filter(of, &before, order);
  else
    status = ask(of, out, &before, order, err);
  ck_checkpoint_list_clear(&before);
  return status;
}

static ck_status plan(ck_prune_report *out, ck_store *store, const char *id, const selection *of,
                      const ck_prune_order *order, ck_error *err) {
  if (of->older && order->page)
    return ck_store_plan_prune_page(store, id, order->keep, order->page, out, err);
  return of->older ? ck_store_plan_prune_to(store, id, order->keep, out, err)
                   : ck_store_plan_prune(store, id, of->seqs, of->count, out, err);
}

static ck_status drop(ck_prune_report *out, ck_store *store, ck_lease lease, const selection *of,
                      const ck_prune_order *order, ck_error *err) {
  return of->older ? ck_store_prune_to(store, lease, order->keep, out, err)
                   : ck_store_prune(store, lease, of->seqs, of->count, out, err);
}

/* At the end of the live timeline: no resume sees it there, and it stays in the log. */
static ck_status record(ck_store *store, ck_lease lease, const ck_head *head,
                        const ck_pruned *pruned, const ck_prune_order *order, ck_error *err) {
  ck_clock clock = ck_clock_system();
  char decision[CK_ANSWERS_SIZE];
  ck_answers said = pruned->said;
  said.hook = CK_HOOK_PRUNE;
  ck_event event = {.seq = head->last_seq + 1,
                    .timeline = head->session.timeline,
                    .kind = CK_EVENT_PRUNE,
                    .at_ms = clock.wall_ms(clock.self),
                    .scope = "main",
                    .decision = ck_answers_encode(decision, &said)};
  ck_event *events[] = {&event};
  ck_status status =
      ck_prune_report_describe(&event.body, &pruned->report, order->list, pruned->candidates, err);
  if (status != CK_OK) return status;
  ck_batch batch = {
      .lease = lease, .events = events, .event_count = 1, .durability = CK_DURABLE_POWER};
  status = ck_store_commit(store, &batch, 1, err);
  if (status == CK_OK && batch.status != CK_OK)
    status =
        ck_error_set(err, batch.status, "session %s: what was pruned cannot be written down: %s",
                     head->session.id, ck_status_text(batch.status));
  ck_value_free(event.body);
  return status;
}

static ck_status call_before(const ck_prune_order *order, ck_store *store, const char *id,
                             const selection *of, ck_error *err) {
  ck_prune_report report;
  if (!order->before) return CK_OK;
  ck_status status = plan(&report, store, id, of, order, err);
  if (status != CK_OK) return status;
  status = order->before(order->to, &report, err);
  ck_prune_report_clear(&report);
  return status;
}

static ck_status prune(ck_pruned *out, ck_store *store, const ck_head *head, const selection *of,
                       const ck_prune_order *order, ck_error *err) {
  ck_lease lease;
  ck_status status =
      ck_store_lock_session(&lease, store, head->session.id, head->session.epoch, err);
  if (status != CK_OK) return status;
  status = call_before(order, store, head->session.id, of, err);
  if (status == CK_OK) status = drop(&out->report, store, lease, of, order, err);
  if (status == CK_OK && out->report.count > 0)
    status = record(store, lease, head, out, order, err);
  ck_store_release(store, lease);
  return status == CK_OK && out->report.emptied > 0 ? ck_store_vacuum(&out->freed, store, err)
                                                    : status;
}

ck_status ck_session_prune_at_rest(ck_pruned *out, ck_store *store, const char *id,
                                   const ck_prune_order *order, ck_error *err) {
  ck_head head;
  selection of = {0};
  *out = (ck_pruned){0};
  ck_status status = ck_store_get_head(&head, store, id, err);
  if (status != CK_OK) return status;
  status = select_checkpoints(&of, out, store, head.session.no, order, err);
  if (status == CK_OK && order->dry_run)
    status = plan(&out->report, store, id, &of, order, err);
  else if (status == CK_OK)
    status = prune(out, store, &head, &of, order, err);
  free(of.seqs);
  ck_head_clear(&head);
  return status;
}
