/* disk_private.h - what the disk's two sides share: contents, and the calls that change them. */
#ifndef CK_TESTS_WORLDS_DISK_PRIVATE_H
#define CK_TESTS_WORLDS_DISK_PRIVATE_H

#include <sys/types.h>

#include "tests/worlds/disk.h"

enum { DISK_DATABASE, DISK_WAL, DISK_LOCK, DISK_DRAFT, DISK_FILES, DISK_SECTOR = 512 };

/* Which file of the store this is; -1: none of those that are remembered. */
int disk_file_of(const char *name);
/* The path of the world's store. */
const char *disk_path(void);

/* Before a call that changes something: may other threads, a crash or a fault come in between? */
typedef enum { DISK_GO, DISK_DEAD, DISK_TEARS, DISK_NO_ROOM, DISK_BROKEN } disk_leave;
disk_leave disk_ask(size_t len);
disk_leave disk_ask_sync(void);
/* Before a write of what the database says of its use (core/store/sqlite/binding.h): a place where
 * little is left to chance. `ends`: it says that the use has ended. */
disk_leave disk_ask_sign(bool ends);
/* Of a write that tears: how much of it is there. */
size_t disk_torn_len(size_t len);

void disk_note_write(int file, int64_t offset, const void *data, size_t len);
void disk_note_cut(int file, int64_t size);
void disk_note_sync(int file);
/* The header of a log that begins was synced, and nothing of the log yet. */
void disk_note_begun(void);
void disk_note_failed_sync(int file);
void disk_note_rename(int from, int to);
void disk_note_removed(int file);

/* The C library's own. */
ssize_t __real_pwrite(int fd, const void *data, size_t len, off_t offset);
int __real_ftruncate(int fd, off_t size);
int __real_unlink(const char *path);

/* disk_vfs.c */
void disk_register_vfs(void);

#endif
