/* power.h - an SQLite VFS that remembers what is written and synced, and makes what a disk may hold
 * after the power went.
 *
 * Its files are the database, its log, and the mark in its lock file. What was synced is there. Of
 * each write since, every sector of 512 bytes may have reached the disk or not, whatever happened
 * to the others: that covers writes lost, torn and out of order, in the database and in its log,
 * independently. */
#ifndef CK_TESTS_STORE_POWER_H
#define CK_TESTS_STORE_POWER_H

#include <stddef.h>
#include <stdint.h>

/* Makes it the default VFS; before the first store is opened. Nothing is synced for real: this test
 * needs no slow disk. */
void power_install(void);
/* From now on everything done to the store at `path` is remembered; what its files hold now counts
 * as synced. */
void power_record(const char *path);
/* How much is remembered: the power can go before each entry, 0 to this. */
size_t power_count(void);
void power_stop(void);
/* The first entry from `at` on in which the log starts again from its beginning; power_count() when
 * there is none. */
size_t power_find_restart(size_t at);
/* Writes the files of a store at `path` as they may be found when the power went before the entry
 * `at`. Images are asked for with `at` ascending. */
void power_make_image(const char *path, size_t at, uint64_t seed);
void power_clear(void);

#endif
