/* launch.h - the parameters that a session was started with, and that a resume needs again; kept as
 * the session's input. */
#ifndef CK_HOST_SESSION_LAUNCH_H
#define CK_HOST_SESSION_LAUNCH_H

#include "core/base/digest.h"
#include "core/model/media.h"
#include "core/model/session.h"

/* Texts are malloc'd and owned. The document: {"flow_digest", "flow_version"?, "directory",
 * "cassette"?, "profile"?, "policies"?, "document"?, "input"?}. */
typedef struct ck_launch {
  char *flow;           /* absolute path */
  int64_t flow_version; /* 0: it has none */
  /* of the flow's bytes when the session was started; "" before it was read */
  char flow_digest[CK_DIGEST_HEX_SIZE];
  /* the folder where it was started: tools run there, and relative paths mean the same after a
   * resume */
  char *directory;
  char *cassette; /* FILE or FILE#N with an absolute path; NULL: none */
  char *profile;  /* a shipped name or an absolute path; NULL: the default */
  /* of the document that it was imported from; "": none. Not read back */
  char document[CK_DIGEST_HEX_SIZE];
  ck_value *policies;  /* [{name, version, digest}, …] at the start; NULL */
  ck_value *input;     /* the user's JSON; NULL */
  ck_media_list media; /* images and files of the input; not read back */
} ck_launch;
void ck_launch_clear(ck_launch *self);

CK_CHECKED ck_status ck_launch_write(ck_value **out, const ck_launch *self, ck_error *err);
/* CK_E_REFUSED: the session was not started from a flow file, so ckrun cannot resume it. */
CK_CHECKED ck_status ck_launch_read(ck_launch *out, const ck_session_record *record, ck_error *err);

/* `path` made absolute, so that it means the same wherever a resume runs; a path that does not
 * exist is kept without resolving links. */
CK_CHECKED ck_status ck_launch_take_path(char **out, const char *path, ck_error *err);
/* The same for FILE#N. */
CK_CHECKED ck_status ck_launch_take_cassette(char **out, const char *spec, ck_error *err);
/* The name of a profile or policy is a file's: one without a '/' and without the ending ".lua" is a
 * shipped one. */
bool ck_launch_is_path(const char *name);
CK_CHECKED ck_status ck_launch_take_profile(char **out, const char *profile, ck_error *err);
/* JSON, or @FILE. CK_E_PARSE with the byte offset, CK_E_USAGE: the file cannot be read; `what` is
 * named. */
CK_CHECKED ck_status ck_launch_take_json(ck_value **out, const char *what, const char *given,
                                         ck_error *err);
/* The same for the session's input, which may also be @FILE of an image or a PDF: a list with that
 * alone. CK_E_PARSE: an image within has data that is no base64. */
CK_CHECKED ck_status ck_launch_take_input(ck_launch *self, const char *given, ck_error *err);

#endif
