--- One order: it is charged, then it is shipped. A charge must not happen twice, so its class is
--- `once`: where a worker died in the middle of it, a person would be asked.
local flow = require("ck.flow")

return flow.graph {
  name = "order",
  start = "charge",
  nodes = {
    charge = flow.exec { argv = { "./charge" }, class = "once" },
    ship = flow.exec { argv = { "./ship" }, class = "idempotent" },
  },
  edges = { charge = "ship", ship = flow.done },
}
