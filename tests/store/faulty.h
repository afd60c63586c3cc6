/* faulty.h - an SQLite VFS beneath the store's that counts writes and syncs and fails them when
 * told to. */
#ifndef CK_TESTS_STORE_FAULTY_H
#define CK_TESTS_STORE_FAULTY_H

#include <stdbool.h>

typedef enum { FAULTY_DATABASE, FAULTY_WAL, FAULTY_FILES } faulty_file;

typedef struct faulty_counts {
  int writes, syncs;
} faulty_counts;

/* Makes it the default VFS; before the first store is opened. */
void faulty_install(void);
/* Since the last call. */
faulty_counts faulty_take(faulty_file file);
/* The next sync (or write) of this file answers `code`, as often as `times`. A failed sync leaves
 * what was written. */
void faulty_fail_sync(faulty_file file, int code, int times);
void faulty_fail_write(faulty_file file, int code, int times);
/* What happens right after the next sync of this file, once. */
void faulty_after_sync(faulty_file file, void (*call)(void *to), void *to);
/* How many failures were not asked for yet. */
int faulty_left(void);
void faulty_heal(void);

#endif
