/* message_blocks.c - packs messages, each behind its length, and makes them again. */
#include "core/model/message_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

enum { BLOCK_BYTES = 512 * 1024 }; /* at least, unpacked: what repeats lies within */

struct ck_message_block {
  size_t count; /* messages */
  size_t plain; /* bytes, unpacked */
  size_t len;
  char *bytes;
};

void ck_message_blocks_clear(ck_message_blocks *self) {
  ck_message_blocks_cut(self, 0);
  free(self->list);
  *self = (ck_message_blocks){0};
}

void ck_message_blocks_cut(ck_message_blocks *self, size_t count) {
  while (self->messages > count) {
    struct ck_message_block *last = &self->list[--self->count];
    self->messages -= last->count;
    free(last->bytes);
  }
}

/* `space` holds as much as `plain`: what is kept is allocated at its own length. */
static bool add_block(ck_message_blocks *self, char *space, ck_bytes plain, size_t count) {
  struct ck_message_block *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return false;
  self->list = list;
  size_t len = self->packer->pack(space, plain);
  char *bytes = len ? malloc(len) : NULL;
  if (!bytes) return false;
  memcpy(bytes, space, len);
  self->list[self->count++] = (struct ck_message_block){count, plain.len, len, bytes};
  self->messages += count;
  return true;
}

static bool pack(ck_message_blocks *self, ck_buffer *plain, size_t count) {
  char *space = plain->failed ? NULL : malloc(plain->len);
  bool packed = space && add_block(self, space, ck_buffer_bytes(plain), count);
  free(space);
  ck_buffer_reset(plain);
  return packed;
}

bool ck_message_blocks_add(ck_message_blocks *self, const ck_kept_message *messages, size_t until) {
  ck_buffer plain = {0};
  bool packed = true;
  size_t first = self->messages;
  for (size_t i = first; i < until && packed; i++) {
    ck_bytes message = ck_value_bytes(messages[i].stored);
    ck_buffer_append(&plain, (const char *)&message.len, sizeof message.len);
    ck_buffer_append_bytes(&plain, message);
    if (plain.len >= BLOCK_BYTES || plain.failed)
      packed = pack(self, &plain, i + 1 - self->messages);
  }
  ck_buffer_clear(&plain);
  return packed && self->messages > first;
}

static ck_status restore_block(const struct ck_message_block *block, const ck_packer *packer,
                               ck_kept_message *messages, ck_error *err) {
  char *plain = malloc(block->plain), *at = plain;
  if (!plain) return ck_error_no_memory(err);
  ck_status status = packer->unpack(plain, block->plain, (ck_bytes){block->bytes, block->len}, err);
  for (size_t i = 0; i < block->count && status == CK_OK; i++) {
    size_t len;
    memcpy(&len, at, sizeof len);
    at += sizeof len;
    if (!messages[i].stored) status = ck_value_copy(&messages[i].stored, (ck_bytes){at, len}, err);
    at += len;
  }
  free(plain);
  return status;
}

ck_status ck_message_blocks_restore(const ck_message_blocks *self, ck_kept_message *messages,
                                    ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->count && status == CK_OK; i++) {
    status = restore_block(&self->list[i], self->packer, messages, err);
    messages += self->list[i].count;
  }
  return status;
}
