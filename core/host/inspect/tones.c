/* tones.c - statuses and events by what they mean for a person. */
#include "core/host/inspect/tones.h"

#include "core/base/json.h"

ck_tone ck_standing_tone(ck_standing standing, bool live) {
  if (ck_standing_awaits(standing)) return CK_TONE_PLAIN;
  switch (ck_standing_status(standing)) {
    case CK_SESSION_COMPLETED:
      return CK_TONE_GOOD;
    case CK_SESSION_FAILED:
    case CK_SESSION_FAILING:
    case CK_SESSION_IN_DOUBT:
      return CK_TONE_BAD;
    case CK_SESSION_RUNNING:
      return live ? CK_TONE_NAME : CK_TONE_BAD;
    default:
      return CK_TONE_WARN;
  }
}

static ck_tone outcome_tone(const ck_event *event) {
  ck_bytes status = ck_json_get(ck_value_bytes(event->body), "status");
  bool good = ck_json_is_text(status, "ok") || ck_json_is_text(status, "ended") ||
              ck_json_is_text(status, "absent");
  return good ? CK_TONE_PLAIN : CK_TONE_BAD;
}

ck_tone ck_event_tone(const ck_event *event) {
  switch (event->kind) {
    case CK_EVENT_SESSION_FAILED:
    case CK_EVENT_RESUME_REFUSED:
    case CK_EVENT_DIVERGENCE:
      return CK_TONE_BAD;
    case CK_EVENT_SESSION_PAUSED:
      return CK_TONE_WARN;
    case CK_EVENT_SESSION_COMPLETED:
      return CK_TONE_GOOD;
    case CK_EVENT_OUTCOME:
      return outcome_tone(event);
    default:
      return CK_TONE_PLAIN;
  }
}
