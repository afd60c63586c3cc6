/* mark.c - the mark's bytes. */
#include "core/store/sqlite/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/digest.h"

enum {
  STATE_AT = 4,
  SALT_AT = 8,
  FRAMES_AT = 16,
  SUM_AT = 24,
  FIRST_SIZE = 32,
  MAGIC_2_AT = 32,
  BEGINS_AT = 36,
  ID_AT = 40,
  BEFORE_AT = 48,
  SUM_2_AT = 56,
  SUM_SIZE = 8
};

static const char magic[4] = {'c', 'k', 'm', '1'}, magic_2[4] = {'c', 'k', 'm', '2'};

static void put_u32(uint8_t *at, uint32_t number) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(number >> (24 - 8 * i));
}

static uint32_t get_u32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put_u64(uint8_t *at, uint64_t number) {
  put_u32(at, (uint32_t)(number >> 32));
  put_u32(at + 4, (uint32_t)number);
}

static uint64_t get_u64(const uint8_t *at) { return (uint64_t)get_u32(at) << 32 | get_u32(at + 4); }

/* Of all bytes before `at`, where it stands. */
static void put_sum(uint8_t *bytes, size_t at) {
  ck_digest sum = ck_digest_of((ck_bytes){(const char *)bytes, at});
  memcpy(bytes + at, sum.bytes, SUM_SIZE);
}

static bool has_sum(const uint8_t *bytes, size_t at) {
  ck_digest sum = ck_digest_of((ck_bytes){(const char *)bytes, at});
  return memcmp(bytes + at, sum.bytes, SUM_SIZE) == 0;
}

static void decode_second(ck_mark *mark, const uint8_t *bytes) {
  mark->begins = get_u32(bytes + BEGINS_AT) != 0;
  mark->id = get_u64(bytes + ID_AT);
  mark->before = get_u64(bytes + BEFORE_AT);
}

static ck_mark decode(const uint8_t *bytes, size_t len) {
  static const ck_mark none;
  ck_mark mark = {.state = (ck_mark_state)get_u32(bytes + STATE_AT),
                  .frames = get_u32(bytes + FRAMES_AT)};
  memcpy(mark.salt, bytes + SALT_AT, CK_SALT_SIZE);
  if (memcmp(bytes, magic, sizeof magic) != 0 || !has_sum(bytes, SUM_AT)) return none;
  if (len == CK_MARK_SIZE && memcmp(bytes + MAGIC_2_AT, magic_2, sizeof magic_2) == 0 &&
      has_sum(bytes, SUM_2_AT))
    decode_second(&mark, bytes);
  return mark.state <= (mark.id ? CK_MARK_BEGUN : CK_MARK_FOLDED) ? mark : none;
}

bool ck_mark_equal(const ck_mark *a, const ck_mark *b) {
  return a->state == b->state && a->frames == b->frames && a->id == b->id &&
         a->begins == b->begins && memcmp(a->salt, b->salt, CK_SALT_SIZE) == 0;
}

ck_mark ck_mark_read(int fd) { return ck_mark_recall(&(ck_mark_memory){0}, fd); }

ck_mark ck_mark_recall(ck_mark_memory *self, int fd) {
  uint8_t bytes[CK_MARK_SIZE];
  ssize_t len = pread(fd, bytes, sizeof bytes, 0);
  bool whole = len == (ssize_t)sizeof bytes;
  if (whole && self->mark.state && memcmp(bytes, self->bytes, sizeof bytes) == 0) return self->mark;
  ck_mark mark = {CK_MARK_NONE};
  if (len >= FIRST_SIZE) mark = decode(bytes, (size_t)len);
  *self = (ck_mark_memory){0};
  if (whole) memcpy(self->bytes, bytes, sizeof bytes);
  if (whole) self->mark = mark;
  return mark;
}

ck_mark ck_mark_read_path(const char *store_path) {
  char *path = NULL;
  ck_mark mark = {CK_MARK_NONE};
  if (asprintf(&path, "%s.lock", store_path) < 0) return mark;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0) mark = ck_mark_read(fd);
  if (fd >= 0) close(fd);
  free(path);
  return mark;
}

static void encode(uint8_t bytes[CK_MARK_SIZE], const ck_mark *mark) {
  memset(bytes, 0, CK_MARK_SIZE);
  memcpy(bytes, magic, sizeof magic);
  put_u32(bytes + STATE_AT, mark->state);
  memcpy(bytes + SALT_AT, mark->salt, CK_SALT_SIZE);
  put_u32(bytes + FRAMES_AT, mark->frames);
  put_sum(bytes, SUM_AT);
  memcpy(bytes + MAGIC_2_AT, magic_2, sizeof magic_2);
  put_u32(bytes + BEGINS_AT, mark->begins);
  put_u64(bytes + ID_AT, mark->id);
  put_u64(bytes + BEFORE_AT, mark->before);
  put_sum(bytes, SUM_2_AT);
}

static ck_status put(int fd, const uint8_t bytes[CK_MARK_SIZE], bool sync, ck_error *err) {
  errno = EIO;
  if (pwrite(fd, bytes, CK_MARK_SIZE, 0) == CK_MARK_SIZE && (!sync || fdatasync(fd) == 0))
    return CK_OK;
  return ck_error_set(err, errno == ENOSPC || errno == EDQUOT ? CK_E_FULL : CK_E_IO,
                      "cannot write the mark of the store's lock file: %s", strerror(errno));
}

ck_status ck_mark_write(int fd, const ck_mark *mark, bool sync, ck_error *err) {
  uint8_t bytes[CK_MARK_SIZE];
  encode(bytes, mark);
  return put(fd, bytes, sync, err);
}

ck_status ck_mark_renew(ck_mark_memory *self, int fd, const ck_mark *mark, ck_error *err) {
  *self = (ck_mark_memory){.mark = mark->id ? *mark : (ck_mark){CK_MARK_NONE}};
  encode(self->bytes, mark);
  return put(fd, self->bytes, false, err);
}
