/* gate.c - compares what a request says of itself with what the server knows. */
#include "core/host/ui/gate.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/digest.h"

static void make_token(char out[CK_UI_TOKEN_SIZE]) {
  ck_digest random;
  ck_random_bytes(&random, sizeof random);
  ck_digest_hex(out, &random);
}

void ck_ui_gate_renew(ck_ui_gate *self) { make_token(self->token); }

void ck_ui_gate_init(ck_ui_gate *self, const char *host, int port) {
  const char *const names[CK_UI_HOSTS_MAX] = {host, "localhost"};
  memset(self, 0, sizeof *self);
  make_token(self->token);
  make_token(self->session);
  make_token(self->key);
  snprintf(self->cookie, sizeof self->cookie, "ckrun_%d", port);
  self->any_port = !port;
  for (int i = 0; i < CK_UI_HOSTS_MAX; i++)
    if (port)
      snprintf(self->hosts[i], CK_UI_HOST_SIZE, "%s:%d", names[i], port);
    else
      snprintf(self->hosts[i], CK_UI_HOST_SIZE, "%s", names[i]);
}

/* Digests are compared: how long that takes tells nothing of the secret. */
bool ck_ui_gate_is_same(const char *secret, const char *given) {
  ck_digest a = ck_digest_of(ck_bytes_text(secret)), b = ck_digest_of(ck_bytes_text(given));
  return *secret && given && ck_digest_equal(&a, &b);
}

/* Behind a name whose port does not matter: nothing, or one. */
static bool is_port(const char *text) {
  return !*text || (*text == ':' && text[1] && strspn(text + 1, "0123456789") == strlen(text + 1));
}

static bool knows_host(const ck_ui_gate *self, const char *host) {
  for (int i = 0; host && i < CK_UI_HOSTS_MAX; i++) {
    size_t len = strlen(self->hosts[i]);
    if (strncasecmp(self->hosts[i], host, len) != 0) continue;
    if (self->any_port ? is_port(host + len) : !host[len]) return true;
  }
  return false;
}

/* The very server that is asked, not another name of it. */
static bool is_own_origin(const char *origin, const char *host) {
  static const char scheme[] = "http://";
  return strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
         strcasecmp(origin + sizeof scheme - 1, host) == 0;
}

bool ck_ui_gate_knows(const ck_ui_gate *self, const char *host, const char *origin) {
  return knows_host(self, host) && (!origin || is_own_origin(origin, host));
}

/* Its address, its page: "same-site" is another port of this machine. A link that is opened from
 * anywhere ("none", or another page that shows it) brings the token. */
static bool is_foreign(const ck_ui_gate *self, const ck_ui_visitor *visitor, bool invited) {
  const char *site = visitor->fetch_site;
  if (!ck_ui_gate_knows(self, visitor->host, visitor->origin)) return true;
  if (visitor->changes) return !visitor->origin || (site && strcmp(site, "same-origin") != 0);
  return site && !invited && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
}

ck_ui_verdict ck_ui_gate_check(ck_ui_gate *self, const ck_ui_visitor *visitor) {
  bool invited = !visitor->changes && ck_ui_gate_is_same(self->token, visitor->token);
  if (is_foreign(self, visitor, invited)) return CK_UI_FOREIGN;
  if (invited) self->token[0] = '\0';
  bool known = ck_ui_gate_is_same(self->session, visitor->session);
  if (known && (!visitor->asks || ck_ui_gate_is_same(self->key, visitor->key))) return CK_UI_ENTER;
  return invited ? CK_UI_WELCOME : CK_UI_STRANGER;
}
