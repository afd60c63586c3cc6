/* acp.h - the driver of agents: programs that speak the Agent Client Protocol (version 1) on stdio.
 *
 * A request {process, prompt, session?} is one turn. `prompt` is a text or a list of texts, parts
 * with an image or a file (core/model/media.h) and the protocol's own blocks of content; what the
 * agent does not say that it takes is refused before anything is sent. `session` is the id of an
 * earlier session, continued when the process still has it or can load it, else a new one begins.
 * The result is {stop_reason, text, session_id, updates}: `text` is the whole of the agent's
 * messages, `updates` the number of its updates, each of which was an update of the effect. The
 * cost is the agent's own figure in dollars, or -1.
 *
 * Once the prompt is sent, a turn whose agent died or fell silent may have had its effects: its
 * outcome is UNKNOWN unless the effect is pure or idempotent. Before that it is FAILED with
 * CK_E_UNAVAILABLE.
 *
 * A turn that is cancelled before its prompt is sent is ABSENT. After that the agent's answer is
 * awaited: it is the result, with stop_reason "cancelled" and `interrupted` when the agent broke
 * off; a pure or idempotent turn is FAILED then.
 *
 * Requests for permission are answered by a rule, or by the session (ck_effect_sink): its policies,
 * or a person, whose answer may come when the turn has ended: then it is cancelled and FAILED with
 * CK_E_WAITING, and the next try finds the answer. The agent
 * gets neither files nor terminals of the client, except for text files in its folder where that is
 * allowed: each read and each write is decided like a permission, as kind "read" or "edit", and
 * files of this process's own are never given (core/effect/acp/beneath.h). */
#ifndef CK_EFFECT_ACP_ACP_H
#define CK_EFFECT_ACP_ACP_H

#include "core/effect/jsonrpc/service.h"
#include "core/model/driver.h"
#include "core/model/media_form.h"
#include "core/model/permission.h"

enum { CK_ACP_SILENCE_MS = 1800000, CK_ACP_TOTAL_MS = 10800000, CK_ACP_CANCEL_MS = 5000 };

/* All borrowed for the driver's life. A limit of 0 is the one above, or the service's. */
typedef struct ck_acp_options {
  ck_service_options service; /* its directory is the agents' working folder */
  const ck_process *agents;
  size_t agent_count;
  /* The rule for tools of that kind ("read", "edit", "execute", … "other"); CK_PERMIT_UNSET: there
   * is none, and what no policy allows is rejected; NULL: all are rejected. `request` is the
   * agent's request for permission. */
  ck_permit (*permit)(void *to, const char *kind, ck_bytes request);
  /* Whether that agent may be used under a budget, though nobody knows what it will cost; NULL:
   * none may. */
  bool (*unmetered)(void *to, const char *agent);
  void *to;
  ck_media_source media; /* the images and files of prompts; zero: nothing is kept */
  bool files;            /* agents may read and write text files inside the folder */
  int64_t silence_ms;    /* the most between two signs of life during a turn */
  int64_t total_ms;      /* the most of a turn in all, without a person's time; where not given,
                            silence_ms at least. Opening its session has the same for itself */
  int64_t cancel_ms;     /* from a cancel to its confirmation; then the agent is ended */
} ck_acp_options;

/* A driver named "acp"; serves the agent effects whose request names one of the agents as
 * `process`. Freeing it ends them. */
CK_CHECKED ck_status ck_acp_driver_new(ck_effect_driver **out, const ck_acp_options *options,
                                       ck_error *err);

#endif
