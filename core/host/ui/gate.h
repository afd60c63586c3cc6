/* gate.h - who may ask the page's server: whoever has the link, from a page of this very server.
 *
 * The link holds a token that is good for one opening; the browser that opens it gets a cookie in
 * its place, for as long as the server runs. A page of another server cannot use the cookie
 * (SameSite), does not get past Origin and Sec-Fetch-Site, and one that has its name resolved to
 * this machine (DNS rebinding) not past Host. But cookies know no ports: another server of this
 * machine is sent it when its own page is opened. So whatever is asked of the store needs the
 * page's key, too: it is in the link behind the #, which browsers send to no server, and kept by
 * the page for its own origin, which has a port. */
#ifndef CK_HOST_UI_GATE_H
#define CK_HOST_UI_GATE_H

#include <stdbool.h>

enum { CK_UI_TOKEN_SIZE = 65, CK_UI_HOSTS_MAX = 2, CK_UI_HOST_SIZE = 64, CK_UI_COOKIE_SIZE = 32 };

typedef struct ck_ui_gate {
  char token[CK_UI_TOKEN_SIZE];                 /* of the link; "": it was used */
  char session[CK_UI_TOKEN_SIZE];               /* the cookie's value */
  char key[CK_UI_TOKEN_SIZE];                   /* of the page */
  char cookie[CK_UI_COOKIE_SIZE];               /* its name: cookies do not tell ports apart */
  char hosts[CK_UI_HOSTS_MAX][CK_UI_HOST_SIZE]; /* what Host may say; "": no more of them */
  bool any_port; /* and which port: a Unix socket is reached through one that is forwarded */
} ck_ui_gate;

/* What a request says of itself; NULL: nothing. */
typedef struct ck_ui_visitor {
  const char *host, *origin, *fetch_site; /* the headers Host, Origin, Sec-Fetch-Site */
  const char *token;                      /* of the address */
  const char *session;                    /* the cookie */
  const char *key;                        /* of the page */
  bool asks;                              /* it asks for what is stored: the key must be there */
  bool changes;                           /* it asks for an action: its Origin must be there */
} ck_ui_visitor;

typedef enum {
  CK_UI_ENTER,   /* it may ask */
  CK_UI_WELCOME, /* it brought the token: it gets the cookie, and the token is good no more */
  CK_UI_FOREIGN, /* from another page, or by another name of this machine */
  CK_UI_STRANGER /* it has neither token nor cookie */
} ck_ui_verdict;

/* New random texts. `host`: where it listens, as a link has it: "127.0.0.1", "[::1]"; `port`: 0 for
 * a Unix socket, which is "localhost" whatever the port that is forwarded to it. */
void ck_ui_gate_init(ck_ui_gate *self, const char *host, int port);
/* A new token, in the place of one that was used. */
void ck_ui_gate_renew(ck_ui_gate *self);
/* The name that it was asked by is its own, and so is the page's, if a page asks. */
bool ck_ui_gate_knows(const ck_ui_gate *self, const char *host, const char *origin);
/* Compares a secret with what was given (NULL: nothing); the time that takes tells nothing. */
bool ck_ui_gate_is_same(const char *secret, const char *given);
/* Not thread-safe: the caller lets one in at a time. */
ck_ui_verdict ck_ui_gate_check(ck_ui_gate *self, const ck_ui_visitor *visitor);

#endif
