/* subject_names.h - the number of a name in a table of the core; 0: no such name. */
#ifndef CK_LUA_POLICY_TOOL_SUBJECT_NAMES_H
#define CK_LUA_POLICY_TOOL_SUBJECT_NAMES_H

int ck_subject_find_boundary(const char *name);
int ck_subject_find_event(const char *name);
int ck_subject_find_session(const char *name);
int ck_subject_find_status(const char *name);
/* The numbers of these begin at 0, so that one more is given. */
int ck_subject_find_effect(const char *name);
int ck_subject_find_class(const char *name);

#endif
