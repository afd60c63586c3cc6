/* test_name_set.c - a set of names knows each that it was given and no other, and takes little room
 * for each. */
#include <stdio.h>

#include "core/base/name_set.h"
#include "tests/tap.h"

enum { NAMES = 20000, BYTES = 37 /* for each, at most */ };

static int add_all(ck_name_set *self, const char *form, bool want) {
  char name[80];
  int wrong = 0;
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < NAMES; i++) {
    bool fresh;
    snprintf(name, sizeof name, form, i);
    tap_must(ck_name_set_add(&fresh, self, name, &err) == CK_OK, "%s", err.text);
    wrong += fresh != want;
    wrong += self->count > 64 && self->cap * sizeof *self->marks > BYTES * self->count;
  }
  return wrong;
}

int main(void) {
  ck_name_set self = {0};
  bool fresh;
  tap_is_int(add_all(&self, "step#%d", true), 0, "names are new the first time");
  tap_is_int(add_all(&self, "step#%d", false), 0, "and known the second");
  tap_is_int(add_all(&self, "step#%d/a name that is longer than others, by far", true), 0,
             "others are new");
  tap_ok(ck_name_set_add(&fresh, &self, "", NULL) == CK_OK && fresh, "so is one without a letter");
  tap_is_int((int64_t)self.count, 2 * NAMES + 1, "each is there once");
  tap_ok(self.cap * sizeof *self.marks <= BYTES * self.count, "in %zu bytes each",
         self.cap * sizeof *self.marks / self.count);
  ck_name_set_clear(&self);
  return tap_done();
}
