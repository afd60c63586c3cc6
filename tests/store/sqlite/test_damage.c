/* test_damage.c - one changed bit in the files of a store: what was synced is there, or the store
 * is refused by name; and what a crash leaves is no damage. DAMAGE_STEP=N changes a bit in every
 * N-th byte, DAMAGE_SEED=N repeats a run. */
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/store/faulty.h"
#include "tests/store/fixture.h"
#include "tests/store/history.h"
#include "tests/tap.h"

enum { STEPS = 12, EVENTS = 1 + 2 * STEPS, STEP = 64 * 17, FRAME = 4096 + 24 };
enum { DATABASE, LOG, LOCK, SHARED, FILES };

static const char *const suffixes[FILES] = {"", "-wal", ".lock", "-shm"};
static const fixture_step power = {.text = "t", .key = "memory.k", .value = "1"};
static const fixture_step process = {.text = "t", .key = "memory.k", .value = "2", .process = true};

static char url[400];
static const char *path;
static test_dice dice;
static size_t step_bytes = STEP;

static void use(const char *name) {
  path = tap_tmpfile(name);
  snprintf(url, sizeof url, "sqlite:%s", path);
}

/* ---- the files of a store ---- */

typedef struct image {
  char *data[FILES];
  size_t len[FILES], size[FILES]; /* size: with the zeros at the end */
} image;

static const char *file_name(const char *of, int which) {
  static char name[500];
  snprintf(name, sizeof name, "%s%s", of, suffixes[which]);
  return name;
}

/* A missing file has no data. */
static void take_image(image *out) {
  *out = (image){0};
  for (int i = 0; i < FILES; i++) {
    struct stat found;
    int fd = open(file_name(path, i), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    tap_must(fstat(fd, &found) == 0, "its size");
    out->size[i] = out->len[i] = (size_t)found.st_size;
    out->data[i] = calloc(1, out->len[i] + 1);
    tap_must(out->data[i] && read(fd, out->data[i], out->len[i]) == found.st_size, "it is read");
    while (out->len[i] && out->data[i][out->len[i] - 1] == 0) out->len[i]--;
    close(fd);
  }
}

static void put_file(const image *from, int which) {
  const char *name = file_name(path, which);
  unlink(name);
  if (!from->data[which]) return;
  int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good = fd >= 0 && ftruncate(fd, (off_t)from->size[which]) == 0 &&
              write(fd, from->data[which], from->len[which]) == (ssize_t)from->len[which];
  tap_must(good && close(fd) == 0, "%s is written", name);
}

static void put_image(const image *from) {
  for (int i = 0; i < FILES; i++) put_file(from, i);
}

static void clear_image(image *self) {
  for (int i = 0; i < FILES; i++) free(self->data[i]);
}

static void flip(image *in, int which, size_t at) {
  in->data[which][at] = (char)(in->data[which][at] ^ (1 << dice_pick(&dice, 8)));
}

/* ---- a writer that dies ---- */

static int live_up[2], live_down[2];
static image fresh;

/* Runs `body` in a process that ends without closing anything. */
static pid_t start(void (*body)(fixture *session)) {
  fflush(stdout);
  pid_t child = fork();
  if (child != 0) return child;
  fixture session;
  ck_error err = CK_ERROR_INIT;
  ck_store *store = fixture_open(url);
  if (fixture_create(&session, store, "s", &err) != CK_OK) _exit(1);
  for (int i = 0; i < STEPS; i++)
    if (fixture_commit(&session, &power, &err) != CK_OK) _exit(1);
  if (body) body(&session);
  _exit(9);
}

static void die_after(void (*body)(fixture *session)) {
  int status;
  pid_t child = start(body);
  tap_must(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9,
           "a writer dies");
}

static void make_killed(image *out, const char *name, void (*body)(fixture *session)) {
  use(name);
  die_after(body);
  take_image(out);
  free(out->data[SHARED]); /* it is made anew by the first that opens */
  out->data[SHARED] = NULL;
}

static void make_rested(image *out, const char *name) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  use(name);
  ck_store *store = fixture_open(url);
  history_must(fixture_create(&session, store, "s", &err), &err, "create");
  for (int i = 0; i < STEPS; i++) history_must(fixture_commit(&session, &power, &err), &err, "go");
  ck_store_close(store);
  take_image(out);
}

/* ---- what is found ---- */

/* Number of events; -1: refused, with a text that names the store. -2: a wrong answer. */
static int64_t open_and_count(bool read_only, ck_error *err) {
  ck_store *store;
  ck_head head;
  *err = (ck_error)CK_ERROR_INIT;
  ck_status status = ck_store_open(&store, url, &(ck_store_options){.read_only = read_only}, err);
  if (status != CK_OK) return strstr(err->text, path) ? -1 : -2;
  int64_t events = -2;
  status = ck_store_get_head(&head, store, "s", err);
  if (status == CK_OK) {
    events = fixture_count_events(store, head.session.no);
    if (events >= 0 && events != head.last_seq) events = -2;
    ck_head_clear(&head);
  } else if (status == CK_E_CORRUPT) {
    events = -1;
  }
  bool sound = fixture_count_problems(store) == 0;
  ck_store_close(store);
  return sound ? events : -1;
}

static void is_refused(ck_status want, const char *named, const char *name) {
  for (int read_only = 0; read_only < 2; read_only++) {
    ck_error err;
    int64_t events = open_and_count(read_only != 0, &err);
    tap_ok(events == -1 && err.status == want && strstr(err.text, named), "%s%s: %lld, %s", name,
           read_only ? ", to read it" : "", (long long)events, err.text);
  }
}

static void is_whole(int64_t want, const char *name) {
  ck_error err;
  tap_is_int(open_and_count(true, &err), want, "%s: all is read %s", name, err.text);
  tap_is_int(open_and_count(false, &err), want, "%s: all is there %s", name, err.text);
}

/* The next run: one event more. */
static void go_on(void) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  ck_store *store = fixture_open(url);
  history_must(fixture_acquire(&session, store, "s", &err), &err, "acquire");
  ck_store_close(store);
}

/* ---- bits ---- */

typedef struct findings {
  int64_t points, told, harmless, wrong;
} findings;

static void judge(findings *found, int64_t events, int which, size_t at, const char *text) {
  found->points++;
  found->told += events == -1;
  found->harmless += events == EVENTS;
  if (events == -1 || events == EVENTS) return;
  found->wrong++;
  if (found->wrong < 5)
    tap_diag("byte %zu of %s: %lld events %s", at, suffixes[which], (long long)events, text);
}

static void flip_all(findings *found, const image *from, int which, size_t end) {
  size_t step = which == LOCK ? 1 : step_bytes;
  for (size_t at = dice_pick(&dice, step); at < end; at += step) {
    ck_error err;
    char kept = from->data[which][at];
    flip((image *)(uintptr_t)from, which, at);
    put_image(from);
    judge(found, open_and_count(found->points % 2 == 0, &err), which, at, err.text);
    from->data[which][at] = kept;
  }
}

static void test_bits(const image *of, const char *name, bool live) {
  static const char *const names[] = {"file", "log", "mark", "shared memory"};
  for (int which = 0; which < FILES; which++) {
    findings found = {0};
    if (!of->data[which]) continue;
    size_t end = live && which == LOG ? of->len[which] : of->size[which];
    flip_all(&found, of, which, end < 600000 ? end : 600000);
    tap_ok(found.points > 0 && found.wrong == 0,
           "%s, a bit of the %s: %lld points, %lld told, %lld harmless, %lld wrong", name,
           names[which], (long long)found.points, (long long)found.told, (long long)found.harmless,
           (long long)found.wrong);
    if (live && which == LOG)
      tap_is_int(found.told, found.points, "each change of the log is told");
    if (!live && which != DATABASE)
      tap_is_int(found.harmless, found.points, "at rest nothing is read of it");
  }
}

/* ---- bits under a living writer ---- */

static void write_and_wait(fixture *session) {
  char byte;
  (void)session;
  if (write(live_up[1], "x", 1) == 1 && read(live_down[0], &byte, 1) == 0) return;
}

/* One bit in a byte of a file of the store that another process has open. */
static void flip_file(int which, size_t at) {
  uint8_t byte = 0;
  int fd = open(file_name(path, which), O_RDWR | O_CLOEXEC);
  bool good = fd >= 0 && pread(fd, &byte, 1, (off_t)at) == 1;
  byte = (uint8_t)(byte ^ (1 << dice_pick(&dice, 8)));
  tap_must(good && pwrite(fd, &byte, 1, (off_t)at) == 1 && close(fd) == 0, "a bit is changed");
}

/* A writer that lives, a bit, a reader, the writer's end, and the next reader. */
static void flip_live(findings *found, int which, size_t at) {
  ck_error err;
  int status;
  char byte;
  put_image(&fresh);
  tap_must(pipe(live_up) == 0 && pipe(live_down) == 0, "two pipes");
  pid_t child = start(write_and_wait);
  close(live_down[0]);
  tap_must(read(live_up[0], &byte, 1) == 1, "the writer has written");
  flip_file(which, at);
  judge(found, open_and_count(true, &err), which, at, err.text);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  judge(found, open_and_count(found->points % 4 == 1, &err), which, at, err.text);
  close(live_down[1]);
  close(live_up[0]);
  close(live_up[1]);
}

static void test_live_bits(void) {
  image at_work;
  use("live.db");
  ck_store_close(fixture_open(url));
  take_image(&fresh);
  die_after(NULL);
  take_image(&at_work);
  for (int which = 0; which < FILES; which++) {
    findings found = {0};
    size_t step = which == LOCK ? 4 : which == SHARED ? step_bytes / 2 : step_bytes * 3;
    for (size_t at = dice_pick(&dice, step); at < at_work.len[which]; at += step)
      flip_live(&found, which, at);
    tap_ok(found.points > 0 && found.wrong == 0,
           "beside a writer, a bit of %s: %lld points, %lld told, %lld harmless, %lld wrong",
           *suffixes[which] ? suffixes[which] : "the file", (long long)found.points,
           (long long)found.told, (long long)found.harmless, (long long)found.wrong);
  }
  clear_image(&fresh);
  clear_image(&at_work);
}

/* ---- files that are gone ---- */

static void copy_database(const image *from, const char *name) {
  use(name);
  put_file(from, DATABASE);
}

static void test_gone(const image *killed, const image *rested) {
  use("gone.db");
  put_image(killed);
  unlink(file_name(path, LOG));
  is_refused(CK_E_CORRUPT, "gone.db-wal", "a log that was removed after a kill");
  tap_ok(access(file_name(path, LOG), F_OK) != 0, "and none is made in its place");
  put_image(killed);
  truncate(file_name(path, LOG), 0) == 0 ? (void)0 : tap_must(false, "it is cut");
  is_refused(CK_E_CORRUPT, "gone.db-wal", "a log that was cut to nothing");
  put_image(killed);
  unlink(file_name(path, LOG));
  unlink(file_name(path, LOCK));
  is_refused(CK_E_CORRUPT, "gone.db-wal", "with the mark removed as well");
  copy_database(killed, "copied.db");
  is_refused(CK_E_CORRUPT, "copied.db-wal", "the file alone, copied after a kill");
  copy_database(rested, "rested.db");
  is_whole(EVENTS, "the file alone, copied at rest");
  use("both.db");
  put_file(killed, DATABASE);
  put_file(killed, LOG);
  is_whole(EVENTS, "file and log, copied after a kill");
}

/* ---- what a crash leaves ---- */

static void go_on_unsynced(fixture *session) {
  for (int i = 0; i < 3; i++)
    if (fixture_commit(session, &process, NULL) != CK_OK) _exit(1);
}

/* The power takes what was not synced: the last frames are zeros. */
static void test_torn_tail(void) {
  image torn;
  make_killed(&torn, "torn.db", go_on_unsynced);
  for (int frame = 1; frame < 4; frame++) {
    size_t cut = (size_t)frame * FRAME - 2000;
    memset(torn.data[LOG] + torn.len[LOG] - cut, 0, cut);
    put_image(&torn);
    ck_error err;
    int64_t events = open_and_count(frame % 2 == 0, &err);
    tap_ok(events >= EVENTS && events < EVENTS + 6, "a torn end is dropped: %lld events %s",
           (long long)events, err.text);
  }
  clear_image(&torn);
}

/* Frames of a transaction that was rolled back, with valid checksums, behind the last commit. */
static void spill(fixture *session) {
  sqlite3 *db;
  (void)session;
  if (sqlite3_open(path, &db) != SQLITE_OK ||
      sqlite3_exec(db,
                   "PRAGMA cache_size=4; BEGIN IMMEDIATE; CREATE TABLE t (x);"
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)"
                   "INSERT INTO t SELECT randomblob(4000) FROM n; ROLLBACK",
                   NULL, NULL, NULL) != SQLITE_OK)
    _exit(1);
}

static void test_spilled(void) {
  image spilled;
  make_killed(&spilled, "spilled.db", spill);
  tap_ok(spilled.len[LOG] > 200 * FRAME, "frames of a rolled back transaction are in the log");
  put_image(&spilled);
  is_whole(EVENTS, "they are no damage");
  clear_image(&spilled);
}

static void die(void *to) {
  (void)to;
  _exit(9);
}

static void die_in_commit(fixture *session) {
  faulty_after_sync(FAULTY_WAL, die, NULL);
  if (fixture_commit(session, &power, NULL) == CK_OK) _exit(2);
}

static int wait_and_read(int in) {
  char byte;
  ck_error err;
  ck_store *store;
  bool good = read(in, &byte, 1) == 1 &&
              ck_store_open(&store, url, &(ck_store_options){.read_only = true}, &err) == CK_OK;
  if (!good || kill(getppid(), 0) != 0) return 1;
  return read(in, &byte, 1) == 0 ? 0 : 1;
}

/* The commit's frames are in the log, but a reader that lives keeps an index without them. */
static void test_half_commit(bool with_reader) {
  int to[2];
  ck_error err;
  use(with_reader ? "half_read.db" : "half.db");
  tap_must(pipe(to) == 0, "a pipe");
  ck_store_close(fixture_open(url));
  fflush(stdout);
  pid_t reader = fork();
  if (reader == 0) {
    close(to[1]);
    _exit(wait_and_read(to[0]));
  }
  close(to[0]);
  if (with_reader) {
    tap_must(write(to[1], "x", 1) == 1, "the reader opens");
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  die_after(die_in_commit);
  int64_t events = open_and_count(false, &err);
  tap_ok(events == EVENTS || events == EVENTS + 2, "a commit cut off before the index%s: %lld %s",
         with_reader ? ", beside a reader" : "", (long long)events, err.text);
  go_on();
  close(to[1]);
  waitpid(reader, NULL, 0);
  is_whole(events + 1, "the next run decides it for good");
}

/* A log that was folded comes back, as when the power goes before its zeros are on disk, and a bit
 * of it has changed: nothing is set back. */
static void test_folded_log(const image *killed) {
  image folded;
  ck_error err = CK_ERROR_INIT;
  use("folded.db");
  put_image(killed);
  go_on();
  tap_is_int(open_and_count(false, &err), EVENTS + 1, "used and closed, its log is folded");
  take_image(&folded);
  for (int i = 0; i < 8; i++) {
    put_image(&folded);
    put_file(killed, LOG);
    int fd = open(file_name(path, LOG), O_RDWR | O_CLOEXEC);
    off_t at = 32 + FRAME * (3 + 2 * i) + 1000;
    tap_must(fd >= 0 && pwrite(fd, "\xff\xfe", 2, at) == 2 && close(fd) == 0, "it comes back");
    is_whole(EVENTS + 1, "a folded log that came back");
  }
  clear_image(&folded);
}

/* ---- marks ---- */

static void test_readers_keep_marks(const image *killed) {
  image after;
  ck_error err;
  use("readers.db");
  put_image(killed);
  tap_is_int(open_and_count(true, &err), EVENTS, "a reader reads a killed store");
  take_image(&after);
  tap_is_bytes((ck_bytes){after.data[LOCK], after.size[LOCK]},
               (ck_bytes){killed->data[LOCK], killed->size[LOCK]}, "and leaves its mark");
  tap_is_bytes((ck_bytes){after.data[LOG], after.len[LOG]},
               (ck_bytes){killed->data[LOG], killed->len[LOG]}, "and its log");
  clear_image(&after);
}

/* The sign in the file's header and the mark follow the store's use. */
static void test_states(void) {
  static const char sign[] = "cklv";
  image at_work, resting;
  fixture session;
  ck_error err = CK_ERROR_INIT;
  use("states.db");
  ck_store *store = fixture_open(url);
  history_must(fixture_create(&session, store, "s", &err), &err, "create");
  history_must(fixture_commit(&session, &power, &err), &err, "commit");
  take_image(&at_work);
  for (int i = 0; i < 2 * STEPS; i++)
    history_must(fixture_commit(&session, &power, &err), &err, "commit");
  history_must(ck_store_recover(store, &err), &err, "recover");
  image moved;
  take_image(&moved);
  tap_ok(memcmp(moved.data[DATABASE] + 72, sign, 4) == 0, "and when its log was moved into it");
  tap_ok(memcmp(moved.data[DATABASE] + 28, at_work.data[DATABASE] + 28, 4) != 0,
         "with its first page");
  clear_image(&moved);
  ck_store_release(store, session.lease);
  take_image(&resting);
  tap_ok(memcmp(at_work.data[DATABASE] + 72, sign, 4) == 0, "a file in use is signed");
  tap_ok(resting.len[LOG] == 0 || memcmp(resting.data[LOG], "\0\0\0\0\0\0\0\0", 8) == 0,
         "when its last run has ended the log is empty");
  tap_ok(memcmp(resting.data[DATABASE] + 72, "\0\0\0\0", 4) == 0, "and the file is not signed");
  tap_is_int((int64_t)resting.size[LOG], 8 << 20, "its log stays allocated");
  history_must(fixture_acquire(&session, store, "s", &err), &err, "acquire");
  clear_image(&at_work);
  take_image(&at_work);
  tap_ok(memcmp(at_work.data[DATABASE] + 72, sign, 4) == 0, "nor when it is used again");
  ck_store_close(store);
  clear_image(&at_work);
  clear_image(&resting);
}

static uint64_t number_from(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

int main(void) {
  image killed, rested;
  dice.state = number_from("DAMAGE_SEED", (uint64_t)time(NULL));
  tap_diag("DAMAGE_SEED=%llu", (unsigned long long)dice.state);
  step_bytes = number_from("DAMAGE_STEP", STEP);
  faulty_install();
  make_killed(&killed, "killed.db", NULL);
  make_rested(&rested, "rest.db");
  use("bits.db");
  test_bits(&killed, "killed", true);
  test_bits(&rested, "at rest", false);
  test_live_bits();
  test_gone(&killed, &rested);
  test_torn_tail();
  test_spilled();
  test_half_commit(false);
  test_half_commit(true);
  test_folded_log(&killed);
  test_readers_keep_marks(&killed);
  test_states();
  clear_image(&killed);
  clear_image(&rested);
  return tap_done();
}
