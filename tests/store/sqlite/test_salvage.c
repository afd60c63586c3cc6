/* test_salvage.c - what a salvage says of a log: frames and commits that are in the copy, bits that
 * were set right, what was synced and is cut; against the log's bytes, counted here. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/salvage.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

enum { HEADER = 32, FRAME_HEADER = 24, PAGE = 4096, FRAME = FRAME_HEADER + PAGE, COMMITS = 6 };
enum { PAGES_AT = 4, SALT_AT = 8, SALT = 8, LOG_SALT_AT = 16, FRAMES_MAX = 200 };

static char path[400];

static void copy(const char *to, const char *suffix) {
  char name[500], data[PAGE];
  snprintf(name, sizeof name, "%s%s", path, suffix);
  int in = open(name, O_RDONLY | O_CLOEXEC);
  snprintf(name, sizeof name, "%s%s", to, suffix);
  int out = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ssize_t len;
  tap_must(in >= 0 && out >= 0, "%s can be copied", name);
  while ((len = read(in, data, sizeof data)) > 0)
    tap_must(write(out, data, (size_t)len) == len, "a part of it");
  close(in);
  close(out);
}

/* All files of the store, as a kill leaves them. */
static const char *copy_all(const char *name) {
  const char *to = tap_tmpfile(name);
  copy(to, "");
  copy(to, "-wal");
  copy(to, ".lock");
  return to;
}

/* ---- the log as its bytes have it ---- */

/* Which frames end a commit. */
typedef struct frames {
  bool ends[FRAMES_MAX + 1]; /* from 1 */
  int count;
} frames;

static int open_log(const char *of) {
  char name[500];
  snprintf(name, sizeof name, "%s-wal", of);
  int fd = open(name, O_RDWR | O_CLOEXEC);
  tap_must(fd >= 0, "%s is there", name);
  return fd;
}

static frames count_frames(const char *of) {
  frames all = {.count = 0};
  uint8_t log[HEADER], frame[FRAME_HEADER];
  int fd = open_log(of);
  tap_must(pread(fd, log, sizeof log, 0) == (ssize_t)sizeof log, "its header");
  while (all.count < FRAMES_MAX &&
         pread(fd, frame, sizeof frame, HEADER + (off_t)all.count * FRAME) ==
             (ssize_t)sizeof frame &&
         memcmp(frame + SALT_AT, log + LOG_SALT_AT, SALT) == 0) {
    static const uint8_t none[4];
    all.ends[++all.count] = memcmp(frame + PAGES_AT, none, sizeof none) != 0;
  }
  close(fd);
  return all;
}

static int count_commits(const frames *all, int from, int to) {
  int count = 0;
  for (int i = from; i <= to; i++) count += all->ends[i];
  return count;
}

/* The last frame before `no` that ends a commit; 0: none does. */
static int whole_before(const frames *all, int no) {
  for (no--; no > 0 && !all->ends[no];) no--;
  return no;
}

static void flip(const char *of, int frame, int at) {
  uint8_t byte;
  off_t place = HEADER + (off_t)(frame - 1) * FRAME + FRAME_HEADER + at;
  int fd = open_log(of);
  tap_must(pread(fd, &byte, 1, place) == 1, "a byte of the log");
  byte ^= 4;
  tap_must(pwrite(fd, &byte, 1, place) == 1, "another one");
  close(fd);
}

/* ---- what is said of it ---- */

static void check(const char *of, const ck_salvage_report *want, const char *what) {
  static int copies;
  char to[500];
  ck_error err = CK_ERROR_INIT;
  ck_salvage_report got;
  snprintf(to, sizeof to, "%s.%d", of, ++copies);
  tap_is_status(ck_sqlite_salvage(&got, of, to, &err), CK_OK, &err, "%s: it is salvaged", what);
  tap_is_int(got.frames, want->frames, "%s: frames", what);
  tap_is_int(got.commits, want->commits, "%s: commits", what);
  tap_is_int(got.mended_bits, want->mended_bits, "%s: bits that were set right", what);
  tap_is_int(got.cut_frames, want->cut_frames, "%s: frames that are cut", what);
  tap_is_int(got.cut_commits, want->cut_commits, "%s: commits that are cut", what);
}

static void test_frame(const frames *all, int no) {
  char what[64];
  int whole = whole_before(all, no);
  const char *of = copy_all("damaged");
  flip(of, no, 100);
  snprintf(what, sizeof what, "a bit of frame %d of %d", no, all->count);
  ck_salvage_report mended = {
      .frames = all->count, .commits = count_commits(all, 1, all->count), .mended_bits = 1};
  check(of, &mended, what);
  of = copy_all("damaged_more");
  flip(of, no, 100);
  flip(of, no, 2000);
  snprintf(what, sizeof what, "two bits of frame %d of %d", no, all->count);
  ck_salvage_report cut = {.frames = whole,
                           .commits = count_commits(all, 1, whole),
                           .cut_frames = all->count - whole,
                           .cut_commits = count_commits(all, no, all->count)};
  check(of, &cut, what);
}

int main(void) {
  static const fixture_step step = {.text = "t", .key = "memory.k", .value = "1"};
  char url[500];
  fixture session;
  ck_error err = CK_ERROR_INIT;
  snprintf(path, sizeof path, "%s", tap_tmpfile("salvage.db"));
  snprintf(url, sizeof url, "sqlite:%s", path);
  ck_store *store = fixture_open(url);
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "create: %s", err.text);
  for (int i = 0; i < COMMITS; i++)
    tap_is_status(fixture_commit(&session, &step, &err), CK_OK, &err, "a commit");
  frames all = count_frames(path);
  tap_ok(count_commits(&all, 1, all.count) > COMMITS && all.ends[all.count], "all are in the log");
  ck_salvage_report sound = {.frames = all.count, .commits = count_commits(&all, 1, all.count)};
  check(copy_all("sound"), &sound, "a sound log");
  for (int no = 1; no <= all.count; no += no < 4 ? 1 : 7) test_frame(&all, no);
  test_frame(&all, all.count);
  ck_store_close(store);
  return tap_done();
}
