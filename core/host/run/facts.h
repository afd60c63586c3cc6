/* facts.h - the driver of ctx.facts: facts that sessions share.
 *
 * A read effect {what: "fact", owner, key} gives the value or null; with `value` (null: the fact is
 * removed) it keeps one, masked like everything that is written. Both are recorded like any effect,
 * so a flow reads the same again after a crash. */
#ifndef CK_HOST_RUN_FACTS_H
#define CK_HOST_RUN_FACTS_H

#include "core/effect/loop.h"
#include "core/model/driver.h"
#include "core/runtime/session/session.h"
#include "core/store/fact.h"

/* Of a ck_operand and a ck_option table: the fact that a command is about. */
#define CK_FACT_KEY_OPERAND(values, member) \
  { .name = "KEY", .offset = offsetof(values, member), .help = "the fact's key" }
#define CK_FACT_AGENT_OPTION(values, member)                                                       \
  {                                                                                                \
    .name = "agent", .type = CK_OPTION_TEXT, .offset = offsetof(values, member), .value = "AGENT", \
    .help = "that of this agent; one for all agents otherwise"                                     \
  }

enum { CK_FACT_MAX = 1 << 20 }; /* bytes of one value */

/* All borrowed. */
typedef struct ck_facts_options {
  ck_loop *loop;
  ck_store *store;
  ck_clock clock;
  ck_redactor *redactor;
} ck_facts_options;
/* A driver of facts. Its name, which outcomes keep as "via", is "long_term". */
CK_CHECKED ck_status ck_facts_driver_new(ck_effect_driver **out, const ck_facts_options *options,
                                         ck_error *err);

/* Keeps a fact as a flow would: `fact->value`, masked, also by a hook of the redactor, which is
 * asked about the key facts.KEY; NULL removes it. *kept (NULL: nobody wants
 * it) is what was kept, owned by the caller. CK_E_OVERSIZE; CK_E_REFUSED: the key, or the agent's
 * name, would have to be masked: it holds a secret, or what the hook, asked about it as the value
 * of facts.key or facts.agent, takes away, and could not be told apart any more. */
CK_CHECKED ck_status ck_facts_keep(ck_value **kept, ck_store *store, ck_redactor *redactor,
                                   const ck_fact *fact, ck_error *err);
/* The answer where there is none: CK_E_NOT_FOUND. `agent` NULL: of those for all agents. */
CK_CHECKED ck_status ck_facts_none(const char *key, const char *agent, ck_error *err);

#endif
