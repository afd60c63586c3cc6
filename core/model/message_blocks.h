/* message_blocks.h - the older messages of a conversation, packed in blocks: what is not looked at
 * takes a fraction of its size. Private to conversation.c. */
#ifndef CK_MODEL_MESSAGE_BLOCKS_H
#define CK_MODEL_MESSAGE_BLOCKS_H

#include "core/model/conversation.h"

typedef struct ck_kept_message {
  ck_value *stored; /* NULL: in a block alone */
  ck_value *seen;   /* by models; NULL: as it is stored */
} ck_kept_message;

/* The first `messages` messages, in order. Blocks are not changed. Zero-initialise. */
typedef struct ck_message_blocks {
  struct ck_message_block *list;
  size_t count, cap;
  size_t messages;
  const ck_packer *packer; /* of all of them */
} ck_message_blocks;

void ck_message_blocks_clear(ck_message_blocks *self);
/* Forgets blocks that hold more than the first `count` messages. */
void ck_message_blocks_cut(ck_message_blocks *self, size_t count);
/* Packs further messages, all before `until` but for the few that no block is worth; their values
 * stay the caller's. False: they take no less room, or there is none to pack them. */
bool ck_message_blocks_add(ck_message_blocks *self, const ck_kept_message *messages, size_t until);
/* Makes each value again that is NULL. On failure some may still be. */
CK_CHECKED ck_status ck_message_blocks_restore(const ck_message_blocks *self,
                                               ck_kept_message *messages, ck_error *err);

#endif
