/* schema.c - the schema of an answer, as a format of what is said or as a tool that is called. */
#include "core/effect/model/private.h"

ck_bytes ck_model_get_schema(const ck_model_query *query) {
  ck_bytes schema = ck_json_get(query->request, "response_schema");
  return ck_json_type_of(schema) == CK_JSON_OBJECT ? schema : (ck_bytes){NULL, 0};
}

void ck_model_put_answer_tool(ck_json_writer *w, const ck_model_query *query, const char *schema) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "name", CK_MODEL_ANSWER);
  ck_json_member_text(w, "description", "Gives your final answer, when all other calls are made.");
  ck_json_member_raw(w, schema, ck_model_get_schema(query));
  ck_json_end(w, '}');
}

void ck_model_put_answer_format(ck_json_writer *w, const ck_model_query *query, bool nested) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "json_schema");
  if (nested) {
    ck_json_name(w, "json_schema");
    ck_json_begin(w, '{');
  }
  ck_json_member_text(w, "name", "answer");
  ck_json_member_raw(w, "schema", ck_model_get_schema(query));
  if (nested) ck_json_end(w, '}');
  ck_json_end(w, '}');
}
