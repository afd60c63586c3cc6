/* limits.h - how many sessions of a profile, or with a label, a worker runs at once. */
#ifndef CK_HOST_WORKER_LIMITS_H
#define CK_HOST_WORKER_LIMITS_H

#include "core/host/cli/command.h"

enum { CK_WORKER_LIMITS_MAX = 64 };

typedef struct ck_worker_limit {
  bool is_label;
  ck_bytes name; /* of the profile or label; borrowed */
  size_t most, running;
} ck_worker_limit;

/* Zero-initialise. */
typedef struct ck_worker_limits {
  ck_worker_limit list[CK_WORKER_LIMITS_MAX];
  size_t count;
} ck_worker_limits;

/* Of "profile=NAME:N" and "label=NAME:N". CK_E_USAGE: another word, or one that is there twice. */
CK_CHECKED ck_status ck_worker_limits_read(ck_worker_limits *out, const ck_words *words,
                                           ck_error *err);
/* Which of them (bit 1 << index) concern a session of that profile; one with that mark of the queue
 * (queued.h). */
uint64_t ck_worker_limits_of_profile(const ck_worker_limits *self, const char *profile);
uint64_t ck_worker_limits_of_mark(const ck_worker_limits *self, ck_bytes mark);
/* Whether one more session that these concern may run. */
bool ck_worker_limits_allow(const ck_worker_limits *self, uint64_t which);
/* One more of them runs, or (`begins` false) one fewer. */
void ck_worker_limits_count(ck_worker_limits *self, uint64_t which, bool begins);

#endif
