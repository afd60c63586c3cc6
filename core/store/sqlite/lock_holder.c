/* lock_holder.c - the holder's pid from /proc/locks, its command from /proc/PID/cmdline, its
 * session from the locks of sessions. */
#include "core/store/sqlite/lock_holder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/process_stat.h"
#include "core/store/sqlite/lock.h"
#include "core/store/sqlite/sqlite.h"

enum { READS = 3 };

/* A lock's pid, if it is one of `kind` ("FLOCK", or "POSIX" to write) of that file; 0. */
static long pid_of(const char *line, const char *kind, const struct stat *file) {
  char type[16], mode[16];
  long pid;
  unsigned dev_major, dev_minor;
  unsigned long long inode;
  if (sscanf(line, "%*d: %15s %*s %15s %ld %x:%x:%llu", type, mode, &pid, &dev_major, &dev_minor,
             &inode) != 6)
    return 0;
  bool same =
      inode == file->st_ino && dev_major == major(file->st_dev) && dev_minor == minor(file->st_dev);
  bool asked = strcmp(type, kind) == 0 && strcmp(mode, "WRITE") == 0;
  return same && asked && pid > 0 && pid != getpid() ? pid : 0;
}

static long find_once(const char *kind, const struct stat *file) {
  FILE *locks = fopen("/proc/locks", "re");
  if (!locks) return 0;
  char line[256];
  long holder = 0;
  while (holder == 0 && fgets(line, sizeof line, locks)) holder = pid_of(line, kind, file);
  fclose(locks);
  return holder;
}

/* A pid that was written into the file would cost a write per transaction, and could be stale. The
 * kernel gives its list in parts: while others lock and unlock, a line can fall between two. */
static long find(const char *kind, const struct stat *file) {
  long holder = 0;
  for (int i = 0; i < READS && holder == 0; i++) holder = find_once(kind, file);
  return holder;
}

long ck_lock_holder_find(int fd) {
  struct stat file;
  return fstat(fd, &file) == 0 ? find("FLOCK", &file) : 0;
}

/* The files are not opened: closing one would end this process's own locks of it (fcntl(2)). */
long ck_lock_holder_find_writer(const char *store_path) {
  static const char *const ends[] = {"", "-shm"};
  long holder = 0;
  for (size_t i = 0; i < sizeof ends / sizeof *ends && holder == 0; i++) {
    char path[4096];
    struct stat file;
    snprintf(path, sizeof path, "%s%s", store_path, ends[i]);
    if (stat(path, &file) == 0) holder = find("POSIX", &file);
  }
  return holder;
}

static size_t read_start(char *out, size_t size, const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  ssize_t len = fd >= 0 ? read(fd, out, size - 1) : 0;
  if (fd >= 0) close(fd);
  out[len > 0 ? len : 0] = 0;
  return len > 0 ? (size_t)len : 0;
}

/* A command's words, which have no secret: those before the first that is none. */
static bool is_word(const char *text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz";
  size_t len = strlen(text);
  return len > 0 && len < 16 && strspn(text, plain) == len;
}

/* " (ckrun sessions prune)"; of another program its name alone. */
static void append_command(char *out, size_t size, long pid) {
  char path[64], words[512];
  snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
  size_t len = read_start(words, sizeof words, path), at = strlen(words) + 1;
  if (len == 0) return;
  const char *slash = strrchr(words, '/'), *name = slash ? slash + 1 : words;
  size_t used = (size_t)snprintf(out, size, " (%.40s", name);
  for (int i = 0; i < 2 && strcmp(name, "ckrun") == 0 && at < len && is_word(words + at); i++) {
    used += (size_t)snprintf(out + used, size - used, " %s", words + at);
    at += strlen(words + at) + 1;
  }
  snprintf(out + used, size - used, ")");
}

static size_t append_age(char *out, size_t size, long pid) {
  static const struct {
    long long from, seconds;
    const char *name;
  } units[] = {{2 * 86400, 86400, "days"}, {2 * 3600, 3600, "h"}, {120, 60, "min"}, {0, 1, "s"}};
  ck_process_stat found;
  struct timespec up;
  long ticks = sysconf(_SC_CLK_TCK);
  if (!ck_process_stat_read(&found, (pid_t)pid) || !found.started || ticks <= 0) return 0;
  if (clock_gettime(CLOCK_BOOTTIME, &up) != 0) return 0;
  long long age = up.tv_sec - (long long)(found.started / (unsigned long long)ticks);
  if (age < 0) age = 0;
  size_t i = 0;
  while (age < units[i].from) i++;
  return (size_t)snprintf(out, size, ", begun %lld %s ago", age / units[i].seconds, units[i].name);
}

/* The first one that this process has. */
static void append_session(char *out, size_t size, const char *store_path, long pid) {
  char folder[4096], text[64];
  snprintf(folder, sizeof folder, "%s.sessions", store_path);
  DIR *open_folder = opendir(folder);
  if (!open_folder) return;
  for (struct dirent *entry; (entry = readdir(open_folder));) {
    char path[8192];
    const char *end = strstr(entry->d_name, ".lock");
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (!end || read_start(text, sizeof text, path) == 0 || atol(text) != pid) continue;
    snprintf(out, size, ", which runs session %.*s", (int)(end - entry->d_name), entry->d_name);
    break;
  }
  closedir(open_folder);
}

void ck_lock_holder_describe(char out[CK_LOCK_HOLDER_SIZE], const char *store_path, long pid) {
  size_t used = (size_t)snprintf(out, CK_LOCK_HOLDER_SIZE, "another process");
  if (pid <= 0) return;
  used = (size_t)snprintf(out, CK_LOCK_HOLDER_SIZE, "process %ld", pid);
  append_command(out + used, CK_LOCK_HOLDER_SIZE - used, pid);
  used = strlen(out);
  used += append_age(out + used, CK_LOCK_HOLDER_SIZE - used, pid);
  append_session(out + used, CK_LOCK_HOLDER_SIZE - used, store_path, pid);
}

/* ---- locks of SQLite ---- */

/* As SQLite's own waits are: short at first. */
static int pause_ms(int count) {
  static const int first[] = {1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50};
  return count < (int)(sizeof first / sizeof *first) ? first[count] : 100;
}

static int waited_ms(int count) {
  int waited = 0;
  for (int i = 0; i < count; i++) waited += pause_ms(i);
  return waited;
}

static int on_busy(void *to, int count) {
  const ck_sqlite *store = to;
  int before = waited_ms(count), after = before + pause_ms(count);
  if (after > CK_LOCK_WAIT_MS) return 0;
  if (before < CK_LOCK_HOLDER_TOLD_MS && after >= CK_LOCK_HOLDER_TOLD_MS) {
    char who[CK_LOCK_HOLDER_SIZE];
    ck_lock_holder_describe(who, store->path, ck_lock_holder_find_writer(store->path));
    ck_log_line(CK_LOG_WARN, "store %s is locked by %s; waiting for it up to %d s", store->path,
                who, CK_LOCK_WAIT_MS / 1000);
  }
  sqlite3_sleep(pause_ms(count));
  return 1;
}

int ck_lock_holder_wait(sqlite3 *db, const ck_sqlite *store) {
  return sqlite3_busy_handler(db, on_busy, (void *)(uintptr_t)store);
}
