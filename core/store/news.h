/* news.h - being woken when another process gives a session back, where the store can tell; whoever
 * waits asks the store now and then all the same. */
#ifndef CK_STORE_NEWS_H
#define CK_STORE_NEWS_H

#include "core/store/store.h"

/* *found: a session may have been given back since the last call, by any process. A descriptor that
 * can be read once there is more; the store's own. -1: the store tells none, or cannot be reached
 * for now: ask again later. For one thread. */
int ck_store_news(bool *found, ck_store *self);

#endif
