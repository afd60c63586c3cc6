--- customer_names.lua - the customers of the house, a module of customers.lua.
return { "Ada Lovelace", "Grace Hopper" }
