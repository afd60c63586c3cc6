/* parts.h - the functions of a backend, file by file. Private to core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_PARTS_H
#define CK_STORE_POSTGRES_PARTS_H

#include "core/store/backend.h"

void ck_postgres_add_sessions(ck_backend *backend);    /* session.c */
void ck_postgres_add_reads(ck_backend *backend);       /* read.c */
void ck_postgres_add_rows(ck_backend *backend);        /* rows.c */
void ck_postgres_add_maintenance(ck_backend *backend); /* maintenance.c */
void ck_postgres_add_requests(ck_backend *backend);    /* request.c */
void ck_postgres_add_facts(ck_backend *backend);       /* fact.c */
void ck_postgres_add_blobs(ck_backend *backend);       /* blob.c */
void ck_postgres_add_key(ck_backend *backend);         /* key.c */
void ck_postgres_add_copy(ck_backend *backend);        /* copying.c */
void ck_postgres_add_outputs(ck_backend *backend);     /* output.c */
void ck_postgres_add_rekey(ck_backend *backend);       /* rekey.c */
void ck_postgres_add_lapse(ck_backend *backend);       /* guard.c */
void ck_postgres_add_news(ck_backend *backend);        /* notify.c */
void ck_postgres_add_reservation(ck_backend *backend); /* reserve.c */
void ck_postgres_add_refusals(ck_backend *backend);    /* refusal.c */

#endif
