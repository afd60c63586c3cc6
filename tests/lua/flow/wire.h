/* wire.h - what a provider of the OpenAI chat shape demands of the messages that it is sent. */
#ifndef CK_TESTS_LUA_FLOW_WIRE_H
#define CK_TESTS_LUA_FLOW_WIRE_H

#include "core/model/conversation.h"

/* Each assistant message with calls is followed by one result for each, in their order, and a
 * result stands nowhere else; there is something to answer, and no turn is empty. */
bool wire_is_valid(const ck_conversation *conversation);
/* How many messages of the model are in it. */
size_t wire_turns(const ck_conversation *conversation);

#endif
