/* listen.c - binds a socket of this machine. */
#include "core/host/ui/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 64, PORT_MAX = 65535 };

typedef union place {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_un local;
} place;

static ck_status refuse(const char *option, const char *address, ck_error *err) {
  return ck_error_set(err, CK_E_USAGE,
                      "%s: '%.200s' is no address of this machine alone: give "
                      "127.0.0.1:PORT, [::1]:PORT or unix:PATH",
                      option, address);
}

static bool read_port(int *out, const char *text) {
  char *end;
  long port = strtol(text, &end, 10);
  *out = (int)port;
  return *text >= '0' && *text <= '9' && !*end && port >= 0 && port <= PORT_MAX;
}

static ck_status read_local(place *out, socklen_t *len, const char *option, const char *path,
                            ck_error *err) {
  if (!*path || strlen(path) >= sizeof out->local.sun_path)
    return ck_error_set(err, CK_E_USAGE, "%s: a socket's path has 1 to %zu bytes", option,
                        sizeof out->local.sun_path - 1);
  out->local.sun_family = AF_UNIX;
  strcpy(out->local.sun_path, path);
  *len = sizeof out->local;
  return CK_OK;
}

static ck_status read_address(place *out, socklen_t *len, const char *option, const char *address,
                              ck_error *err) {
  int port;
  memset(out, 0, sizeof *out);
  if (strncmp(address, "unix:", 5) == 0) return read_local(out, len, option, address + 5, err);
  const char *colon = strrchr(address, ':');
  size_t host = colon ? (size_t)(colon - address) : 0;
  if (!colon || !read_port(&port, colon + 1)) return refuse(option, address, err);
  if (host == 9 && strncmp(address, "127.0.0.1", host) == 0) {
    out->v4 = (struct sockaddr_in){.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    *len = sizeof out->v4;
    return CK_OK;
  }
  if (host != 5 || strncmp(address, "[::1]", host) != 0) return refuse(option, address, err);
  out->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6,
                                  .sin6_port = htons((uint16_t)port),
                                  .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  *len = sizeof out->v6;
  return CK_OK;
}

/* A socket that nobody listens at any more is in the way of a new one. */
static void remove_dead(const place *at, socklen_t len) {
  struct stat found;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  bool dead = connect(fd, &at->any, len) != 0 && errno == ECONNREFUSED;
  close(fd);
  if (dead && lstat(at->local.sun_path, &found) == 0 && S_ISSOCK(found.st_mode))
    unlink(at->local.sun_path);
}

static int bind_socket(int fd, const place *at, socklen_t len) {
  int on = 1;
  if (at->any.sa_family == AF_UNIX) {
    remove_dead(at, len);
    mode_t before = umask(0177);
    int bound = bind(fd, &at->any, len);
    umask(before);
    return bound;
  }
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return bind(fd, &at->any, len);
}

static int port_of(int fd) {
  place at;
  socklen_t len = sizeof at;
  if (getsockname(fd, &at.any, &len) != 0) return 0;
  return at.any.sa_family == AF_INET    ? ntohs(at.v4.sin_port)
         : at.any.sa_family == AF_INET6 ? ntohs(at.v6.sin6_port)
                                        : 0;
}

ck_status ck_ui_listen_open(ck_ui_listen *out, const char *option, const char *address,
                            ck_error *err) {
  place at;
  socklen_t len;
  *out = (ck_ui_listen){.fd = -1};
  ck_status status = read_address(&at, &len, option, address, err);
  if (status != CK_OK) return status;
  out->fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (out->fd < 0 || bind_socket(out->fd, &at, len) != 0 || listen(out->fd, BACKLOG) != 0) {
    status = ck_error_set(err, CK_E_REFUSED, "%s %s: %s", option, address, strerror(errno));
    ck_ui_listen_close(out);
    return status;
  }
  out->port = port_of(out->fd);
  out->host = at.any.sa_family == AF_INET    ? "127.0.0.1"
              : at.any.sa_family == AF_INET6 ? "[::1]"
                                             : "localhost";
  out->path = at.any.sa_family == AF_UNIX ? address + 5 : NULL;
  return CK_OK;
}

void ck_ui_listen_close(ck_ui_listen *self) {
  if (self->fd >= 0) close(self->fd);
  if (self->fd >= 0 && self->path) unlink(self->path);
  self->fd = -1;
}
