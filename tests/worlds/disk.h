/* disk.h - the disk under a simulated world: a VFS for SQLite and the C library's calls for files,
 * which crash, fail, and lose what was not synced.
 *
 * The files of one store are real ones, in a folder of the test; beside each lies, in memory, what
 * the disk is sure to hold. A process that has crashed writes nothing any more: every call of it
 * fails. What other processes do is not affected, unless the power went. */
#ifndef CK_TESTS_WORLDS_DISK_H
#define CK_TESTS_WORLDS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often calls go wrong, of 1,000. */
typedef struct disk_weather {
  uint32_t crashes, power, faults;
} disk_weather;

/* X(enumerator, name): what happened, counted */
/* clang-format off */
#define DISK_EVENT_TABLE(X) \
  X(DISK_WRITES, "writes") \
  X(DISK_SYNCS, "syncs") \
  X(DISK_KILLS, "kills") \
  X(DISK_POWER_CUTS, "power cuts") \
  X(DISK_FULL, "writes refused: full") \
  X(DISK_ERRORS, "writes failed") \
  X(DISK_SYNC_ERRORS, "syncs failed") \
  X(DISK_DOOMED, "writes lost by a failed sync") \
  X(DISK_TORN, "writes torn") \
  X(DISK_LOST, "writes lost with the power")
/* clang-format on */
typedef enum {
#define X(name, text) name,
  DISK_EVENT_TABLE(X)
#undef X
      DISK_EVENTS
} disk_event;

/* Registers the VFS; once, before the first store is opened. */
void disk_install(void);
/* A disk without files, for a store at `path`, and all processes alive. */
void disk_begin(const char *path);
void disk_end(void);
void disk_set_weather(const disk_weather *weather);
/* A process writes no more, as after SIGKILL. */
void disk_kill(int process);
void disk_cut_power(void);
bool disk_is_dead(int process);
/* The power went: every process is dead, and disk_restart decides what is left. */
bool disk_power_is_out(void);
/* Behind the end of all processes that crashed: their numbers can be used again. After a power cut
 * the files become what the disk kept. */
void disk_restart(void);
/* Since the program began, by disk_event. */
const uint64_t *disk_counts(void);
/* Somebody removes a file, whatever the disk is like. */
void disk_remove(const char *path);
/* How many calls have failed though nobody died. */
uint64_t disk_faults(void);
/* True when the bytes are anywhere in the store's files. */
bool disk_holds(const char *bytes, size_t len);

#endif
