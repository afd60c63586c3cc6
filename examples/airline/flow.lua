--- A customer service agent of an airline, as in tau-bench: a model, its tools, and a customer who
--- talks with it.
---
---   ckrun run examples/airline/flow.lua --cassette examples/airline/cassette.jsonl

local flow = require "ck.flow"

return flow.agent {
  name = "airline",
  prompt = flow.recorded,
  user = flow.ask {},
  -- The conversation ends where the recording ends: with the customer's last word, or with a tool's
  -- result.
  tools = {
    calculate = "pure",
    get_reservation_details = "pure",
    get_user_details = "pure",
    list_all_airports = "pure",
    search_direct_flight = "pure",
    search_onestop_flight = "pure",
    think = "pure",
    -- These change something. A recording can always be asked whether they happened; against an
    -- airline that cannot, they would be "once".
    book_reservation = "reconcilable",
    cancel_reservation = "reconcilable",
    send_certificate = "reconcilable",
    transfer_to_human_agents = "reconcilable",
    update_reservation_baggages = "reconcilable",
    update_reservation_flights = "reconcilable",
    update_reservation_passengers = "reconcilable",
  },
}
