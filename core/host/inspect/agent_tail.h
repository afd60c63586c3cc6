/* agent_tail.h - the tail of one agent of a stored session, as its resume would give it. */
#ifndef CK_HOST_INSPECT_AGENT_TAIL_H
#define CK_HOST_INSPECT_AGENT_TAIL_H

#include "core/host/inspect/inspect.h"
#include "core/host/print/document.h"
#include "core/runtime/session/tail/tail.h"

typedef struct ck_agent_tail_options {
  const char *agent;
  int64_t last;        /* at most so many; -1: what the profile says of the agent */
  const char *profile; /* another than the session's; NULL */
} ck_agent_tail_options;

/* Zero-initialise. Texts borrowed from the look and the options. */
typedef struct ck_agent_tail {
  const char *session, *agent;
  int64_t depth; /* events at most */
  ck_tail tail;
} ck_agent_tail;
void ck_agent_tail_clear(ck_agent_tail *self);

/* What is there of the profile's secrets is known to the redactor of `output` afterwards. The
 * answers of ck_profile_load and ck_tail_read. */
CK_CHECKED ck_status ck_agent_tail_read(ck_agent_tail *out, const ck_inspection *inspection,
                                        ck_output *output, const ck_agent_tail_options *options,
                                        ck_error *err);
/* Says on stderr that there is nothing to give, and which agents the session's newest events are
 * of. */
void ck_agent_tail_report_none(ck_output *output, const ck_inspection *inspection,
                               const char *agent);
/* Adds session, agent, depth, section and events. */
CK_CHECKED ck_status ck_agent_tail_put(ck_document *document, struct cJSON *at,
                                       const ck_agent_tail *self, ck_bytes section, ck_error *err);

#endif
