/* news.c - asks the backend, which has news or not. */
#include "core/store/news.h"

#include "core/store/store_core.h"

int ck_store_news(bool *found, ck_store *self) {
  *found = false;
  return self->backend.news ? self->backend.news(found, self->backend.self) : -1;
}
