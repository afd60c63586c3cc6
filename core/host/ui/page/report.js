// report.js - begins the page in a file of its own, where its modules lie as text: each is given an
// address, and those that it imports before it.

const addresses = new Map();

function addressOf(name) {
  if (!addresses.has(name)) {
    const text = document.querySelector(`script[data-module="${name}"]`).textContent
      .replace(/from "\.\/([a-z]+\.js)"/g, (_, other) => `from "${addressOf(other)}"`);
    addresses.set(name, URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  }
  return addresses.get(name);
}

import(addressOf("app.js"));
