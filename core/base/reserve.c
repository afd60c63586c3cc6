/* reserve.c - memory kept back: a mapping that is given up when it is needed. */
#include "core/base/reserve.h"

#include <pthread.h>
#include <sys/mman.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned holders;
static void *kept; /* NULL: it was used, or nobody holds it */

static void *map(size_t size) {
  void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? NULL : block;
}

/* With the mutex. */
static bool give_up(void) {
  bool held = kept != NULL;
  if (held) munmap(kept, CK_RESERVE_SIZE);
  kept = NULL;
  return held;
}

/* With the mutex. */
static bool has_room(void) {
  void *probe = map(CK_RESERVE_PROBE);
  if (probe) munmap(probe, CK_RESERVE_PROBE);
  return probe != NULL;
}

ck_status ck_reserve_hold(ck_error *err) {
  pthread_mutex_lock(&mutex);
  if (!kept) kept = map(CK_RESERVE_SIZE);
  bool held = kept && has_room();
  if (held) holders++;
  if (holders == 0) give_up();
  pthread_mutex_unlock(&mutex);
  return held ? CK_OK : ck_error_no_memory(err);
}

void ck_reserve_drop(void) {
  pthread_mutex_lock(&mutex);
  if (--holders == 0) give_up();
  pthread_mutex_unlock(&mutex);
}

bool ck_reserve_use(void) {
  pthread_mutex_lock(&mutex);
  bool held = give_up();
  pthread_mutex_unlock(&mutex);
  return held;
}

bool ck_reserve_is_used(void) {
  pthread_mutex_lock(&mutex);
  if (holders && kept && !has_room()) give_up();
  bool used = holders && !kept;
  pthread_mutex_unlock(&mutex);
  return used;
}
