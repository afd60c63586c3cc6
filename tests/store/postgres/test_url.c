/* test_url.c - what a URL of PostgreSQL names, and that nothing that is told of it is a password.
 */
#include <string.h>

#include "core/store/postgres/url.h"
#include "tests/tap.h"

#define SECRET "s3cret-Zq"

static const struct {
  const char *url, *name, *conninfo, *schema;
} good[] = {
    {"postgres://h/d", "postgres://h/d", "postgres://h/d", "ckrun"},
    {"postgresql://u@h:1/d", "postgres://u@h:1/d", "postgresql://u@h:1/d", "ckrun"},
    {"postgres://u:" SECRET "@h/d?schema=a_1", "postgres://u@h/d?schema=a_1",
     "postgres://u:" SECRET "@h/d", "a_1"},
    {"postgres://u:" SECRET "?x@h/d", "postgres://u@h/d", "postgres://u:" SECRET "?x@h/d", "ckrun"},
    {"postgres://u@h/d?password=" SECRET "&schema=b&sslmode=require",
     "postgres://u@h/d?schema=b&sslmode=require",
     "postgres://u@h/d?password=" SECRET "&sslmode=require", "b"},
    {"postgres://u@h/d?sslmode=prefer&lease=2&sslpassword=" SECRET,
     "postgres://u@h/d?sslmode=prefer&lease=2",
     "postgres://u@h/d?sslmode=prefer&sslpassword=" SECRET, "ckrun"},
    {"postgres://u@[::1]:1,h:2,g/d", "postgres://u@[::1]:1,h:2,g/d", "postgres://u@[::1]:1,h:2,g/d",
     "ckrun"},
    {"postgres://h:/d", "postgres://h:/d", "postgres://h:/d", "ckrun"},
    {"postgres:///d?host=/run/pg&user=u", "postgres:///d?host=/run/pg&user=u",
     "postgres:///d?host=/run/pg&user=u", "ckrun"},
};

static const char *const bad[] = {
    "postgres://u:" SECRET "@x@h/d",
    "postgres://u:a/" SECRET "@h/d",
    "postgres://u:a/?" SECRET "@h/d",
    "postgres://u:%zz" SECRET "@h/d",
    "postgres://u:" SECRET "@h/d?none=" SECRET,
    "postgres://u:" SECRET "@h/d?" SECRET,
    "postgres://u:" SECRET "@h/d?schema=a-b",
    "postgres://u:" SECRET "@h/d?schema=1a",
    "postgres://u:" SECRET "@h/d?schema=pg_temp",
    "postgres://u:" SECRET "@h/d?lease=0.5",
    "postgres://u:" SECRET "@h/d?lease=soon",
    "postgres://u:" SECRET "@[h/d",
    "postgres://u:" SECRET "@[h",
    "postgres://u:" SECRET,
    "postgres://u:" SECRET "/d",
    "postgres://u@h:" SECRET "/d?schema=a",
    "postgres://u@h:1,g:2" SECRET "?schema=a",
    "postgres://[::1]:" SECRET "/d",
};

int main(void) {
  ck_postgres_url read;
  ck_error err = CK_ERROR_INIT;
  tap_ok(!ck_postgres_url_is("sqlite:postgres://h/d") && !ck_postgres_url_is("postgres:h"),
         "other URLs are none of PostgreSQL");
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    if (!tap_is_status(ck_postgres_url_read(&read, good[i].url, &err), CK_OK, &err, "%s",
                       good[i].name))
      continue;
    bool secret = strstr(good[i].url, SECRET);
    tap_is_text(read.name, good[i].name, "is told so");
    tap_is_text(read.conninfo, good[i].conninfo, "opened so");
    tap_is_text(read.schema, good[i].schema, "in this schema");
    tap_ok(secret ? read.secrets[0] && strstr(read.secrets[0], SECRET) : !read.secrets[0],
           "and its password is known as one");
    ck_postgres_url_clear(&read);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    tap_is_status(ck_postgres_url_read(&read, bad[i], &err), CK_E_USAGE, &err, "mistake %zu", i);
    tap_ok(!strstr(err.text, SECRET), "whose account has no password: %s", err.text);
  }
  return tap_done();
}
