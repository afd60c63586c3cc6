/* lease.c - who holds a session, by the server's clock; and the thread that renews what this handle
 * holds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/id.h"
#include "core/base/log.h"
#include "core/base/process_stat.h"
#include "core/store/postgres/postgres.h"

/* ---- owners ---- */

/* "PID STARTED BOOT NAMESPACE HOST HANDLE": where the process is, so that its death is seen on its
 * own machine without waiting for the lease's end. */
typedef struct owner {
  long pid;
  unsigned long long started;
  char boot[48], pids[48], host[72];
} owner;

static void read_line(char *out, size_t size, const char *path) {
  FILE *file = fopen(path, "re");
  snprintf(out, size, "-");
  if (!file) return;
  if (fgets(out, (int)size, file)) out[strcspn(out, "\n ")] = '\0';
  if (!*out) snprintf(out, size, "-");
  fclose(file);
}

static owner this_process(void) {
  owner self = {.pid = getpid(), .pids = "-"};
  ck_process_stat stat;
  if (ck_process_stat_read(&stat, getpid())) self.started = stat.started;
  read_line(self.boot, sizeof self.boot, "/proc/sys/kernel/random/boot_id");
  ssize_t len = readlink("/proc/self/ns/pid", self.pids, sizeof self.pids - 1);
  self.pids[len > 0 ? len : 1] = '\0';
  if (gethostname(self.host, sizeof self.host - 1) != 0 || !*self.host)
    snprintf(self.host, sizeof self.host, "-");
  return self;
}

void ck_postgres_name_owner(char out[CK_POSTGRES_OWNER_SIZE]) {
  owner self = this_process();
  char handle[CK_ID_SIZE];
  ck_id_make_run(handle);
  snprintf(out, CK_POSTGRES_OWNER_SIZE, "%ld %llu %s %s %s %s", self.pid, self.started, self.boot,
           self.pids, self.host, handle);
}

static bool read_owner(owner *out, const char *text) {
  *out = (owner){0};
  return sscanf(text, "%ld %llu %47s %47s %71s", &out->pid, &out->started, out->boot, out->pids,
                out->host) == 5;
}

/* On this machine, since this start of it, and where its pids mean the same. */
static bool is_here(const owner *of) {
  owner self = this_process();
  return strcmp(of->boot, self.boot) == 0 && strcmp(of->pids, self.pids) == 0 &&
         strcmp(of->boot, "-") != 0 && strcmp(of->pids, "-") != 0;
}

static bool is_gone(const owner *of) {
  return is_here(of) && of->started && ck_process_is_gone_since((pid_t)of->pid, of->started);
}

ck_status ck_postgres_check_free(const ck_postgres *self, const ck_postgres_row *row,
                                 const char *session_id, ck_error *err) {
  const char *text = ck_postgres_text(row, 4);
  owner of;
  (void)self;
  if (!text || !ck_postgres_int(row, 5)) return CK_OK;
  if (!read_owner(&of, text)) of = (owner){.host = "a host that is not known"};
  if (is_gone(&of)) return CK_OK;
  return ck_error_set(
      err, CK_E_OWNED,
      "session %s is run by process %ld on %s; its lease ends in %.1f s, if nothing "
      "more is heard of it",
      session_id, of.pid, of.host, (double)ck_postgres_int(row, 6) / 1000);
}

long ck_postgres_holder_here(const ck_postgres_row *row) {
  const char *text = ck_postgres_text(row, 4);
  owner of;
  bool holds = text && ck_postgres_int(row, 5) && read_owner(&of, text);
  return holds && is_here(&of) ? of.pid : 0;
}

/* ---- what this handle holds ---- */

/* Never 0, so that 0 is nobody's. */
static int64_t new_writer(void) {
  int64_t number;
  ck_random_bytes((uint8_t *)&number, sizeof number);
  number &= INT64_MAX;
  return number ? number : 1;
}

int64_t ck_postgres_writer_of(ck_postgres *self, ck_lease lease) {
  pthread_mutex_lock(&self->mutex);
  const ck_postgres_owned *owned = ck_postgres_find_owned(self, lease);
  int64_t writer = owned ? owned->writer : 0;
  pthread_mutex_unlock(&self->mutex);
  return writer;
}

bool ck_postgres_drop(ck_postgres *self, ck_lease lease) {
  pthread_mutex_lock(&self->mutex);
  ck_postgres_owned **at = &self->owned, *gone = ck_postgres_find_owned(self, lease);
  while (gone && *at != gone) at = &(*at)->next_owned;
  if (gone) *at = gone->next_owned;
  bool lapsed = gone && ck_postgres_has_lapsed(self, gone);
  if (!self->owned) self->given_up = false;
  pthread_mutex_unlock(&self->mutex);
  free(gone);
  return lapsed;
}

/* The leases' sessions, and their numbers: as they are, and as they will be. One that has lapsed
 * here is left to whoever takes it. */
static size_t bind_owned(ck_postgres_query *query, ck_postgres *self, bool with_numbers) {
  size_t count = 0;
  pthread_mutex_lock(&self->mutex);
  for (ck_postgres_owned *at = self->owned; at; at = at->next_owned)
    count += !ck_postgres_has_lapsed(self, at);
  for (int column = 0; column < (with_numbers ? 3 : 1); column++) {
    ck_buffer *array = ck_postgres_begin_array(query, CK_POSTGRES_INTS, count);
    for (ck_postgres_owned *at = self->owned; at; at = at->next_owned) {
      if (at->lapsed) continue;
      if (column == 2 && !at->next) at->next = new_writer();
      ck_postgres_put_int(array, column == 0   ? at->lease.session
                                 : column == 1 ? at->writer
                                               : at->next);
    }
    ck_postgres_end_array(query, array);
  }
  pthread_mutex_unlock(&self->mutex);
  return count;
}

/* The new numbers are kept until an answer says that they are the rows': a question without an
 * answer asks for the same ones again. */
ck_status ck_postgres_refence(ck_postgres *self, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_REFENCE};
  bind_owned(&query, self, true);
  return ck_postgres_write(NULL, self->writer, &query, "take its leases again", err);
}

void ck_postgres_note_refenced(ck_postgres *self) {
  pthread_mutex_lock(&self->mutex);
  for (ck_postgres_owned *at = self->owned; at; at = at->next_owned) {
    if (at->next) at->writer = at->next;
    at->next = 0;
  }
  pthread_mutex_unlock(&self->mutex);
}

/* ---- renewal: on a connection and a thread of its own, so that it waits for no commit ---- */

static void take_renewed(ck_postgres *self, PGresult *result, int64_t sent_us) {
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  for (; row.at < row.count; row.at++)
    ck_postgres_note_renewed(
        self, (ck_lease){ck_postgres_int(&row, 0), (uint64_t)ck_postgres_int(&row, 1)}, sent_us);
  self->pq->clear(result);
}

static void renew(ck_postgres *self, ck_postgres_connection **by) {
  PGresult *result;
  ck_error err = CK_ERROR_INIT;
  ck_postgres_query query = {.sql = CK_POSTGRES_RENEW};
  if (*by && ck_postgres_is_lost(*by)) {
    ck_postgres_unlink(self, *by);
    *by = NULL;
  }
  size_t held = bind_owned(&query, self, false);
  ck_postgres_bind_text(&query, self->owner);
  ck_postgres_bind_int(&query, self->url.lease_ms);
  ck_status status = CK_OK;
  if (held && !*by) status = ck_postgres_link(by, self, false, &err);
  int64_t sent_us = ck_postgres_now_us();
  if (held && status == CK_OK) {
    status = ck_postgres_run(&result, *by, &query, "renew its leases", &err);
    if (status == CK_OK) take_renewed(self, result, sent_us);
  }
  if (status != CK_OK) ck_log_line(CK_LOG_INFO, "%s", err.text);
  ck_postgres_query_clear(&query);
}

/* Three times until the lease would lapse here: one that is lost does no harm. */
static void *run(void *to) {
  ck_postgres *self = to;
  ck_postgres_connection *by = NULL;
  pthread_mutex_lock(&self->mutex);
  while (!self->ends) {
    struct timespec next;
    ck_postgres_wait_until(&next, (self->url.lease_ms - self->url.margin_ms) / 3);
    while (!self->ends && pthread_cond_timedwait(&self->changed, &self->mutex, &next) == 0)
      continue;
    if (self->ends) break;
    pthread_mutex_unlock(&self->mutex);
    renew(self, &by);
    pthread_mutex_lock(&self->mutex);
  }
  pthread_mutex_unlock(&self->mutex);
  ck_postgres_unlink(self, by);
  return NULL;
}

static ck_status begin_renewal(ck_postgres *self, ck_error *err) {
  if (self->renews) return CK_OK;
  int failed = ck_postgres_begin_thread(&self->renewer, run, self);
  self->renews = !failed;
  if (!failed) return CK_OK;
  return ck_error_set(err, CK_E_UNAVAILABLE, "cannot start the thread that renews leases: %s",
                      strerror(failed));
}

void ck_postgres_end_renewal(ck_postgres *self) {
  pthread_mutex_lock(&self->mutex);
  self->ends = true;
  pthread_cond_broadcast(&self->changed);
  pthread_mutex_unlock(&self->mutex);
  if (self->guarded) pthread_join(self->guard, NULL);
  if (self->renews) pthread_join(self->renewer, NULL);
  while (self->owned) {
    ck_postgres_owned *next = self->owned->next_owned;
    free(self->owned);
    self->owned = next;
  }
}

ck_status ck_postgres_reserve(ck_postgres_owned **out, ck_postgres *self, ck_error *err) {
  *out = NULL;
  ck_status status = begin_renewal(self, err);
  if (status == CK_OK) status = ck_postgres_begin_guard(self, err);
  if (status != CK_OK) return status;
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  (*out)->writer = new_writer();
  (*out)->renewed_us = ck_postgres_now_us();
  return CK_OK;
}

void ck_postgres_keep(ck_postgres *self, ck_postgres_owned *owned, ck_lease lease) {
  pthread_mutex_lock(&self->mutex);
  owned->lease = lease;
  owned->next_owned = self->owned;
  self->owned = owned;
  pthread_cond_broadcast(&self->changed);
  pthread_mutex_unlock(&self->mutex);
}
