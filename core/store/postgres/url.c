/* url.c - reads a store's URL through libpq; schema, lease and margin are ours, and taken out
 * before. */
#include "core/store/postgres/url.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/suggest.h"
#include "core/store/postgres/libpq.h"

enum {
  LEASE_MS = 15000,
  LEASE_LEAST_MS = 1000,
  LEASE_MOST_MS = 3600000,
  MARGIN_LEAST_MS = 100,
  MARGIN_PART = 5, /* of the lease, where the URL does not say; and that at least: */
  MARGIN_USUAL_MS = 500
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static ck_status take_schema(ck_postgres_url *out, ck_bytes value, ck_error *err) {
  bool fits = value.len > 0 && value.len < sizeof out->schema;
  if (fits) {
    memcpy(out->schema, value.data, value.len);
    out->schema[value.len] = '\0';
    fits = strchr(letters, *out->schema) && strspn(out->schema, more) == value.len &&
           strncmp(out->schema, "pg_", 3) != 0;
  }
  if (fits) return CK_OK;
  return ck_error_set(
      err, CK_E_USAGE,
      "the store's URL: schema '%.*s': letters, digits and '_' name a schema, 63 at "
      "most, no digit first, not pg_",
      (int)(value.len < 80 ? value.len : 80), value.data);
}

static bool read_seconds(int64_t *ms, ck_bytes value, int64_t least_ms, int64_t most_ms) {
  char text[16] = "", *end = text;
  if (value.len < sizeof text) memcpy(text, value.data, value.len);
  double seconds = strtod(text, &end);
  bool number = end != text && *end == '\0' && seconds * 1000 >= (double)least_ms &&
                seconds * 1000 <= (double)most_ms;
  if (number) *ms = (int64_t)(seconds * 1000);
  return number;
}

static ck_status take_lease(ck_postgres_url *out, ck_bytes value, ck_error *err) {
  if (read_seconds(&out->lease_ms, value, LEASE_LEAST_MS, LEASE_MOST_MS)) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "the store's URL: lease '%.*s': seconds, from 1 to 3600, for which a session "
                      "stays with its process when nothing is heard of it",
                      (int)(value.len < 80 ? value.len : 80), value.data);
}

static ck_status take_margin(ck_postgres_url *out, ck_bytes value, ck_error *err) {
  if (read_seconds(&out->margin_ms, value, MARGIN_LEAST_MS, LEASE_MOST_MS)) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "the store's URL: margin '%.*s': seconds, 0.1 or more, by which a process "
                      "that cannot renew its lease stops before the lease ends",
                      (int)(value.len < 80 ? value.len : 80), value.data);
}

/* Between two renewals of three must be time for one. */
static ck_status fit_margin(ck_postgres_url *out, ck_error *err) {
  int64_t usual = out->lease_ms / MARGIN_PART;
  if (!out->margin_ms) out->margin_ms = usual > MARGIN_USUAL_MS ? usual : MARGIN_USUAL_MS;
  if (out->lease_ms - out->margin_ms >= LEASE_LEAST_MS / 2) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "the store's URL: a margin of %g s leaves less than half a second of a lease "
                      "of %g s: give a smaller margin, or a longer lease",
                      (double)out->margin_ms / 1000, (double)out->lease_ms / 1000);
}

static bool is_named(ck_bytes *value, ck_bytes part, const char *name) {
  size_t len = strlen(name);
  if (part.len <= len || memcmp(part.data, name, len) != 0 || part.data[len] != '=') return false;
  *value = (ck_bytes){part.data + len + 1, part.len - len - 1};
  return true;
}

/* The end of what can hold a password before the host, as libpq finds it; `url` itself: nothing
 * does. */
static const char *end_of_user(const char *url) {
  const char *begin = strstr(url, "://") + 3, *at = begin + strcspn(begin, "@/");
  return *at == '@' ? at : begin;
}

/* libpq would say of a mistake what stands there, which can be a password. */
static ck_status none_of_postgres(ck_error *err) {
  return ck_error_set(
      err, CK_E_USAGE,
      "the store's URL is none of PostgreSQL (it is not repeated, it may hold a password): "
      "postgres://USER@HOST:PORT/DATABASE?schema=NAME; a '%%', '@', ':' or '/' in a name or "
      "password is written as %%25, %%40, %%3A, %%2F");
}

/* Of one host or several: where a host is forgotten, a password stands in the place of a port. */
static bool has_ports(const char *host) {
  static const char digits[] = "0123456789";
  const char *at = host + (*host == '@');
  while (*at && *at != '/' && *at != '?') {
    size_t port = *at == ':' ? 1 + strspn(at + 1, digits) : 0;
    if (port && at[port] && !strchr(",/?", at[port])) return false;
    at += port ? port : *at == '[' ? strcspn(at, "]/?") : 1;
  }
  return true;
}

/* ---- names ---- */

static const char *const own_names[] = {"schema", "lease", "margin", "ssl", NULL};

static bool is_name(ck_bytes name, const char *known) {
  return name.len == strlen(known) && memcmp(name.data, known, name.len) == 0;
}

/* What is near to none of the names may be a part of a password. */
static ck_status refuse_name(ck_bytes name, const PQconninfoOption *known, ck_error *err) {
  char typed[24] = "";
  if (name.len < sizeof typed) memcpy(typed, name.data, name.len);
  ck_suggestion near = {.typed = typed};
  for (size_t i = 0; *typed && own_names[i]; i++) ck_suggestion_check(&near, own_names[i]);
  for (; *typed && known->keyword; known++) ck_suggestion_check(&near, known->keyword);
  if (near.best)
    return ck_error_set(err, CK_E_USAGE,
                        "the store's URL has no parameter '%s': did you mean '%s'?", typed,
                        near.best);
  return ck_error_set(err, CK_E_USAGE,
                      "the store's URL: a parameter of it is not known (it is not repeated, it may "
                      "be of a password): schema, lease and margin are, and those of libpq");
}

/* `query` begins with its '?', or is empty. */
static ck_status check_names(const ck_libpq *pq, const char *query, ck_error *err) {
  ck_status status = CK_OK;
  PQconninfoOption *known = pq->conninfoParse("postgres://", NULL);
  if (!known) return ck_error_no_memory(err);
  for (const char *at = query; *at && status == CK_OK; at += 1 + strcspn(at + 1, "&")) {
    ck_bytes name = {at + 1, strcspn(at + 1, "=&")};
    bool is_known = at[1 + name.len] != '='; /* libpq refuses it */
    for (size_t i = 0; own_names[i]; i++) is_known |= is_name(name, own_names[i]);
    for (const PQconninfoOption *one = known; one->keyword; one++)
      is_known |= is_name(name, one->keyword);
    if (!is_known) status = refuse_name(name, known, err);
  }
  pq->conninfoFree(known);
  return status;
}

static bool is_secret(ck_bytes part) {
  ck_bytes value;
  return is_named(&value, part, "password") || is_named(&value, part, "sslpassword");
}

static void append_parameter(ck_buffer *to, bool *first, ck_bytes part) {
  ck_buffer_append_char(to, *first ? '?' : '&');
  ck_buffer_append_bytes(to, part);
  *first = false;
}

/* Two copies of the URL: for libpq without our own parameters, for people without passwords. */
static ck_status split(ck_postgres_url *out, ck_buffer *conninfo, ck_buffer *name, const char *url,
                       ck_error *err) {
  const char *begin = strstr(url, "://") + 3, *host = end_of_user(url);
  const char *query = host + strcspn(host, "?");
  bool first = true, first_told = true;
  ck_status status = CK_OK;
  /* An '@' or '/' of a password that is not escaped: what follows it would be told. */
  if (strchr(host + (*host == '@'), '@') || !has_ports(host)) return none_of_postgres(err);
  ck_buffer_append(conninfo, url, (size_t)(query - url));
  ck_buffer_append_text(name, "postgres://");
  if (host > begin) ck_buffer_append(name, begin, strcspn(begin, ":@"));
  ck_buffer_append(name, host, (size_t)(query - host));
  for (const char *at = query; *at && status == CK_OK;) {
    ck_bytes part = {at + 1, strcspn(at + 1, "&")}, value;
    bool ours = true;
    if (is_named(&value, part, "schema"))
      status = take_schema(out, value, err);
    else if (is_named(&value, part, "lease"))
      status = take_lease(out, value, err);
    else if (is_named(&value, part, "margin"))
      status = take_margin(out, value, err);
    else
      ours = false;
    if (part.len && !ours) append_parameter(conninfo, &first, part);
    if (part.len && !is_secret(part)) append_parameter(name, &first_told, part);
    at = part.data + part.len;
  }
  if (status == CK_OK) status = fit_margin(out, err);
  if (status == CK_OK) status = ck_buffer_check(conninfo, err);
  return status == CK_OK ? ck_buffer_check(name, err) : status;
}

/* ---- what libpq reads ---- */

/* libpq marks those that nobody is shown. */
static ck_status take_secrets(ck_postgres_url *out, const PQconninfoOption *options,
                              ck_error *err) {
  size_t count = 0;
  for (; options->keyword && count < CK_POSTGRES_SECRETS; options++) {
    if (*options->dispchar != '*' || !options->val || !*options->val) continue;
    out->secrets[count] = strdup(options->val);
    if (!out->secrets[count++]) return ck_error_no_memory(err);
  }
  return CK_OK;
}

static ck_status parse(ck_postgres_url *out, const ck_libpq *pq, ck_error *err) {
  char *why = NULL;
  PQconninfoOption *options = pq->conninfoParse(out->conninfo, &why);
  pq->freemem(why);
  if (!options) return none_of_postgres(err);
  ck_status status = take_secrets(out, options, err);
  pq->conninfoFree(options);
  return status;
}

ck_status ck_postgres_url_read(ck_postgres_url *out, const char *url, ck_error *err) {
  const ck_libpq *pq;
  ck_buffer conninfo = {0}, name = {0};
  *out = (ck_postgres_url){.schema = "ckrun", .lease_ms = LEASE_MS};
  ck_status status = ck_libpq_load(&pq, err);
  if (status == CK_OK) status = split(out, &conninfo, &name, url, err);
  if (status == CK_OK) status = check_names(pq, url + strcspn(url, "?"), err);
  if (status == CK_OK) out->conninfo = ck_buffer_take(&conninfo);
  if (status == CK_OK) out->name = ck_buffer_take(&name);
  if (conninfo.data) explicit_bzero(conninfo.data, conninfo.len);
  ck_buffer_clear(&conninfo);
  ck_buffer_clear(&name);
  if (status == CK_OK) status = parse(out, pq, err);
  if (status != CK_OK) ck_postgres_url_clear(out);
  return status;
}

static void wipe(char *text) {
  if (text) explicit_bzero(text, strlen(text));
  free(text);
}

void ck_postgres_url_clear(ck_postgres_url *self) {
  for (size_t i = 0; i < CK_POSTGRES_SECRETS; i++) wipe(self->secrets[i]);
  wipe(self->conninfo);
  free(self->name);
  *self = (ck_postgres_url){0};
}
