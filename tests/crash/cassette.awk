# cassette.awk - a recording of `rounds` rounds: the model asks for the tool "count" once in each.
BEGIN {
  print "{\"cassette\":1,\"prompt\":\"Count with the tool.\"}"
  printf "{\"scope\":\"main\",\"kind\":\"ask\",\"answer\":\"Count to %d.\"}\n", rounds
  for (n = 1; n <= rounds; n++) {
    arguments = "\"{\\\"n\\\": " n "}\""
    call = sprintf("{\"id\":\"call_%d\",\"type\":\"function\"," \
      "\"function\":{\"name\":\"count\",\"arguments\":%s}}", n, arguments)
    printf "{\"scope\":\"main\",\"kind\":\"model\",\"message\":{\"role\":\"assistant\","
    printf "\"content\":\"Round %d.\",\"tool_calls\":[%s]},", n, call
    printf "\"usage\":{\"input_tokens\":%d,\"output_tokens\":9},", 20 + 9 * n
    printf "\"cost_micros\":%d}\n", 100 + n
    printf "{\"scope\":\"main\",\"kind\":\"tool\",\"index\":0,\"name\":\"count\","
    printf "\"arguments\":%s,\"result\":\"counted %d\"}\n", arguments, n
  }
  printf "{\"scope\":\"main\",\"kind\":\"model\",\"message\":{\"role\":\"assistant\","
  print "\"content\":\"All counted.\"},\"cost_micros\":7}"
}
