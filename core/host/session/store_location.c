/* store_location.c - locates the store: an option, the environment, or the user's state folder. */
#include "core/host/session/store_location.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/host/session/key_source.h"
#include "core/store/postgres/url.h"

static const char sqlite_scheme[] = "sqlite:";

static bool starts_with(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static bool ends_with(const char *text, const char *with) {
  size_t len = strlen(text), tail = strlen(with);
  return len >= tail && strcmp(text + len - tail, with) == 0;
}

/* RFC 3986: a letter, then letters, digits, "+-.", then the colon. */
static bool has_scheme(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
  return *text && strchr(letters, *text) && text[strspn(text, more)] == ':';
}

ck_status ck_store_location_check_file(const char **path, const char *text, ck_error *err) {
  *path = starts_with(text, sqlite_scheme) ? text + sizeof sqlite_scheme - 1 : text;
  if (strcmp(text, "memory:") == 0 || !**path || strcmp(*path, "-") == 0)
    return ck_error_set(err, CK_E_USAGE, "'%.200s' does not name a file", text);
  if (strcmp(*path, ":memory:") == 0) return ck_store_check_url("sqlite::memory:", err);
  return CK_OK;
}

static ck_status take_url(ck_buffer *url, const char *from, const char *text, ck_error *err) {
  bool known = strcmp(text, "memory:") == 0 ||
               (starts_with(text, sqlite_scheme) && text[sizeof sqlite_scheme - 1]);
  if (known) {
    ck_buffer_append_text(url, text);
    return ck_store_check_url(text, err);
  }
  if (ck_postgres_url_is(text)) {
    ck_buffer_append_text(url, text);
    return CK_OK;
  }
  bool path = !has_scheme(text) && (strchr(text, '/') || ends_with(text, ".db"));
  if (!path && *text && !has_scheme(text))
    return ck_error_set(
        err, CK_E_USAGE,
        "%s '%.200s': a store is sqlite:PATH, postgres://… or memory:, or a path: ./%.200s", from,
        text, text);
  if (!path && strchr(text, '@'))
    return ck_error_set(err, CK_E_USAGE,
                        "%s names no store (it is not repeated, it may hold a password): one is "
                        "sqlite:PATH, postgres://USER@HOST/DATABASE or memory:",
                        from);
  if (!path)
    return ck_error_set(err, CK_E_USAGE,
                        "%s '%.200s': a store is sqlite:PATH, postgres://… or memory:", from, text);
  ck_buffer_append_format(url, "%s%s", sqlite_scheme, text);
  return CK_OK;
}

static ck_status take_default(ck_buffer *url, ck_error *err) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  if (state && state[0] == '/')
    ck_buffer_append_format(url, "%s%s/ckrun/ckrun.db", sqlite_scheme, state);
  else if (home && home[0] == '/')
    ck_buffer_append_format(url, "%s%s/.local/state/ckrun/ckrun.db", sqlite_scheme, home);
  else
    return ck_error_set(err, CK_E_USAGE,
                        "no place for a store: give --store, or set CKRUN_STORE or HOME");
  return CK_OK;
}

/* Who reads JSON is told of a rollback, too. */
static void note(void *to, bool set_back, const char *text) {
  const ck_output *output = to;
  if (set_back && output->json)
    ck_log_line(CK_LOG_WARN, "%s", text);
  else
    ck_output_notice(to, "%s", text);
}

/* Root, by sudo, would leave files and folders there that their user cannot open. */
static bool is_of_another(const char *home) {
  struct stat found;
  return geteuid() == 0 && stat(home, &found) == 0 && found.st_uid != 0;
}

/* In the user's state folder; where there is none, beside the file of the key. */
static ck_status find_counters(ck_store_location *self, const ck_host *host, ck_error *err) {
  const char *given = getenv("CKRUN_COUNTERS"), *state = getenv("XDG_STATE_HOME"),
             *home = getenv("HOME");
  bool has_state = state && state[0] == '/', has_home = home && home[0] == '/';
  int len = 0;
  self->watch = (ck_store_watch){.note = note, .to = host->output};
  if (given && strcmp(given, "off") == 0) return CK_OK;
  if (given && *given && *given != '/')
    return ck_error_set(err, CK_E_USAGE,
                        "CKRUN_COUNTERS '%.200s': the whole path of a folder, or \"off\"", given);
  if (given && *given)
    len = asprintf(&self->counters, "%s", given);
  else if ((has_state || has_home) && is_of_another(has_state ? state : home))
    self->watch.why = "HOME is another user's";
  else if (has_state)
    len = asprintf(&self->counters, "%s/ckrun/counters", state);
  else if (has_home)
    len = asprintf(&self->counters, "%s/.local/state/ckrun/counters", home);
  else if (host->key && starts_with(host->key, "file:/"))
    len = asprintf(&self->counters, "%s.counters", host->key + strlen("file:"));
  else
    self->watch.why = "there is no HOME";
  if (len < 0) {
    self->counters = NULL;
    return ck_error_no_memory(err);
  }
  self->watch.folder = self->counters;
  return CK_OK;
}

/* ---- PostgreSQL ---- */

static ck_status hide(const ck_postgres_url *url, ck_redactor *redactor, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < CK_POSTGRES_SECRETS && url->secrets[i] && status == CK_OK; i++) {
    status =
        ck_redactor_add_secret(redactor, "store password", ck_bytes_text(url->secrets[i]), err);
    if (status == CK_E_RANGE) status = CK_OK; /* too short to be told from other text */
  }
  return status;
}

/* A program that this one starts is given the name in --store, and inherits the variable. */
static ck_status take_password(ck_store_location *out, const ck_postgres_url *given,
                               ck_redactor *redactor, ck_error *err) {
  const char *environment = getenv("CKRUN_STORE");
  ck_postgres_url other;
  if (!environment || !ck_postgres_url_is(environment)) return CK_OK;
  ck_status status = ck_postgres_url_read(&other, environment, err);
  if (status != CK_OK) return status;
  if (strcmp(other.name, given->name) == 0) {
    status = hide(&other, redactor, err);
    if (status == CK_OK) status = ck_text_replace(&out->opens, environment, err);
  }
  ck_postgres_url_clear(&other);
  return status;
}

static ck_status find_server(ck_store_location *out, const ck_host *host, const char *name,
                             bool given, ck_error *err) {
  ck_postgres_url url;
  ck_redactor *redactor = host->output->redactor;
  ck_status status = ck_postgres_url_read(&url, out->opens, err);
  if (status != CK_OK) return status;
  if (given && url.secrets[0])
    status = ck_error_set(err, CK_E_USAGE,
                          "%s: a password in it is seen by everybody on this machine: put the "
                          "URL into $CKRUN_STORE, or the password into $PGPASSWORD or ~/.pgpass",
                          name);
  else if (given)
    status = take_password(out, &url, redactor, err);
  else
    status = hide(&url, redactor, err);
  if (status == CK_OK) status = ck_text_replace(&out->url, url.name, err);
  ck_postgres_url_clear(&url);
  return status;
}

/* A password of the connection's that is no part of the URL is none the less a secret. */
static ck_status hide_variable(ck_redactor *redactor, ck_error *err) {
  const char *password = getenv("PGPASSWORD");
  if (!password || !*password) return CK_OK;
  ck_status status =
      ck_redactor_add_secret(redactor, "store password", ck_bytes_text(password), err);
  return status == CK_E_RANGE ? CK_OK : status;
}

/* `given` NULL: what the environment says. */
static ck_status find_url(ck_store_location *out, const ck_host *host, const char *name,
                          const char *given, ck_error *err) {
  const char *environment = getenv("CKRUN_STORE");
  ck_buffer url = {0};
  ck_status status;
  if (given)
    status = take_url(&url, name, given, err);
  else if (environment && *environment)
    status = take_url(&url, "CKRUN_STORE", environment, err);
  else {
    out->assumed = true;
    status = take_default(&url, err);
  }
  if (status == CK_OK) status = ck_buffer_check(&url, err);
  if (status == CK_OK) out->opens = ck_buffer_take(&url);
  ck_buffer_clear(&url);
  if (status != CK_OK) return status;
  if (!ck_postgres_url_is(out->opens)) return ck_text_copy(&out->url, out->opens, err);
  status = find_server(out, host, name, given != NULL, err);
  return status == CK_OK ? hide_variable(host->output->redactor, err) : status;
}

ck_status ck_store_location_find_at(ck_store_location *out, const ck_host *host, const char *name,
                                    const char *url, ck_error *err) {
  *out = (ck_store_location){.key_ref = host->key};
  ck_status status = find_url(out, host, name, url, err);
  if (status == CK_OK) status = find_counters(out, host, err);
  if (status == CK_OK && host->key)
    status = ck_key_source_read(&out->key, host->key, host->output->redactor, err);
  return status;
}

ck_status ck_store_location_find(ck_store_location *out, const ck_host *host, ck_error *err) {
  return ck_store_location_find_at(out, host, "--store", host->store, err);
}

void ck_store_location_clear(ck_store_location *self) {
  ck_key_free(self->key);
  free(self->counters);
  if (self->opens) explicit_bzero(self->opens, strlen(self->opens));
  free(self->opens);
  free(self->url);
  *self = (ck_store_location){0};
}

ck_status ck_store_location_make_parents(const ck_store_location *self, ck_error *err) {
  if (!starts_with(self->url, sqlite_scheme)) return CK_OK;
  char *path = strdup(self->url + sizeof sqlite_scheme - 1);
  if (!path) return ck_error_no_memory(err);
  ck_status status = CK_OK;
  for (char *slash = strchr(path + 1, '/'); slash && status == CK_OK;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
      ck_status kind = errno == EROFS || errno == EACCES ? CK_E_READ_ONLY
                       : errno == ENOSPC                 ? CK_E_FULL
                                                         : CK_E_IO;
      status = ck_error_set(err, kind, "%s: the folder cannot be made: %s", path, strerror(errno));
    }
    *slash = '/';
  }
  free(path);
  return status;
}

ck_status ck_store_location_open_store(ck_store **out, const ck_store_location *self,
                                       ck_error *err) {
  ck_store_options options = {.read_only = true, .key = self->key, .watch = &self->watch};
  return ck_store_open(out, self->opens, &options, err);
}
