/* private.h - requests, answers and faults of model calls, as the files of this folder share
 * them. */
#ifndef CK_EFFECT_MODEL_PRIVATE_H
#define CK_EFFECT_MODEL_PRIVATE_H

#include "core/effect/model/model.h"
#include "core/effect/model/turns.h"
#include "core/effect/model/price.h"
#include "core/effect/http/sse.h"
#include "core/model/media_form.h"

/* ---- requests ---- */

typedef struct ck_model_query {
  const ck_profile_model *model;
  ck_bytes request; /* of the effect */
  const ck_conversation *conversation;
  int64_t output_max;           /* tokens of the answer, in place of those asked for; 0: as asked */
  const ck_media_source *media; /* reads what is kept of images and files; NULL: nothing is */
} ck_model_query;

/* ---- images and files (media.c) ---- */

/* While a request is written: the first problem. */
typedef struct ck_model_media {
  const ck_model_query *query;
  ck_status status;
  ck_error *err;
} ck_model_media;
/* Blocks of which one is an image or a file. */
bool ck_model_has_media(ck_bytes content);
/* Each image and file in the form of the API, all other blocks as they are (`alone`: without
 * these), as elements of an array. Nothing is sent of what the model does not take: CK_E_USAGE,
 * which names it. */
void ck_model_write_media(ck_json_writer *w, ck_model_media *self, ck_bytes content, bool alone);
/* One of them, in that form. */
void ck_model_put_media(ck_json_writer *w, ck_model_media *self, const ck_media *media);
/* The blocks' texts, one a line, with a line in the place of each image or file: a JSON string. */
void ck_model_append_captions(ck_buffer *out, ck_bytes content);

/* What a message's images and files come to. */
typedef struct ck_model_media_count {
  int64_t images, files;
  int64_t bytes; /* as they are kept */
} ck_model_media_count;
void ck_model_count_media(ck_model_media_count *to, ck_bytes message);
/* The most tokens that they can be. */
int64_t ck_model_media_tokens(const ck_model_media_count *of, ck_model_api api);

/* ---- members in the making, of a message that comes in parts ---- */

typedef struct ck_model_field {
  ck_buffer name;  /* a JSON string */
  ck_buffer value; /* JSON; of a text, the part between its quotes */
  bool text;
} ck_model_field;
typedef struct ck_model_fields {
  ck_model_field *list;
  size_t count, cap;
  bool failed;
} ck_model_fields;
/* Sets a member; members keep the order of their first mention. `name` is a JSON string. */
void ck_model_fields_put(ck_model_fields *self, ck_bytes name, ck_bytes value);
/* The members of an object but those named in `except`, which ends with NULL; NULL: all. */
void ck_model_fields_put_all(ck_model_fields *self, ck_bytes object, const char *const *except);
/* Joins: a text to a text; a list's elements to a list; any other value replaces the old one. Null
 * changes nothing. */
void ck_model_fields_join(ck_model_fields *self, ck_bytes name, ck_bytes value);
/* NULL: no such member. `name` is plain text. */
ck_model_field *ck_model_fields_get(const ck_model_fields *self, const char *name);
/* "name":value for each but `except` (plain text, may be NULL). */
void ck_model_fields_write(ck_json_writer *w, const ck_model_fields *self, const char *except);
void ck_model_fields_clear(ck_model_fields *self);

/* A call (OpenAI: `more` is its function) or a block (Anthropic: `input` is its input's text so
 * far). */
typedef struct ck_model_part {
  int64_t index;
  ck_model_fields fields, more;
  ck_buffer input;
} ck_model_part;

/* ---- answers ---- */

/* Zero-initialise; ck_model_reply_clear. */
typedef struct ck_model_reply {
  ck_buffer message; /* the whole message, once complete */
  ck_usage usage;    /* as far as it was stated */
  bool input_stated, output_stated;
  bool final;      /* a stream: the usage of all that has come was stated, behind it */
  bool unreadable; /* a figure was no number of tokens: none of them is believed */
  ck_buffer fault; /* the provider's error in place of an answer: a JSON object */
  bool ended;      /* a stream: it announced its end */
  bool marked;     /* it did so without a finish_reason */
  const char *cut; /* the provider's word for an end before its end; NULL; static */
  bool refused;    /* there is no answer, or no whole one: `refusal` says why, in plain text */
  ck_buffer refusal;
  ck_buffer model; /* what answers, as the API calls it, in plain text; "": it does not say */
  bool pauses;     /* it is to be sent back as it is, and goes on then */
  ck_model_fields fields;
  ck_model_part *parts;
  size_t part_count, part_cap;
} ck_model_reply;
void ck_model_reply_clear(ck_model_reply *self);
/* True when a stream has brought a part of the message. */
bool ck_model_reply_is_begun(const ck_model_reply *self);
/* Takes the reason (JSON) that a provider gives for the end of an answer: finish.c lists those that
 * are not the model's own. */
void ck_model_take_end(ck_model_reply *to, ck_bytes reason);
/* It refuses: for that `reason`, in these words; each a JSON string, or blank. In place of what was
 * said of it before, if either says something. */
void ck_model_refuse(ck_model_reply *to, ck_bytes reason, ck_bytes words);
/* The part with that index, made when absent. CK_E_PARSE: more parts than any model makes. */
enum { CK_MODEL_PARTS_MAX = 4096 };
CK_CHECKED ck_status ck_model_reply_part(ck_model_part **out, ck_model_reply *self, int64_t index,
                                         ck_error *err);

/* Reads a figure. False: it is absent or null; or no number of tokens, which makes the reply's
 * usage unreadable. */
bool ck_model_read_tokens(ck_model_reply *to, int64_t *tokens, ck_bytes usage, const char *name);

/* One API. Statuses of read and take: CK_E_PARSE says what is wrong with the answer. */
typedef struct ck_model_format {
  const char *path; /* behind the base URL */
  /* NULL: it is `path` for every model. A query may follow. */
  void (*append_path)(ck_buffer *out, const ck_profile_model *model);
  const char *usage_name; /* with its quotes; NULL: "usage" */
  const char *end_mark;   /* a stream's last data, which is no JSON; NULL: it has none */
  const char *key_header, *key_prefix, *version_header, *version;
  CK_CHECKED ck_status (*write)(ck_buffer *out, const ck_model_query *query, ck_error *err);
  /* Takes a usage object (checked JSON) of an answer or an event; `begins`: of a message that
   * begins. Of several the largest figures count. */
  void (*state)(ck_model_reply *to, ck_bytes usage, bool begins);
  CK_CHECKED ck_status (*read)(ck_model_reply *out, ck_bytes body,
                               ck_error *err); /* of checked JSON */
  CK_CHECKED ck_status (*take)(ck_model_reply *out, ck_bytes data,
                               ck_error *err); /* one event, checked JSON */
  /* Of a stream that tells no finish_reason: no call stops within its arguments. NULL: there is
   * none without. Out of memory shows in finish. */
  bool (*may_end)(ck_model_reply *reply);
  CK_CHECKED ck_status (*finish)(ck_model_reply *out,
                                 ck_error *err); /* the message of a stream that has ended */
} ck_model_format;
extern const ck_model_format ck_model_openai, ck_model_anthropic, ck_model_responses,
    ck_model_gemini;
const ck_model_format *ck_model_format_of(ck_model_api api);

/* Takes what an answer or an event states of its tokens, before it is known whether it is one: it
 * may be cut, have bytes behind it, or be no valid JSON for another reason. */
void ck_model_take_usage(ck_model_reply *to, const ck_model_format *format, ck_bytes text);

/* Writes the members of the request that are neither the core's nor the conversation: the effect's
 * own first, then the profile's. CK_E_USAGE names a member that is the core's. */
CK_CHECKED ck_status ck_model_write_options(ck_json_writer *w, const ck_model_query *query,
                                            ck_error *err);
/* The tokens that the request or the profile allows the answer; 0: neither does. */
int64_t ck_model_asked_output(const ck_model_query *query);
/* The value of one of these members; no bytes: absent. */
ck_bytes ck_model_get_option(const ck_model_query *query, const char *name);
bool ck_model_streams(const ck_profile_model *model);
/* A model of OpenAI's that is known to think, by the provider's name. */
bool ck_model_thinks(const char *model);

/* ---- the schema of an answer (schema.c) ---- */

/* The member response_schema of the request: what the answer must satisfy; no bytes: there is none.
 */
ck_bytes ck_model_get_schema(const ck_model_query *query);
/* Where the API knows none for what is said, the answer is a call of this name. */
#define CK_MODEL_ANSWER "final_answer"
/* A tool of that name, to be offered with the others: {name, description, SCHEMA: …}. */
void ck_model_put_answer_tool(ck_json_writer *w, const ck_model_query *query, const char *schema);
/* {type: "json_schema", name, schema}; `nested`: name and schema in a member json_schema. */
void ck_model_put_answer_format(ck_json_writer *w, const ck_model_query *query, bool nested);

/* Whether anything of the request, or of what was said, has a mark for the provider's cache. */
bool ck_model_has_marks(const ck_model_query *query);

/* ---- faults ---- */

typedef struct ck_model_fault {
  ck_status status;
  bool passing; /* another attempt may succeed */
  bool lost;    /* it may have been billed, and nothing tells how much; also beside a message */
  char text[512];
} ck_model_fault;
/* Reads the fault from an answer with `code` (0: from an error in a stream or in place of an
 * answer) and that body. */
void ck_model_fault_read(ck_model_fault *out, int code, ck_bytes body);
/* Milliseconds that an error asks to wait, where it says so itself; -1: it does not. */
int64_t ck_model_fault_wait(ck_bytes body);
void ck_model_fault_set(ck_model_fault *out, ck_status status, bool passing, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));

#endif
