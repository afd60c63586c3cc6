/* id.c - makes and checks ids. */
#include "core/base/id.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <uuid/uuid.h>

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/log.h"

enum { ID_SHOWN_MAX = 80 };

static _Atomic uint32_t counter;

static void seed_counter(void) {
  uint32_t start;
  ck_random_bytes(&start, sizeof start);
  atomic_store(&counter, start);
}

/* A forked child would continue its parent's count and make the same ids, so it begins a new
 * one. */
static void start_counter(void) {
  seed_counter();
  pthread_atfork(NULL, NULL, seed_counter);
}

static uint32_t next_number(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_counter);
  return atomic_fetch_add(&counter, 1);
}

/* "<prefix>YYYYMMDD_HHMMSS_<8 hex>" */
static void make_dated(char out[CK_ID_SIZE], const char *prefix, int64_t wall_ms) {
  char time[CK_TIME_TEXT_SIZE];
  ck_time_text(time, wall_ms);
  char *at = stpcpy(out, prefix);
  for (const char *c = time; *c != '.'; c++) {
    if (*c == 'T') *at++ = '_';
    if (*c >= '0' && *c <= '9') *at++ = *c;
  }
  *at++ = '_';
  uint32_t number = next_number();
  for (int shift = 28; shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[number >> shift & 15];
  *at = '\0';
}

void ck_id_make_session(char out[CK_ID_SIZE], int64_t wall_ms) {
  make_dated(out, "session_", wall_ms);
}

void ck_id_make_checkpoint(char out[CK_ID_SIZE], int64_t wall_ms) {
  make_dated(out, "checkpoint_", wall_ms);
}

void ck_id_make_run(char out[CK_ID_SIZE]) {
  uuid_t uuid;
  uuid_generate_random(uuid);
  uuid_unparse_lower(uuid, stpcpy(out, "run_"));
}

static bool is_id(const char *id) {
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  size_t len = strnlen(id, CK_ID_SIZE);
  return len > 0 && len < CK_ID_SIZE && strspn(id, allowed) == len;
}

ck_status ck_id_check(const char *what, const char *id, ck_error *err) {
  if (!id) return ck_error_set(err, CK_E_USAGE, "%s: no id was given", what);
  if (is_id(id)) return CK_OK;
  ck_buffer shown = {0};
  ck_escape_append(&shown, (ck_bytes){id, strnlen(id, ID_SHOWN_MAX)});
  ck_error_set(err, CK_E_USAGE, "%s '%s%s': an id is 1 to 64 of A-Z a-z 0-9 _ -", what,
               shown.data ? shown.data : "",
               strnlen(id, ID_SHOWN_MAX + 1) > ID_SHOWN_MAX ? "…" : "");
  ck_buffer_clear(&shown);
  return CK_E_USAGE;
}

ck_status ck_id_check_begin(const char *what, const char *id, ck_error *err) {
  if (id[0] != '-') return CK_OK;
  ck_buffer shown = {0};
  ck_escape_append(&shown, (ck_bytes){id, strnlen(id, ID_SHOWN_MAX)});
  ck_error_set(err, CK_E_USAGE, "%s '%s': an id does not begin with '-', as an option does", what,
               shown.data ? shown.data : "");
  ck_buffer_clear(&shown);
  return CK_E_USAGE;
}

ck_status ck_id_check_new(const char *what, const char *id, ck_error *err) {
  ck_status status = ck_id_check(what, id, err);
  return status == CK_OK ? ck_id_check_begin(what, id, err) : status;
}
