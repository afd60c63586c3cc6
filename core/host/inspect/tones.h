/* tones.h - the colours by which a person sees on a terminal how a session stands, and what went
 * wrong in it. */
#ifndef CK_HOST_INSPECT_TONES_H
#define CK_HOST_INSPECT_TONES_H

#include "core/host/print/tone.h"
#include "core/host/session/standing.h"
#include "core/model/event.h"
#include "core/model/session.h"

/* `live`: its process is there. */
ck_tone ck_standing_tone(ck_standing standing, bool live);
/* Of what happened: plain, unless it went wrong, waits for somebody, or is the end. */
ck_tone ck_event_tone(const ck_event *event);

#endif
