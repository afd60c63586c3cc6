/* formats.h - the formats of other programs that importers are shipped for: asked in this order, so
 * that those come last whose shape others have, too, who say more. */
#ifndef CK_LUA_IMPORT_FORMATS_H
#define CK_LUA_IMPORT_FORMATS_H

/* X(name): lua/ck/import/NAME.lua. lua/README.md tells of what each is. */
/* clang-format off */
#define CK_IMPORT_FORMATS(X) \
  X("agentdojo") \
  X("anthropic") \
  X("claude_code") \
  X("codex") \
  X("gemini") \
  X("hyperagent") \
  X("langgraph") \
  X("moatless") \
  X("openai_agents") \
  X("opencode") \
  X("openhands") \
  X("otlp") \
  X("owl_roleplay") \
  X("pi") \
  X("relay") \
  X("swe_agent") \
  X("tau2_bench") \
  X("tau_bench") \
  X("who_and_when") \
  X("openai")
/* clang-format on */

#endif
