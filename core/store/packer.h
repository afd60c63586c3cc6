/* packer.h - packs bytes that stay in this process, as the store compresses what it writes. */
#ifndef CK_STORE_PACKER_H
#define CK_STORE_PACKER_H

#include "core/model/conversation.h"

extern const ck_packer ck_store_packer;

#endif
