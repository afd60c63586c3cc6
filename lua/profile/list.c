/* list.c - profile list: each profile loaded as a session would, without its policies. */
#include "lua/profile/profile.h"

static ck_status write_about(ck_json_writer *w, const char *name, ck_error *err) {
  ck_profile *profile = NULL;
  ck_status status = ck_profile_load(&profile, name, err);
  if (status != CK_OK) return status;
  ck_json_member_text(w, "name", profile->name);
  ck_json_name(w, "policies");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < profile->policy_count; i++) ck_json_put_text(w, profile->policies[i].name);
  ck_json_end(w, ']');
  ck_profile_free(profile);
  return CK_OK;
}

/* Policies and flows have a version, or functions; a profile is data. */
static bool is_meant(lua_State *L) {
  bool meant = lua_getfield(L, -1, "version") == LUA_TNIL;
  lua_pop(L, 1);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) meant = meant && !lua_isfunction(L, -1);
  return meant;
}

ck_status ck_profile_list(const char *folder, ck_sources_take take, void *to, ck_error *err) {
  static const ck_sources_kind profiles = {"profile", write_about, is_meant};
  return ck_sources_list(&profiles, folder, take, to, err);
}
