/* test_form.c - an answer to a form is refused when it is given if it cannot be sent: the field,
 * what is wrong and what is an answer are told in one line; whatever a form is, nothing else
 * becomes of it. */
#include "lua/flow/form.h"

#include <string.h>

#include "tests/tap.h"

#define COUNT                                                                                      \
  "{\"type\":\"object\",\"required\":[\"count\"],\"properties\":{\"count\":{\"type\":\"integer\"," \
  "\"maximum\":5}}}"
#define TWO                                                                                 \
  "{\"type\":\"object\",\"required\":[\"size\"],\"properties\":{\"size\":{\"enum\":[\"S\"," \
  "\"M\"]},\"tags\":{\"type\":\"array\",\"minItems\":1}}}"

static const struct {
  const char *form, *answer;
  const char *says; /* NULL: it can be sent */
} cases[] = {
    {COUNT, "5", NULL},
    {COUNT, "{\"count\":0}", NULL},
    {COUNT, "decline", NULL},
    {COUNT, "cancel", NULL},
    {COUNT, "9", "'9' is not taken: That cannot be sent: the answer.count is 9, out of its range"},
    {COUNT, "9", "Answer with the value of count, or decline, or cancel"},
    {COUNT, "five", "the answer.count must be of type integer"},
    {COUNT, "", "the answer.count must be of type integer"},
    {TWO, "{\"size\":\"M\",\"tags\":[\"x\"]}", NULL},
    {TWO, "{\"size\":\"m\"}", "the answer.size is none of its enum: \"S\", \"M\""},
    {TWO, "{\"size\":\"M\",\"tags\":[]}", "the answer.tags needs 1 elements at least"},
    {TWO, "{\"size\":\"M\",\"colour\":1}", "there is no 'colour' to fill"},
    {TWO, "{\"tags\":[1]}", "the answer lacks 'size'"},
    {TWO, "M", "That is no JSON object"},
    {TWO, "{\"size\":", "Answer with a JSON object of size, tags, or decline, or cancel"},
    {"{}", "accept", NULL},
    {"{\"properties\":7}", "accept", NULL},
    {"{\"properties\":{\"a\":7}}", "x", NULL},
    {"{\"properties\":{\"a\":{\"pattern\":\"(\"}}}", "x", "its form cannot be understood"},
};

static void test_cases(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_error err = CK_ERROR_INIT;
    ck_status want = cases[i].says ? CK_E_REFUSED : CK_OK;
    tap_is_status(ck_form_check(ck_bytes_text(cases[i].form), cases[i].answer, &err), want, &err,
                  "'%s' to %s", cases[i].answer, cases[i].form);
    if (cases[i].says)
      tap_ok(strstr(err.text, cases[i].says) != NULL, "'%s' says '%s'", err.text, cases[i].says);
  }
}

/* The answer is shown as far as it is short, in whole characters. */
static void test_long(void) {
  ck_error err = CK_ERROR_INIT;
  char answer[400] = "x";
  for (int i = 0; i < 100; i++) strcat(answer, "\xc3\xa4");
  tap_is_status(ck_form_check(ck_bytes_text(COUNT), answer, &err), CK_E_REFUSED, &err,
                "a long answer");
  tap_ok(strncmp(err.text, "'x\xc3\xa4", 4) == 0 && strstr(err.text, "\xc3\xa4' is not taken") &&
             strlen(err.text) < 250,
         "is shown in part: %s", err.text);
}

int main(void) {
  test_cases();
  test_long();
  return tap_done();
}
