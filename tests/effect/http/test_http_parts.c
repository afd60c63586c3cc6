/* test_http_parts.c - waits, dates, prices and event streams by their numbers and bytes. */
#include <string.h>

#include "core/effect/http/retry.h"
#include "core/effect/model/catalog.h"
#include "core/effect/model/price.h"
#include "core/effect/http/sse.h"
#include "tests/tap.h"

static void test_waits(void) {
  tap_is_int(ck_retry_wait(1, 500, 500), 500, "the first wait is at most the base");
  tap_is_int(ck_retry_wait(1, 500, 501), 0, "and any below, down to none");
  tap_is_int(ck_retry_wait(2, 500, 1000), 1000, "the second at most twice that");
  tap_is_int(ck_retry_wait(5, 500, 8000), 8000, "the fifth sixteen times");
  tap_is_int(ck_retry_wait(60, 500, CK_RETRY_CAP_MS), CK_RETRY_CAP_MS,
             "and none more than the cap");
  int64_t most = 0;
  for (uint64_t i = 0; i < 100000; i++) {
    int64_t wait = ck_retry_wait(1 + (int)(i % 40), 500, i * 0x9e3779b97f4a7c15ULL);
    if (wait < 0 || wait > CK_RETRY_CAP_MS) tap_ok(false, "a wait of %lld", (long long)wait);
    if (wait > most) most = wait;
  }
  tap_ok(most > CK_RETRY_CAP_MS / 2, "waits are spread over the whole range");
}

static void test_retry_after(void) {
  static const struct {
    const char *text;
    int64_t ms;
  } of_now[] = {{"0", 0},
                {"7", 7000},
                {"1.5", 1500},
                {"0.0001", 1},
                {"99999999999999999999", INT64_MAX},
                {"Sun, 06 Nov 1994 08:49:37 GMT", 37000},
                {"Sun, 06 Nov 1994 08:48:37 GMT", 0},
                {"Sun, 06 Nov 1994 08:49:37 GMTx", -1},
                {"Sun, 06 Nov 1994 08:49:37 CET", -1},
                {"Sun, 06 Foo 1994 08:49:37 GMT", -1},
                {"", -1},
                {"-1", -1},
                {"1,5", -1},
                {"soon", -1},
                {"1s", -1}};
  const int64_t now = 784111740000; /* 08:49:00 of that day */
  for (size_t i = 0; i < sizeof of_now / sizeof *of_now; i++) {
    tap_is_int(ck_retry_after(ck_bytes_text(of_now[i].text), now), of_now[i].ms, "Retry-After: %s",
               of_now[i].text);
  }
  tap_is_int(ck_retry_after_ms(ck_bytes_text("250")), 250, "retry-after-ms");
  tap_is_int(ck_retry_after_ms(ck_bytes_text("x")), -1, "retry-after-ms that says nothing");
  tap_ok(ck_retry_is_passing(408) && ck_retry_is_passing(409) && ck_retry_is_passing(429) &&
             ck_retry_is_passing(500) && ck_retry_is_passing(529),
         "what passes");
  tap_ok(!ck_retry_is_passing(400) && !ck_retry_is_passing(401) && !ck_retry_is_passing(404) &&
             !ck_retry_is_passing(413),
         "what does not");
}

static void test_catalog(void) {
  const ck_model_entry *entry = ck_catalog_find("claude-sonnet-4-5-20250929");
  tap_ok(entry && entry->context == 200000 && entry->output_max == 64000 &&
             entry->price.output == 15000000 && strcmp(entry->date, "2025-11") == 0 &&
             strncmp(entry->source, "https://", 8) == 0,
         "an entry has context, longest answer, prices, date and source");
  tap_ok(ck_catalog_find("gpt-4o-2024-05-13")->price.input == 5000000 &&
             ck_catalog_find("gpt-4o-2024-08-06")->price.input == 2500000,
         "a dated model with a price of its own has that");
  tap_ok(!ck_catalog_find("gpt-4o-audio-preview") && !ck_catalog_find(""), "others have none");
}

static void test_prices(void) {
  const ck_model_price none = {-1, -1, -1, -1, {0}};
  int64_t most;
  ck_model_price price = ck_price_find(&most, "gpt-4o-mini-2024-07-18", &none);
  tap_is_int(price.input, 150000, "a model with a date has the price of the model");
  tap_is_int(most, 16384, "and its longest answer");
  tap_is_int(ck_price_find(&most, "gpt-4o-audio-preview", &none).input, -1,
             "another model has not");
  tap_is_int(ck_price_find(&most, "claude-opus-4-5-20251101", &none).input, 5000000,
             "the longer name is meant");
  tap_is_int(ck_price_find(&most, "claude-opus-4-20250514", &none).input, 15000000,
             "and the shorter");
  tap_is_int(ck_price_find(&most, "my-own", &none).output, -1,
             "of an unknown one nothing is known");
  price = ck_price_find(&most, "gpt-4o", &(ck_model_price){1, -1, -1, -1, {0}});
  tap_is_int(price.input, 1, "what the profile says comes first");
  tap_is_int(price.output, 10000000, "and the table fills in");
  price = ck_price_find(&most, "claude-haiku-4-5", &(ck_model_price){1100000, -1, -1, -1, {0}});
  tap_ok(price.cache_read == 1100000 && price.cache_write == 1250000,
         "who says what input costs is not taken to pay less for what is cached");
  price = ck_price_find(&most, "claude-haiku-4-5", &(ck_model_price){1100000, -1, 2, 3, {0}});
  tap_ok(price.cache_read == 2 && price.cache_write == 3, "but what he says it is");
  price = ck_price_find(&most, "gpt-5.2-pro", &none);
  tap_ok(price.input == 21000000 && price.cache_read == -1 && most == -1,
         "what no source says is not known");
  price = (ck_model_price){3000000, 15000000, 300000, 3750000, {0}};
  tap_is_int(
      ck_price_cost(
          &price,
          &(ck_usage){
              .input = 1000, .cache_read = 10000, .cache_write = 100, .output = 50, .known = true}),
      3000 + 3000 + 375 + 750, "a sum");
  tap_is_int(ck_price_cost(&price, &(ck_usage){.cache_write_long = 1000, .known = true}), 6000,
             "writing for an hour");
  tap_is_int(
      ck_price_cost(&(ck_model_price){1, 1, -1, -1, {0}}, &(ck_usage){.input = 1, .known = true}),
      1, "is rounded up");
  tap_is_int(ck_price_cost(&(ck_model_price){2000000, 1, -1, -1, {0}},
                           &(ck_usage){.cache_read = 3, .known = true}),
             6, "a cache without a price costs what input does");
  tap_is_int(ck_price_cost(&none, &(ck_usage){.input = 1, .known = true}), -1,
             "without a price it is not known");
  tap_is_int(ck_price_cost(&price, &(ck_usage){.known = false}), -1, "nor without tokens");
  tap_ok(ck_price_cost(&(ck_model_price){INT64_MAX, INT64_MAX, -1, -1, {0}},
                       &(ck_usage){.input = INT64_MAX, .output = INT64_MAX, .known = true}) > 0,
         "nothing overflows");
  tap_is_int(ck_price_bound(&price, 1000, -1, false), -1,
             "without the longest answer there is no bound");
  tap_is_int(ck_price_bound(&price, 1000, 100, false), 1000 * 3 + 1500,
             "a bound is the sum of both");
  tap_is_int(ck_price_bound(&price, 1000, 100, true), 1000 * 6 + 1500,
             "of what may be cached, the dearest");
  tap_is_int(ck_price_afford(&price, 1000 * 3 + 1500, 1000, false), 100,
             "what a bound costs pays for its answer");
  tap_is_int(ck_price_afford(&price, 1000 * 3 + 1499, 1000, false), 99, "less for less");
  tap_is_int(ck_price_afford(&price, 1000 * 3 - 1, 1000, false), 0, "not the request: nothing");
  tap_is_int(ck_price_afford(&price, 1000 * 6 + 30, 1000, true), 2, "what may be cached is dearer");
  tap_ok(ck_price_afford(&(ck_model_price){0, 0, -1, -1, {0}}, 0, 1000, false) > 1000000,
         "what costs nothing has no end");
  tap_ok(ck_price_afford(&(ck_model_price){0, 1, -1, -1, {0}}, INT64_MAX, 0, false) > 1000000 &&
             ck_price_afford(&(ck_model_price){INT64_MAX, 1, -1, -1, {0}}, 1, INT64_MAX, true) == 0,
         "nothing overflows there either");
}

static void test_long_requests(void) {
  const ck_model_price price = {
      1000000, 10000000, 100000, -1, {1000, 2000000, 15000000, 200000, -1}};
  tap_is_int(
      ck_price_cost(
          &price,
          &(ck_usage){
              .input = 600, .cache_read = 300, .cache_write = 100, .output = 10, .known = true}),
      600 + 30 + 100 + 100, "a request that is just not long costs what others do");
  tap_is_int(
      ck_price_cost(
          &price,
          &(ck_usage){
              .input = 600, .cache_read = 300, .cache_write = 101, .output = 10, .known = true}),
      1200 + 60 + 202 + 150, "one token more, and all of it is dearer");
  ck_usage tries = {0};
  for (int i = 0; i < 2; i++)
    ck_usage_add(&tries, &(ck_usage){.input = 600, .output = 10, .known = true});
  tap_is_int(ck_price_cost(&price, &tries), 1200 + 200, "two short ones are none that is long");
  ck_usage_add(&tries, &(ck_usage){.input = 1001, .output = 10, .known = true});
  tap_is_int(ck_price_cost(&price, &tries), 2201 * 2 + 450, "one that is makes all of them so");
  tap_is_int(ck_price_bound(&price, 1000, 100, false), 1000 + 1000, "a bound of a short one");
  tap_is_int(ck_price_bound(&price, 1001, 100, false), 2002 + 1500, "of a long one");
  tap_is_int(ck_price_afford(&price, 2002 + 1500, 1001, false), 100, "which pays for its answer");
  tap_is_int(ck_price_afford(&price, 2002 + 1499, 1001, false), 99, "less for less");
  const ck_model_price cheaper = {2000000, 2000000, -1, -1, {1000, 1000000, 1000000, -1, -1}};
  tap_is_int(ck_price_bound(&cheaper, 1001, 100, false), 2002 + 200,
             "where long ones are cheaper it may turn out to be a short one");
}

static void test_long_prices(void) {
  const ck_model_price none = {-1, -1, -1, -1, {-1, -1, -1, -1, -1}};
  ck_model_price mine = none;
  int64_t most;
  ck_model_price price = ck_price_find(&most, "gemini-2.5-pro", &none);
  tap_ok(price.longer.above == 200000 && price.longer.input == 2500000 &&
             price.longer.output == 15000000 && price.longer.cache_read == 250000,
         "long requests of some models cost more, as it ships");
  mine.input = 2000000, mine.output = 20000000;
  price = ck_price_find(&most, "gemini-2.5-pro", &mine);
  tap_ok(price.longer.input == 2500000 && price.longer.output == 20000000 &&
             price.longer.cache_read == 2500000,
         "who says what others cost is not taken to pay less for them");
  mine.longer = (ck_long_price){0, -1, -1, -1, -1};
  price = ck_price_find(&most, "gemini-2.5-pro", &mine);
  tap_is_int(ck_price_cost(&price, &(ck_usage){.input = 300000, .known = true}), 600000,
             "but who says that they cost the same");
  mine.longer = (ck_long_price){100, 7000000, 8000000, -1, -1};
  price = ck_price_find(&most, "gemini-2.5-pro", &mine);
  tap_is_int(ck_price_cost(&price, &(ck_usage){.input = 101, .output = 1, .known = true}),
             101 * 7 + 8, "or what they cost");
}

/* The events that came, as "name=data;". */
static ck_status take(void *to, ck_bytes event, ck_bytes data, ck_error *err) {
  ck_buffer *out = to;
  (void)err;
  ck_buffer_append_bytes(out, event);
  ck_buffer_append_char(out, '=');
  ck_buffer_append_bytes(out, data);
  ck_buffer_append_char(out, ';');
  return ck_bytes_equal(data, ck_bytes_text("stop")) ? CK_E_FAILED : CK_OK;
}

static void test_events(void) {
  static const char *const streams[][2] = {
      {"data: a\n\n", "=a;"},
      {"data: a", ""},
      {"data: a\n", ""},
      {"event: x\ndata:a\ndata:  b\n\n", "x=a\n b;"},
      {"event: x\n\ndata: a\n\n", "=a;"},
      {"data\n\n", "=;"},
      {": comment\nid: 7\nretry: 9\nother: x\ndata: a\n\n", "=a;"},
      {"data: a\r\n\r\ndata: b\r\rdata: c\n\n", "=a;=b;=c;"},
      {"\xef\xbb\xbf"
       "data: a\n\n",
       "=a;"},
      {"\xef\xbb\xbf\n"
       "data: a\n\n",
       "=a;"},
      {"data: a\n\ndata: stop\n\ndata: b\n\n", "=a;=stop;"},
  };
  for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
    size_t len = strlen(streams[i][0]);
    for (size_t piece = 1; piece <= len; piece++) {
      ck_buffer got = {0};
      ck_sse sse = {.take = take, .to = &got};
      ck_status status = CK_OK;
      for (size_t at = 0; !status && at < len; at += piece) {
        status = ck_sse_feed(
            &sse, (ck_bytes){streams[i][0] + at, len - at < piece ? len - at : piece}, NULL);
      }
      if (strcmp(got.data ? got.data : "", streams[i][1]) != 0)
        tap_ok(false, "stream %zu in pieces of %zu: %s", i, piece, got.data);
      if ((strstr(streams[i][1], "stop") != NULL) != (status == CK_E_FAILED))
        tap_ok(false, "stream %zu: what take answers is passed on", i);
      ck_sse_clear(&sse);
      ck_buffer_clear(&got);
    }
    tap_ok(true, "stream %zu is read whole, however it is cut", i);
  }
}

/* What of a stream a client gives back when it takes the stream up again. */
static void test_ids(void) {
  static const struct {
    const char *stream, *id;
    int64_t retry_ms;
  } cases[] = {
      {"id: 7\n\n", "7", 0},
      {"id: 7\ndata: a\n\nid: 8\ndata: b\n", "7", 0}, /* its event did not end */
      {"id:7\n\nid\n\n", "", 0},
      {"retry: 250\nid: a b/\xc3\xa9\n\ndata: x\n\n", "a b/\xc3\xa9", 250},
      {"retry: -1\nretry: 1.5\nretry: \nid: a\x01\n\n", "", 0},
      {"retry: 99999999999999999999\n", "", 9999999999},
  };
  ck_buffer got = {0}, longest = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_sse sse = {.take = take, .to = &got};
    tap_must(ck_sse_feed(&sse, ck_bytes_text(cases[i].stream), NULL) == CK_OK, "it is read");
    tap_is_text(sse.id, cases[i].id, "stream %zu: the id of its last event", i);
    tap_is_int(sse.retry_ms, cases[i].retry_ms, "the wait that it asks for");
    ck_sse_clear(&sse);
  }
  ck_sse sse = {.take = take, .to = &got};
  ck_buffer_append_text(&longest, "id: 1\n\nid: ");
  for (int i = 0; i < CK_SSE_ID_MAX; i++) ck_buffer_append_char(&longest, 'x');
  ck_buffer_append_text(&longest, "\n\n");
  tap_must(ck_sse_feed(&sse, ck_buffer_bytes(&longest), NULL) == CK_OK, "it is read");
  tap_is_text(sse.id, "", "one that is too long is none");
  ck_sse_clear(&sse);
  ck_buffer_clear(&got);
  ck_buffer_clear(&longest);
}

int main(void) {
  test_waits();
  test_retry_after();
  test_catalog();
  test_ids();
  test_prices();
  test_events();
  test_long_requests();
  test_long_prices();
  return tap_done();
}
