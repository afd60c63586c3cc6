/* driver_context.h - what the drivers of one run are opened from. */
#ifndef CK_HOST_RUN_DRIVER_CONTEXT_H
#define CK_HOST_RUN_DRIVER_CONTEXT_H

#include "core/base/shelf.h"
#include "core/effect/asker.h"
#include "core/effect/cassette/cassette.h"
#include "core/effect/loop.h"
#include "core/host/print/output.h"
#include "core/model/media_form.h"
#include "core/model/profile.h"
#include "core/runtime/session/flow.h"
#include "core/runtime/session/session.h"

/* All borrowed for the drivers' lives. */
typedef struct ck_driver_context {
  ck_loop *loop;
  ck_clock clock;
  ck_store *store;
  ck_session *session;
  ck_output *output;
  const ck_flow_manifest *manifest;
  const ck_profile *profile;
  ck_cassette *cassette;  /* the recording that answers instead of models; NULL: none */
  ck_asker *asker;        /* the person at the terminal; NULL: no person is present */
  ck_media_source media;  /* the images and files of messages */
  const char *directory;  /* where tools run; NULL: this process's folder */
  const ck_shelf *spills; /* long outputs; NULL: the store keeps none */
  bool masked;            /* policies mask what is stored */
} ck_driver_context;

#endif
