/* measures.h - what a run tells of itself for whoever adds up many: how long its checkpoints took,
 * what was masked. */
#ifndef CK_HOST_RUN_MEASURES_H
#define CK_HOST_RUN_MEASURES_H

#include "core/host/print/document.h"
#include "core/host/run/engine.h"

/* Adds "checkpoint_time" and "redactions". */
void ck_measures_put(ck_document *document, const ck_engine *engine);

#endif
