/* wal_scan.c - the frames of a write-ahead log and their running checksum. */
#include "core/store/sqlite/wal_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  HEADER = 32,
  FRAME_HEADER = 24,
  SUMMED = 8, /* bytes of a frame's header that its checksum covers; the salt follows */
  SUM_AT = 16,
  MAGIC = 0x377f0682,
  PAGE_MIN = 512,
  PAGE_MAX = 65536
};

static uint32_t read_u32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t read_word(const uint8_t *at, bool big_endian) {
  if (big_endian) return read_u32(at);
  return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static void add(uint32_t sum[2], const uint8_t *data, size_t len, bool big_endian) {
  for (size_t at = 0; at + 8 <= len; at += 8) {
    sum[0] += read_word(data + at, big_endian) + sum[1];
    sum[1] += read_word(data + at + 4, big_endian) + sum[0];
  }
}

static bool is_page_size(uint32_t size) {
  return size >= PAGE_MIN && size <= PAGE_MAX && (size & (size - 1)) == 0;
}

static ck_wal_head decode(const uint8_t *bytes) {
  ck_wal_head head = {.state = CK_WAL_DAMAGED, .page = read_u32(bytes + 8)};
  static const uint8_t zeros[HEADER];
  if (memcmp(bytes, zeros, HEADER) == 0) head.state = CK_WAL_EMPTY;
  if ((read_u32(bytes) & ~1u) != MAGIC || !is_page_size(head.page)) return head;
  head.big_endian = read_u32(bytes) & 1;
  add(head.sum, bytes, HEADER - 8, head.big_endian);
  if (head.sum[0] != read_u32(bytes + 24) || head.sum[1] != read_u32(bytes + 28)) return head;
  head.state = CK_WAL_HEADED;
  memcpy(head.salt, bytes + 16, CK_SALT_SIZE);
  return head;
}

static bool read_header(uint8_t bytes[HEADER], ssize_t *len, const char *wal_path) {
  int fd = open(wal_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  *len = pread(fd, bytes, HEADER, 0);
  close(fd);
  return *len >= 0;
}

bool ck_wal_is_absent(const ck_wal_head *head) { return head->state <= CK_WAL_ABSENT; }

ck_wal_head ck_wal_read_head(const char *wal_path) {
  uint8_t bytes[HEADER];
  ssize_t len;
  if (!read_header(bytes, &len, wal_path)) return (ck_wal_head){.state = CK_WAL_NO_FILE};
  if (len == 0) return (ck_wal_head){.state = CK_WAL_ABSENT};
  return len == HEADER ? decode(bytes) : (ck_wal_head){.state = CK_WAL_EMPTY};
}

bool ck_wal_mend_head(ck_wal_head *out, const char *wal_path, const uint8_t salt[CK_SALT_SIZE]) {
  uint8_t bytes[HEADER];
  ssize_t len;
  if (!read_header(bytes, &len, wal_path) || len != HEADER) return false;
  for (size_t bit = 0; bit < HEADER * 8; bit++) {
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    *out = decode(bytes);
    if (out->state == CK_WAL_HEADED && memcmp(out->salt, salt, CK_SALT_SIZE) == 0) return true;
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  return false;
}

/* ---- frames ---- */

typedef struct scanner {
  const ck_wal_head *head;
  uint8_t *bytes;   /* of one frame */
  uint32_t sum[2];  /* of all frames before it */
  uint32_t next[2]; /* and of it */
} scanner;

/* Of the frame in `bytes`. */
static bool holds(scanner *self) {
  const ck_wal_head *head = self->head;
  memcpy(self->next, self->sum, sizeof self->sum);
  add(self->next, self->bytes, SUMMED, head->big_endian);
  add(self->next, self->bytes + FRAME_HEADER, head->page, head->big_endian);
  return memcmp(self->bytes + SUMMED, head->salt, CK_SALT_SIZE) == 0 &&
         read_u32(self->bytes) != 0 && self->next[0] == read_u32(self->bytes + SUM_AT) &&
         self->next[1] == read_u32(self->bytes + SUM_AT + 4);
}

static bool mend(scanner *self) {
  size_t bits = (FRAME_HEADER + (size_t)self->head->page) * 8;
  for (size_t bit = 0; bit < bits; bit++) {
    self->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    if (holds(self)) return true;
    self->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  return false;
}

static void check_frame(ck_wal_frame *frame, scanner *self, bool may_mend) {
  bool sound = frame->holds && holds(self);
  frame->mended = frame->holds && !sound && may_mend && mend(self);
  frame->holds = sound || frame->mended;
  frame->page_no = read_u32(self->bytes);
  frame->pages = read_u32(self->bytes + 4);
  frame->page = self->bytes + FRAME_HEADER;
  memcpy(self->sum, self->next, sizeof self->sum);
}

static ck_status scan(int fd, scanner *self, const ck_wal_scan_options *options, ck_wal_visit visit,
                      void *to) {
  size_t size = FRAME_HEADER + self->head->page;
  ck_wal_frame frame = {.holds = true};
  for (uint32_t no = 1; options->last == 0 || no <= options->last; no++) {
    bool promised = no <= options->promised;
    ssize_t len = pread(fd, self->bytes, size, HEADER + (off_t)(no - 1) * (off_t)size);
    if (len < 0) return CK_E_IO;
    bool same = memcmp(self->bytes + SUMMED, self->head->salt, CK_SALT_SIZE) == 0;
    if ((size_t)len < size || !(same || promised)) break;
    frame.no = no;
    check_frame(&frame, self, promised);
    visit(to, &frame);
  }
  return CK_OK;
}

ck_status ck_wal_scan(const char *wal_path, const ck_wal_head *head,
                      const ck_wal_scan_options *options, ck_wal_visit visit, void *to,
                      ck_error *err) {
  if (head->state != CK_WAL_HEADED) return CK_OK;
  scanner self = {.head = head, .sum = {head->sum[0], head->sum[1]}};
  int fd = open(wal_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  self.bytes = fd >= 0 ? malloc(FRAME_HEADER + (size_t)head->page) : NULL;
  ck_status status = self.bytes ? scan(fd, &self, options, visit, to) : CK_E_IO;
  if (status != CK_OK)
    status = ck_error_set(err, status, "cannot read %s: %s", wal_path, strerror(errno));
  free(self.bytes);
  if (fd >= 0) close(fd);
  return status;
}
