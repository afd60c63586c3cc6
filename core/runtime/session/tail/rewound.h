/* rewound.h - what rewinds took out of an agent's context: its exploration, in whose place a report
 * came. It stays in the transcript; an agent that goes on with its tail is not told it. */
#ifndef CK_RUNTIME_SESSION_TAIL_REWOUND_H
#define CK_RUNTIME_SESSION_TAIL_REWOUND_H

#include "core/store/store.h"

/* The agent's events in `scope` from seq `first` to before `end`. */
typedef struct ck_rewound_range {
  char *scope;
  int64_t first, end;
} ck_rewound_range;

/* Zero-initialise; ck_rewound_clear. */
typedef struct ck_rewound {
  const char *agent; /* borrowed */
  ck_rewound_range *ranges;
  size_t count, cap;
} ck_rewound;
void ck_rewound_clear(ck_rewound *self);

/* Of the agent's own rewinds in the view (NULL: every timeline), up to seq `until` (0: no bound);
 * a section that took the place of its conversation (execution/context.c) is none. */
CK_CHECKED ck_status ck_rewound_read(ck_rewound *out, ck_store *store, int64_t session,
                                     const ck_view *view, int64_t until, const char *agent,
                                     ck_error *err);
bool ck_rewound_has(const ck_rewound *self, const ck_event *event);

#endif
