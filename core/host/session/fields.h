/* fields.h - the members of checkpoints, events and totals in documents. */
#ifndef CK_HOST_SESSION_FIELDS_H
#define CK_HOST_SESSION_FIELDS_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/model/event.h"
#include "core/model/session.h"
#include "core/store/store.h"

/* Its info, without what ckrun keeps there for itself (core/model/sums.h). */
void ck_fields_put_info(ck_document *document, struct cJSON *at,
                        const ck_checkpoint_info *checkpoint);
/* Adds the members of a checkpoint as in a list. */
void ck_fields_put_checkpoint(ck_document *document, struct cJSON *at,
                              const ck_checkpoint_info *checkpoint);
/* Adds the members of an event: seq, timeline, kind, at, scope, agent, body. */
void ck_fields_put_event(ck_document *document, struct cJSON *at, const ck_event *event);
/* Adds the figures to an object, those without active time, or an object "totals" with them. */
void ck_fields_fill_usage(ck_document *document, struct cJSON *object, const ck_totals *totals);
void ck_fields_fill_totals(ck_document *document, struct cJSON *object, const ck_totals *totals);
/* What is known of the cost, as "cost_usd"; unknown (null) when nothing is, as of models without a
 * price: never 0. In text without a table "an unknown cost". */
void ck_fields_put_cost(ck_document *document, struct cJSON *at, const ck_totals *totals);
void ck_fields_put_cost_row(ck_table *table, const char *name, const ck_totals *totals);
void ck_fields_put_cost_cell(ck_table *table, const ck_totals *totals);
void ck_fields_format_cost(ck_buffer *out, const ck_totals *totals);
/* The part of a cost that is an estimate, as "reserved_usd". */
void ck_fields_put_reserved(ck_document *document, struct cJSON *at, int64_t micros);
void ck_fields_put_totals(ck_document *document, struct cJSON *at, const ck_totals *totals);

#endif
