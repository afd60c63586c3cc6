/* test_url.c - what a URL of PostgreSQL names, and that nothing that is told of it is a password.
 */
#include <stdio.h>
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
    {"postgres://h/d?ssl=true", "postgres://h/d?ssl=true", "postgres://h/d?ssl=true", "ckrun"},
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
    "postgres://u:" SECRET "@h/d?shcema=a",
    "postgres://u:" SECRET "@h/d?schema=a&sslmod=require",
    "postgres://u:" SECRET "@h/d?lease=3&margn=1",
    "postgres://u:" SECRET "@h/d?" SECRET "=1",
    "postgres://u:" SECRET "@h/d?lease=1&margin=0.6",
    "postgres://u:" SECRET "@[h/d",
    "postgres://u:" SECRET "@[h",
    "postgres://u:" SECRET,
    "postgres://u:" SECRET "/d",
    "postgres://u@h:" SECRET "/d?schema=a",
    "postgres://u@h:1,g:2" SECRET "?schema=a",
    "postgres://[::1]:" SECRET "/d",
};

static void test_names(void) {
  static const char *const near[][2] = {
      {"shcema=a", "no parameter 'shcema': did you mean 'schema'"},
      {"margn=1", "no parameter 'margn': did you mean 'margin'"},
      {"leas=3", "no parameter 'leas': did you mean 'lease'"},
      {"sslmod=x", "no parameter 'sslmod': did you mean 'sslmode'"}};
  for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
    char url[80];
    ck_postgres_url read;
    ck_error err = CK_ERROR_INIT;
    snprintf(url, sizeof url, "postgres://h/d?schema=a&%s", near[i][0]);
    tap_is_status(ck_postgres_url_read(&read, url, &err), CK_E_USAGE, &err, "%s", near[i][0]);
    tap_ok(strstr(err.text, near[i][1]), "is told with the nearest name: %s", err.text);
  }
}

/* A holder stops half a second before another may take its session, and a fifth of a longer lease.
 */
static void test_margin(void) {
  static const struct {
    const char *url;
    int64_t margin_ms;
  } of[] = {{"postgres://h/d?lease=1", 500},
            {"postgres://h/d?lease=2", 500},
            {"postgres://h/d?lease=3", 600},
            {"postgres://h/d", 3000},
            {"postgres://h/d?margin=0.2&lease=1", 200}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    ck_postgres_url read;
    ck_error err = CK_ERROR_INIT;
    tap_must(ck_postgres_url_read(&read, of[i].url, &err) == CK_OK, "%s", err.text);
    tap_is_int(read.margin_ms, of[i].margin_ms, "the margin of %s", of[i].url);
    ck_postgres_url_clear(&read);
  }
}

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
  test_names();
  test_margin();
  return tap_done();
}
