/* json_texts.h - goes over the texts and whole numbers of JSON without making anything of it. */
#ifndef CK_LUA_VM_JSON_TEXTS_H
#define CK_LUA_VM_JSON_TEXTS_H

#include "lua/vm/vm.h"

/* `label`: the name of the member that it is the value of, or in a list of; no bytes: none. A text
 * is decoded; valid during the call. */
typedef struct ck_json_texts {
  bool (*wants)(void *self, ck_bytes label, ck_bytes text, bool number);
  void *self;
} ck_json_texts;
/* Whether one of them is wanted; true also where that cannot be told without reading all of it.
 * `wants` may raise. Uses ck_vm_scratch. */
bool ck_json_texts_any(const ck_json_texts *of, lua_State *L, ck_bytes json, ck_bytes label);

#endif
