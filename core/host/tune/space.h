/* space.h - the options of a profile's policies that a search sets, and the values they may take.
 */
#ifndef CK_HOST_TUNE_SPACE_H
#define CK_HOST_TUNE_SPACE_H

#include "core/model/profile.h"

enum { CK_TUNE_OPTIONS_MAX = 24, CK_TUNE_VALUE_SIZE = 80 };

typedef enum { CK_TUNE_REAL, CK_TUNE_WHOLE, CK_TUNE_CHOICE } ck_tune_type;

typedef struct ck_tune_option {
  size_t policy;     /* index in the profile's list */
  char *policy_name; /* as the policy calls itself */
  char *name;
  ck_tune_type type;
  double low, high;  /* of numbers; low > 0: places are spread over their logarithm */
  ck_value *choices; /* CHOICE: a JSON array; NULL: numbers */
  size_t choice_count;
  char given[CK_TUNE_VALUE_SIZE]; /* as the profile has it, JSON */
  double start;                   /* its place */
} ck_tune_option;

/* The options of policies that decide on checkpoints: those that the policy names in `ranges`; of a
 * policy without, each number above 0 from a hundredth to a hundredfold, and each boolean. */
typedef struct ck_tune_space {
  ck_profile *profile; /* borrowed; its options are changed */
  ck_tune_option options[CK_TUNE_OPTIONS_MAX];
  size_t count;
  ck_value **base; /* of each policy, what the profile set at first */
} ck_tune_space;

/* CK_E_USAGE: there is no option to set. CK_E_UNSUPPORTED: an agent lists such a policy, too. */
CK_CHECKED ck_status ck_tune_space_open(ck_tune_space *out, ck_profile *profile, ck_error *err);
void ck_tune_space_close(ck_tune_space *self);

/* The value of an option at a place from 0 to 1, as JSON. */
void ck_tune_space_value(char out[CK_TUNE_VALUE_SIZE], const ck_tune_option *option, double place);
/* Sets the profile's options to the values at `places`. */
CK_CHECKED ck_status ck_tune_space_apply(ck_tune_space *self, const double *places, ck_error *err);

#endif
