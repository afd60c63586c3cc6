/* cassette_fixture.h - cassettes of a few lines, for tests. */
#ifndef CK_TESTS_EFFECT_CASSETTE_CASSETTE_FIXTURE_H
#define CK_TESTS_EFFECT_CASSETTE_CASSETTE_FIXTURE_H

#include "core/effect/cassette/cassette.h"

#define HEADER "{\"cassette\":1}\n"
#define ASK "{\"scope\":\"main\",\"kind\":\"ask\",\"answer\":\"hi\"}\n"
#define MODEL(message) "{\"scope\":\"main\",\"kind\":\"model\",\"message\":" message "}\n"
#define CALLING(name)                                                                           \
  MODEL("{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"name\":\"" name \
        "\",\"arguments\":\"{}\"}}]}")
#define TOOL(index)                                        \
  "{\"scope\":\"main\",\"kind\":\"tool\",\"index\":" index \
  ",\"name\":\"look\",\"arguments\":\"{}\",\"result\":\"r\"}\n"

/* The path of a new file that holds `text`; it lives as long as the test. */
const char *cassette_write_file(const char *text);
/* A cassette that holds `text`; the caller closes it. */
ck_cassette *cassette_open_text(const char *text);

#endif
