/* mark.h - what PATH.lock says about the write-ahead log: how much of it is known to be on disk, or
 * that all of it is in the database. Private to core/store/sqlite/.
 *
 * 64 bytes at the beginning of the file, written under the store's lock: "ckm1", the state, the
 * log's salt as its header has it, the number of frames, zeros, and 8 bytes of a BLAKE2b-256 over
 * these; then "ckm2", whether the use begins, its number and that of the use before, and 8 bytes of
 * a BLAKE2b-256 over all before. An older ckrun writes and reads the first 32 alone. */
#ifndef CK_STORE_SQLITE_MARK_H
#define CK_STORE_SQLITE_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

enum { CK_MARK_SIZE = 64, CK_SALT_SIZE = 8 };

/* NONE: there is no mark, or its checksum differs. LIVE: `frames` of the log with this salt were
 * synced. FOLDED: everything of the log with this salt is in the database and synced. BEGUN: the
 * same of the log before, and nothing of the present one is known to be synced. */
typedef enum { CK_MARK_NONE, CK_MARK_LIVE, CK_MARK_FOLDED, CK_MARK_BEGUN } ck_mark_state;

typedef struct ck_mark {
  ck_mark_state state;
  uint8_t salt[CK_SALT_SIZE];
  uint32_t frames;
  uint64_t id;     /* of the use (binding.h); 0: the mark is of an older ckrun */
  uint64_t before; /* of the use before */
  bool begins;     /* the database may still say `before` */
} ck_mark;

/* The bytes that were read or written last, and what they say: while the file has the same ones,
 * their checksums are not computed again. Zero-initialise. */
typedef struct ck_mark_memory {
  uint8_t bytes[CK_MARK_SIZE];
  ck_mark mark; /* NONE: nothing is remembered */
} ck_mark_memory;

bool ck_mark_equal(const ck_mark *a, const ck_mark *b);
/* `fd`: PATH.lock. A file that cannot be read has no mark. */
ck_mark ck_mark_read(int fd);
/* The same of a store that was not locked; no file: no mark. */
ck_mark ck_mark_read_path(const char *store_path);
/* `sync`: it is on disk afterwards. CK_E_FULL, CK_E_IO. */
CK_CHECKED ck_status ck_mark_write(int fd, const ck_mark *mark, bool sync, ck_error *err);

/* The same for each commit: reads, and writes without a sync. */
ck_mark ck_mark_recall(ck_mark_memory *self, int fd);
CK_CHECKED ck_status ck_mark_renew(ck_mark_memory *self, int fd, const ck_mark *mark,
                                   ck_error *err);

#endif
