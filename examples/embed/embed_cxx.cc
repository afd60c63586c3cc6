// embed_cxx.cc - ckrun inside a C++ program; a profile and its Lua policies say which steps are
// kept. Run it twice: the first run dies in the middle, the second goes on from what was kept.
//
//   c++ -std=c++20 embed_cxx.cc $(pkg-config --cflags --libs ckrun) -o embed_cxx
//   ./embed_cxx every_second.lua ; ./embed_cxx every_second.lua
#include <ckrun.h>

#include <csignal>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

// What C hands out, freed as C wants it.
template <auto release>
struct releaser {
  template <typename thing>
  void operator()(thing *self) const {
    release(self);
  }
};
template <typename thing, auto release>
using owned = std::unique_ptr<thing, releaser<release>>;

using runtime = owned<ck_runtime, ck_runtime_close>;
using session = owned<ck_session, ck_session_close>;
using value = owned<ck_value, ck_value_free>;
using profile = owned<ck_profile, ck_profile_free>;
using policies = owned<ck_policy_engine, ck_policy_engine_free>;

struct failure : std::runtime_error {
  ck_status status;
  explicit failure(const ck_error &err) : std::runtime_error(err.text), status(err.status) {}
};

// Calls `make(&raw, …, &err)`, and owns what it makes.
template <typename owner, typename function, typename... arguments>
owner make(function call, arguments... given) {
  ck_error err = CK_ERROR_INIT;
  typename owner::pointer raw = nullptr;
  if (call(&raw, given..., &err) != CK_OK) throw failure(err);
  return owner(raw);
}

template <typename function, typename... arguments>
void check(function call, arguments... given) {
  ck_error err = CK_ERROR_INIT;
  if (call(given..., &err) != CK_OK) throw failure(err);
}

session open(ck_runtime *in, const profile &how, const policies &judge, bool *resumed) {
  const ck_resume_options resume = {.profile = how.get(), .policies = judge.get()};
  const ck_session_options start = {.id = "embed", .profile = how.get(), .policies = judge.get()};
  *resumed = true;
  try {
    return make<session>(ck_session_resume, in, "embed", &resume);
  } catch (const failure &why) {
    if (why.status != CK_E_NOT_FOUND) throw;
  }
  *resumed = false;
  return make<session>(ck_session_start, in, &start);
}

bool step(ck_session *in, int number) {
  const std::string text = "{\"step\":" + std::to_string(number) + "}";
  const value body = make<value>(ck_value_new, ck_bytes{text.data(), text.size()});
  check(ck_session_append, in, CK_EVENT_NOTE, nullptr, "counter", body.get());
  check(ck_session_put, in, "memory.last", body.get());
  const ck_boundary here = {.kind = CK_BOUNDARY_STEP_COMPLETE};
  ck_saved saved;
  check(ck_session_boundary, &saved, in, &here);
  if (saved.taken) check(ck_session_wait, in, saved.ticket);
  return saved.taken;
}

void run(const char *name, const char *store) {
  const ck_store_options create = {.create = true};
  const runtime process = make<runtime>(ck_runtime_open, store, &create, nullptr);
  const profile how = make<profile>(ck_profile_load, name);
  const policies judge = make<policies>(ck_policy_engine_new, how.get());
  bool resumed;
  const session here = open(process.get(), how, judge, &resumed);
  int64_t last = 0;
  ck_json_read_int(&last,
                   ck_json_get(ck_value_bytes(ck_session_get(here.get(), "memory.last")), "step"));
  for (int number = static_cast<int>(last) + 1; number <= 6; number++) {
    const bool taken = step(here.get(), number);
    std::cout << "step " << number << (taken ? " is durable" : " is not kept yet") << std::endl;
    if (number == 3 && !resumed) std::raise(SIGKILL);
  }
  check(ck_session_end, here.get(), CK_SESSION_COMPLETED, nullptr, nullptr);
}

} // namespace

int main(int argc, char **argv) {
  try {
    run(argc > 1 ? argv[1] : "default", argc > 2 ? argv[2] : "sqlite:embed.db");
    return 0;
  } catch (const failure &why) {
    std::cerr << "embed_cxx: " << why.what() << std::endl;
    return ck_status_exit(why.status);
  }
}
