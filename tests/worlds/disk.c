/* disk.c - what the disk is sure to hold, what it may hold, and what becomes of it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/worlds/baton.h"
#include "tests/worlds/chance.h"
#include "tests/worlds/cover.h"
#include "tests/worlds/disk_private.h"

enum { PROCESSES_MAX = 256, PATH_SIZE = 512 };
static const char *const suffixes[DISK_FILES] = {"", "-wal", ".lock", ".new"};

/* A change that was not synced. */
typedef struct change {
  bool cut, doomed;
  int64_t offset; /* of a cut: the new size */
  size_t len;
  char *data; /* NULL: zeros */
} change;

typedef struct file {
  char *data; /* synced */
  size_t len, cap;
  change *changes;
  size_t count, room;
} file;

static struct {
  char path[PATH_SIZE];
  file files[DISK_FILES];
  bool dead[PROCESSES_MAX], power_out;
  bool end_refused, end_killed; /* the end of a use, whose sign stands */
  disk_weather weather;
} disk;
static uint64_t counts[DISK_EVENTS];

const uint64_t *disk_counts(void) { return counts; }
const char *disk_path(void) { return disk.path; }
void disk_remove(const char *path) { (void)__real_unlink(path); }

uint64_t disk_faults(void) {
  return counts[DISK_FULL] + counts[DISK_ERRORS] + counts[DISK_SYNC_ERRORS];
}
void disk_set_weather(const disk_weather *weather) { disk.weather = *weather; }
bool disk_is_dead(int process) { return disk.dead[process] || disk.power_out; }
bool disk_power_is_out(void) { return disk.power_out; }

int disk_file_of(const char *name) {
  size_t len = strlen(disk.path);
  if (!name || len == 0 || strncmp(name, disk.path, len) != 0) return -1;
  for (int i = 0; i < DISK_FILES; i++)
    if (strcmp(name + len, suffixes[i]) == 0) return i;
  return -1;
}

/* ---- contents ---- */

static void resize(file *self, size_t len) {
  if (len > self->cap) {
    self->cap = len + len / 2;
    self->data = realloc(self->data, self->cap);
    tap_must(self->data != NULL, "there is memory");
  }
  if (len > self->len) memset(self->data + self->len, 0, len - self->len);
  self->len = len;
}

static void put(file *self, int64_t offset, const char *data, size_t len) {
  if ((size_t)offset + len > self->len) resize(self, (size_t)offset + len);
  if (data)
    memcpy(self->data + offset, data, len);
  else
    memset(self->data + offset, 0, len);
}

static void apply(file *self, const change *from) {
  if (from->cut)
    resize(self, (size_t)from->offset);
  else
    put(self, from->offset, from->data, from->len);
}

static void forget_changes(file *self) {
  for (size_t i = 0; i < self->count; i++) free(self->changes[i].data);
  self->count = 0;
}

static void forget(file *self) {
  forget_changes(self);
  free(self->changes);
  free(self->data);
  *self = (file){0};
}

static void add(int which, const change *made, const void *data) {
  static const char zeros[1 << 16];
  file *self = &disk.files[which];
  if (self->count == self->room) {
    self->room = self->room * 2 + 64;
    self->changes = reallocarray(self->changes, self->room, sizeof *self->changes);
  }
  change *to = &self->changes[self->count++];
  *to = *made;
  if (!data || (made->len <= sizeof zeros && memcmp(data, zeros, made->len) == 0)) return;
  to->data = malloc(made->len);
  tap_must(to->data != NULL, "there is memory");
  memcpy(to->data, data, made->len);
}

void disk_note_write(int which, int64_t offset, const void *data, size_t len) {
  counts[DISK_WRITES]++;
  add(which, &(change){.offset = offset, .len = len}, data);
}

void disk_note_cut(int which, int64_t size) {
  add(which, &(change){.cut = true, .offset = size}, NULL);
}

void disk_note_sync(int which) {
  file *self = &disk.files[which];
  counts[DISK_SYNCS]++;
  for (size_t i = 0; i < self->count; i++)
    if (!self->changes[i].doomed) apply(self, &self->changes[i]);
  forget_changes(self);
}

/* The kernel may take pages for clean that never reached the disk: no later sync writes them. */
void disk_note_failed_sync(int which) {
  file *self = &disk.files[which];
  for (size_t i = 0; i < self->count; i++) {
    if (self->changes[i].cut || chance_pick(CHANCE_LOSE, 2) == 0) continue;
    self->changes[i].doomed = true;
    counts[DISK_DOOMED]++;
  }
}

void disk_note_rename(int from, int to) {
  forget(&disk.files[to]);
  disk.files[to] = disk.files[from];
  disk.files[from] = (file){0};
}

void disk_note_removed(int which) { forget(&disk.files[which]); }

/* ---- what comes in between ---- */

void disk_kill(int process) { disk.dead[process] = true; }
void disk_cut_power(void) {
  counts[DISK_POWER_CUTS]++;
  disk.power_out = true;
}

static disk_leave crash(size_t len) {
  bool power = chance_happens(CHANCE_POWER, disk.weather.power);
  counts[power ? DISK_POWER_CUTS : DISK_KILLS]++;
  if (power)
    disk.power_out = true;
  else
    disk_kill(baton_process());
  return len ? DISK_TEARS : DISK_DEAD;
}

/* Zeros that the log is filled with are many, and all alike. */
disk_leave disk_ask(size_t len) {
  if (disk_is_dead(baton_process())) return DISK_DEAD;
  baton_offer();
  if (disk_is_dead(baton_process())) return DISK_DEAD;
  if (chance_happens(CHANCE_CRASH, disk.weather.crashes)) return crash(len);
  if (!chance_happens(CHANCE_DISK, disk.weather.faults)) return DISK_GO;
  bool full = chance_pick(CHANCE_DISK, 2) == 0;
  counts[full ? DISK_FULL : DISK_ERRORS]++;
  return full ? DISK_NO_ROOM : DISK_BROKEN;
}

/* The sign is written twice in a use, the header of a log once: too rare for what befalls any call
 * to meet them often. */
enum { RARE = 8 };

disk_leave disk_ask_sign(bool ends) {
  enum { DIES = 1, IS_FULL, OUTCOMES = IS_FULL };
  if (disk_is_dead(baton_process())) return DISK_DEAD;
  uint32_t per_mille = RARE * (disk.weather.crashes + disk.weather.faults);
  disk_leave leave = disk_ask(0);
  uint32_t what = leave == DISK_GO ? chance_pick_rarely(CHANCE_SIGN, per_mille, OUTCOMES) : 0;
  if (what == DIES) leave = crash(0);
  if (what == IS_FULL) leave = DISK_NO_ROOM;
  counts[DISK_FULL] += what == IS_FULL;
  disk.end_killed = ends && leave == DISK_DEAD;
  disk.end_refused = ends && !disk.end_killed && leave != DISK_GO;
  return leave;
}

void disk_note_begun(void) {
  uint32_t per_mille = RARE * disk.weather.crashes * disk.weather.power / 1000;
  if (!chance_happens(CHANCE_ANEW, per_mille)) return;
  if (disk.end_killed) cover("corner: the end of a use is cut off, and its log begun anew");
  if (disk.end_refused) cover("corner: the end of a use is refused, and its log begun anew");
  disk_cut_power();
}

disk_leave disk_ask_sync(void) {
  if (disk_is_dead(baton_process())) return DISK_DEAD;
  baton_offer();
  if (disk_is_dead(baton_process())) return DISK_DEAD;
  if (chance_happens(CHANCE_CRASH, disk.weather.crashes)) return crash(0);
  if (!chance_happens(CHANCE_DISK, disk.weather.faults)) return DISK_GO;
  counts[DISK_SYNC_ERRORS]++;
  return DISK_BROKEN;
}

size_t disk_torn_len(size_t len) {
  size_t kept = (size_t)chance_pick(CHANCE_TEAR, (uint32_t)(len / DISK_SECTOR + 2)) * DISK_SECTOR;
  counts[DISK_TORN] += kept > 0 && kept < len;
  return kept < len ? kept : len;
}

/* ---- after the power went ---- */

typedef enum { KEEP_ALL, LOSE_ALL, KEEP_FIRST, KEEP_LAST, KEEP_SOME, KEEP_SECTORS, LOSE_ONE } loss;

static void apply_sectors(file *self, const change *from) {
  for (size_t at = 0, len; at < from->len; at += len) {
    size_t room = DISK_SECTOR - (size_t)((from->offset + (int64_t)at) % DISK_SECTOR);
    len = room < from->len - at ? room : from->len - at;
    if (chance_pick(CHANCE_LOSE, 2) == 0)
      put(self, from->offset + (int64_t)at, from->data ? from->data + at : NULL, len);
  }
}

static bool keeps(loss how, size_t at, size_t mark) {
  switch (how) {
    case KEEP_ALL:
      return true;
    case LOSE_ALL:
      return false;
    case KEEP_FIRST:
      return at < mark;
    case KEEP_LAST:
      return at > mark;
    case LOSE_ONE:
      return at != mark;
    default:
      return chance_pick(CHANCE_LOSE, 2) == 0;
  }
}

/* Each sector of what was not synced may have reached the disk or not. */
static void lose(file *self) {
  if (self->count == 0) return;
  loss how = (loss)chance_pick(CHANCE_LOSE, 7);
  size_t mark = chance_pick(CHANCE_LOSE, (uint32_t)self->count), end = self->len;
  for (size_t i = 0; i < self->count; i++) {
    const change *from = &self->changes[i];
    bool torn = how == KEEP_SECTORS || (i == mark && (how == KEEP_FIRST || how == KEEP_LAST));
    if (!from->cut && (size_t)from->offset + from->len > end)
      end = (size_t)from->offset + from->len;
    if (from->doomed) continue;
    if (torn && !from->cut)
      apply_sectors(self, from);
    else if (keeps(how, i, mark))
      apply(self, from);
    else
      counts[DISK_LOST]++;
  }
  /* a file system may have noted the new size, but not the bytes */
  if (end > self->len && chance_pick(CHANCE_LOSE, 2)) resize(self, end);
}

static void write_back(int which) {
  file *self = &disk.files[which];
  char name[PATH_SIZE + 8];
  snprintf(name, sizeof name, "%s%s", disk.path, suffixes[which]);
  if (access(name, F_OK) != 0) return;
  int fd = open(name, O_RDWR | O_CLOEXEC);
  bool good = fd >= 0 && __real_ftruncate(fd, (off_t)self->len) == 0;
  for (size_t i = 0; i < self->count && good; i++) {
    const change *from = &self->changes[i];
    size_t at = from->cut ? 0 : (size_t)from->offset, len = from->cut ? self->len : from->len;
    if (at >= self->len) continue;
    if (len > self->len - at) len = self->len - at;
    good = __real_pwrite(fd, self->data + at, len, (off_t)at) == (ssize_t)len;
  }
  tap_must(good, "%s can be written", name);
  close(fd);
  forget_changes(self);
}

void disk_restart(void) {
  char name[PATH_SIZE + 8];
  if (disk.power_out) {
    for (int i = 0; i < DISK_FILES; i++) {
      lose(&disk.files[i]);
      write_back(i);
    }
    snprintf(name, sizeof name, "%s-shm", disk.path);
    __real_unlink(name);
  }
  disk.power_out = disk.end_killed = disk.end_refused = false;
  memset(disk.dead, 0, sizeof disk.dead);
}

/* ---- a disk ---- */

void disk_install(void) { disk_register_vfs(); }

void disk_begin(const char *path) {
  disk_end();
  snprintf(disk.path, sizeof disk.path, "%s", path);
}

void disk_end(void) {
  for (int i = 0; i < DISK_FILES; i++) forget(&disk.files[i]);
  memset(&disk, 0, sizeof disk);
}

/* Without the holes: what is looked for has no zeros. */
static bool file_holds(int fd, const char *bytes, size_t len) {
  bool found = false;
  off_t size = lseek(fd, 0, SEEK_END), from = 0, to;
  if (size <= 0) return false;
  char *all = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
  tap_must(all != MAP_FAILED, "a file of the store can be read");
  for (; !found && (from = lseek(fd, from, SEEK_DATA)) >= 0; from = to) {
    to = lseek(fd, from, SEEK_HOLE);
    found = memmem(all + from, (size_t)(to - from), bytes, len) != NULL;
  }
  munmap(all, (size_t)size);
  return found;
}

bool disk_holds(const char *bytes, size_t len) {
  bool found = false;
  for (int i = 0; i < DISK_FILES && !found; i++) {
    char name[PATH_SIZE + 8];
    snprintf(name, sizeof name, "%s%s", disk.path, suffixes[i]);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    found = file_holds(fd, bytes, len);
    close(fd);
  }
  return found;
}
