/* measures.c - the measurements of a run as members of its document. */
#include "core/host/run/measures.h"

/* How many were durable within each bound. */
static void put_within(ck_document *document, struct cJSON *times, const ck_timing *timing) {
  struct cJSON *list = ck_document_put_array(document, times, "within");
  int64_t count = 0;
  for (size_t i = 0; i < CK_TIMING_BOUND_COUNT; i++) {
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    count += timing->within[i];
    ck_document_put_duration(document, at, "up_to_ms", ck_timing_bounds_ms[i] * 1000);
    ck_document_put_int(document, at, "count", count);
  }
}

static void put_times(ck_document *document, const ck_timing *timing) {
  struct cJSON *at = ck_document_put_object(document, NULL, "checkpoint_time");
  ck_document_put_int(document, at, "count", timing->count);
  ck_document_put_duration(document, at, "average_ms",
                           timing->count ? timing->sum_us / timing->count : 0);
  ck_document_put_duration(document, at, "max_ms", timing->max_us);
  put_within(document, at, timing);
}

/* By rule, those that masked something: names of rules are ckrun's own. */
static void put_redactions(ck_document *document, const ck_redactor *redactor) {
  ck_redact_count found;
  struct cJSON *list = ck_document_put_array(document, NULL, "redactions");
  for (size_t i = 0; ck_redactor_count_at(&found, redactor, i); i++) {
    if (!found.count) continue;
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, at, "family", found.family);
    if (*found.rule) ck_document_put_text(document, at, "rule", found.rule);
    ck_document_put_int(document, at, "count", (int64_t)found.count);
  }
}

void ck_measures_put(ck_document *document, const ck_engine *engine) {
  put_times(document, &engine->timing);
  put_redactions(document, ck_session_get_redactor(engine->session));
}
