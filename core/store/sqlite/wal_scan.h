/* wal_scan.h - reads a write-ahead log by its documented format, without SQLite: which round it is,
 * and how many of its frames hold. Private to core/store/sqlite/.
 *
 * https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
#ifndef CK_STORE_SQLITE_WAL_SCAN_H
#define CK_STORE_SQLITE_WAL_SCAN_H

#include "core/store/sqlite/mark.h"

/* NO_FILE: or one that cannot be read. ABSENT: an empty one. EMPTY: no header of a log (zeros, as
 * after a fold). DAMAGED: a header that was written and whose checksum differs. */
typedef enum {
  CK_WAL_NO_FILE,
  CK_WAL_ABSENT,
  CK_WAL_EMPTY,
  CK_WAL_DAMAGED,
  CK_WAL_HEADED
} ck_wal_state;

typedef struct ck_wal_head {
  ck_wal_state state;
  uint8_t salt[CK_SALT_SIZE]; /* of CK_WAL_HEADED */
  uint32_t page;              /* bytes */
  bool big_endian;            /* words of the checksums */
  uint32_t sum[2];
} ck_wal_head;

ck_wal_head ck_wal_read_head(const char *wal_path);
/* No file, or an empty one. */
bool ck_wal_is_absent(const ck_wal_head *head);

/* A frame as it stands in the file. */
typedef struct ck_wal_frame {
  uint32_t no; /* from 1 */
  uint32_t page_no;
  uint32_t pages; /* of the database after the transaction that this frame ends; 0: it does not */
  bool holds;     /* its checksum and that of every frame before it are those of its bytes */
  bool mended;    /* it holds with one bit set right */
  const uint8_t *page;
} ck_wal_frame;

/* Frames up to number `promised` are visited whether they hold or not; where the first of them
 * fails, the one bit is looked for with which it holds (0.1 s; 64 bits of checksum leave no chance
 * for a wrong one). Behind them follow those of the log's salt. */
typedef struct ck_wal_scan_options {
  uint32_t promised;
  uint32_t last; /* none behind this number; 0: all */
} ck_wal_scan_options;
/* The frames in order; a log without a header has none. Borrowed for the call. CK_E_IO,
 * CK_E_NO_MEMORY. */
typedef void (*ck_wal_visit)(void *to, const ck_wal_frame *frame);
CK_CHECKED ck_status ck_wal_scan(const char *wal_path, const ck_wal_head *head,
                                 const ck_wal_scan_options *options, ck_wal_visit visit, void *to,
                                 ck_error *err);
/* A damaged header with one bit set right, if that gives it `salt`; false: it is not so. */
bool ck_wal_mend_head(ck_wal_head *out, const char *wal_path, const uint8_t salt[CK_SALT_SIZE]);

#endif
