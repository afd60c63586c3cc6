/* flow_manifest.h - what a flow declares of itself before it runs: its tools, processes, nodes and
 * needs. */
#ifndef CK_RUNTIME_SESSION_FLOW_MANIFEST_H
#define CK_RUNTIME_SESSION_FLOW_MANIFEST_H

#include "core/base/digest.h"
#include "core/model/effect.h"

/* A child process that the flow talks to, or a server that is reached over HTTP. Texts borrowed
 * from the flow. */
typedef enum { CK_FLOW_MCP, CK_FLOW_ACP } ck_flow_protocol;
typedef struct ck_flow_process {
  const char *name;
  ck_flow_protocol protocol;
  const char *const *argv; /* NULL-terminated; no shell; NULL: it has a url */
  const char *url;         /* NULL: it has argv */
  /* beside a url: threes of a header's name, "text", "secret" or "bearer", and the text, or the
   * name of the secret; NULL-terminated */
  const char *const *headers;
  /* names of variables it may see besides the usual ones; NULL-terminated */
  const char *const *environment;
  /* of an MCP server: pairs of a tool and the tool that tells whether the first has happened;
   * NULL-terminated */
  const char *const *probes;
  bool untrusted;     /* what it gives is not to be trusted */
  bool roots;         /* of an MCP server: it may be told in which folder tools run */
  bool elicitation;   /* of an MCP server: it may ask a person */
  bool sampling;      /* of an MCP server: it may ask a model */
  int64_t timeout_ms; /* the longest silence while it is asked something; 0: its driver's default */
  int64_t total_ms;   /* the most that a request to it may take in all; 0: the same */
} ck_flow_process;

/* One tool as the flow declares it. Texts borrowed from the flow. */
typedef struct ck_flow_tool {
  const char *name;
  ck_effect_class class;
  const char *const *argv;  /* NULL-terminated; NULL: no command of its own (a cassette answers) */
  const char *const *probe; /* NULL-terminated; NULL: no probe */
  int64_t timeout_ms;       /* of its command; 0: its driver's default */
  bool untrusted;           /* what it gives is not to be trusted */
  const char *description;  /* for models; NULL */
  const char *parameters;   /* JSON Schema of its arguments, as text; NULL */
} ck_flow_tool;

/* A program that a node runs, as far as it is known before. Texts borrowed from the flow. */
typedef struct ck_flow_program {
  const char *name;      /* of the node; NULL: the flow is one */
  const char *program;   /* NULL: it is not known where it is searched */
  const char *directory; /* where it runs, from the session's folder; NULL: there */
  const char *path;      /* its PATH; NULL: this process's */
  /* references that its variables are read from, "env:NAME" or "file:PATH"; NULL-terminated */
  const char *const *secrets;
} ck_flow_program;

/* A part of the flow that a position can name: a node, a step. Texts borrowed from the flow. */
typedef struct ck_flow_node {
  const char *name;
  const char *const *reads;     /* state keys that must exist when it begins; NULL-terminated */
  const char *const *unwritten; /* those of them that nothing before it writes; NULL-terminated */
} ck_flow_node;

/* Borrowed from the flow. */
typedef struct ck_flow_manifest {
  const char *name;
  const char *kind; /* "agent", "graph", … */
  const char *path;
  const char *lead;   /* the agent whose conversation is the flow's own scope; NULL */
  const char *prompt; /* of a flow that is an agent, where it is a text; NULL */
  int64_t version;    /* of the state its sessions keep; 0: none. Policies migrate the state that an
                         older version left */
  ck_digest digest;   /* of the flow file's bytes */
  const ck_flow_tool *tools;
  size_t tool_count;
  const ck_flow_process *processes;
  size_t process_count;
  const ck_flow_program *programs;
  size_t program_count;
  const ck_flow_node *nodes; /* none: its kind has no named nodes */
  size_t node_count;
  /* state keys that must exist, and those of them that nothing writes; NULL-terminated */
  const char *const *reads, *const *unwritten;
  const char *const *agents;    /* NULL-terminated */
  const char *const *secrets;   /* NULL-terminated */
  const char *const *models;    /* names in the profile; NULL-terminated */
  const char *const *functions; /* tools that are functions of the flow; NULL-terminated */
} ck_flow_manifest;

#endif
