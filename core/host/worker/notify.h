/* notify.h - tells the service manager how a worker is: systemd's protocol of sd_notify(3), texts
 * to the socket that NOTIFY_SOCKET names. Without it nothing is told. */
#ifndef CK_HOST_WORKER_NOTIFY_H
#define CK_HOST_WORKER_NOTIFY_H

/* Lines "NAME=VALUE", such as "READY=1", "STOPPING=1", "WATCHDOG=1". One that cannot be sent is
 * dropped: the manager acts on its absence. */
void ck_notify_send(const char *lines);

#endif
