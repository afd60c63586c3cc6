/* mark.c - the mark's bytes. */
#include "core/store/sqlite/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/digest.h"

enum { STATE_AT = 4, SALT_AT = 8, FRAMES_AT = 16, SUM_AT = 24 };

static const char magic[4] = {'c', 'k', 'm', '1'};

static void put_u32(uint8_t *at, uint32_t number) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(number >> (24 - 8 * i));
}

static uint32_t get_u32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static ck_digest sum_of(const uint8_t *bytes) {
  return ck_digest_of((ck_bytes){(const char *)bytes, SUM_AT});
}

static ck_mark decode(const uint8_t *bytes) {
  ck_mark mark = {.state = (ck_mark_state)get_u32(bytes + STATE_AT),
                  .frames = get_u32(bytes + FRAMES_AT)};
  ck_digest sum = sum_of(bytes);
  memcpy(mark.salt, bytes + SALT_AT, CK_SALT_SIZE);
  bool sound = memcmp(bytes, magic, sizeof magic) == 0 && mark.state <= CK_MARK_FOLDED &&
               memcmp(bytes + SUM_AT, sum.bytes, CK_MARK_SIZE - SUM_AT) == 0;
  return sound ? mark : (ck_mark){CK_MARK_NONE, {0}, 0};
}

bool ck_mark_equal(const ck_mark *a, const ck_mark *b) {
  return a->state == b->state && a->frames == b->frames &&
         memcmp(a->salt, b->salt, CK_SALT_SIZE) == 0;
}

ck_mark ck_mark_read(int fd) {
  uint8_t bytes[CK_MARK_SIZE];
  bool whole = pread(fd, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes;
  return whole ? decode(bytes) : (ck_mark){CK_MARK_NONE, {0}, 0};
}

ck_mark ck_mark_read_path(const char *store_path) {
  char *path = NULL;
  ck_mark mark = {CK_MARK_NONE, {0}, 0};
  if (asprintf(&path, "%s.lock", store_path) < 0) return mark;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0) mark = ck_mark_read(fd);
  if (fd >= 0) close(fd);
  free(path);
  return mark;
}

ck_status ck_mark_write(int fd, const ck_mark *mark, bool sync, ck_error *err) {
  uint8_t bytes[CK_MARK_SIZE] = {0};
  memcpy(bytes, magic, sizeof magic);
  put_u32(bytes + STATE_AT, mark->state);
  memcpy(bytes + SALT_AT, mark->salt, CK_SALT_SIZE);
  put_u32(bytes + FRAMES_AT, mark->frames);
  ck_digest sum = sum_of(bytes);
  memcpy(bytes + SUM_AT, sum.bytes, CK_MARK_SIZE - SUM_AT);
  errno = EIO;
  if (pwrite(fd, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes && (!sync || fdatasync(fd) == 0))
    return CK_OK;
  return ck_error_set(err, errno == ENOSPC || errno == EDQUOT ? CK_E_FULL : CK_E_IO,
                      "cannot write the mark of the store's lock file: %s", strerror(errno));
}
