/* agent_tail.h - the tail of one agent of a stored session, as a resume would give it. */
#ifndef CK_HOST_INSPECT_AGENT_TAIL_H
#define CK_HOST_INSPECT_AGENT_TAIL_H

#include "core/host/inspect/inspect.h"
#include "core/host/print/document.h"
#include "core/runtime/session/tail/tail.h"

typedef struct ck_agent_tail_options {
  const char *agent;
  int64_t last;        /* the most events; -1: the profile's setting for the agent */
  const char *profile; /* instead of the session's; NULL */
} ck_agent_tail_options;

/* Zero-initialise. Texts borrowed from the inspection and the options. */
typedef struct ck_agent_tail {
  const char *session, *agent;
  int64_t depth; /* the most events */
  ck_tail tail;
} ck_agent_tail;
void ck_agent_tail_clear(ck_agent_tail *self);

/* The secrets of the profile are registered with the redactor of `output`. The statuses of
 * ck_profile_load and ck_tail_read. */
CK_CHECKED ck_status ck_agent_tail_read(ck_agent_tail *out, const ck_inspection *inspection,
                                        ck_output *output, const ck_agent_tail_options *options,
                                        ck_error *err);
/* CK_E_NOT_FOUND: the agent took part in no event of the session; the text names those of its
 * newest events. */
CK_CHECKED ck_status ck_agent_tail_check_agent(const ck_inspection *inspection, const char *agent,
                                               ck_error *err);
/* Adds session, agent, depth, section and events. */
CK_CHECKED ck_status ck_agent_tail_put(ck_document *document, struct cJSON *at,
                                       const ck_agent_tail *self, ck_bytes section, ck_error *err);

#endif
