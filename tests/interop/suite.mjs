// suite.mjs - what the conformance suite needs between itself and `ckrun mcp --listen`: it knows no
// tokens, and calls tools and resources by names of its own. Their requests are those of ckrun here
// in every other respect; a name stands in both body and header.
//   node --import suite.mjs …   gives the suite a globSync, which node has from version 22 on
//   node suite.mjs URL          serves the suite; prints the port
import http from "node:http";
import { register } from "node:module";

const names = {
  test_simple_text: "list_resumable_sessions",
  test_error_handling: "inspect_checkpoint",
  "test://static-text": "ckrun://sessions/trip/log",
  "test://template/123/data": "ckrun://sessions/123",
};
const rename = (text, ...ways) =>
  Object.entries(names).reduce((to, [suite, own]) => {
    const [from, into] = ways[0] === "back" ? [own, suite] : [suite, own];
    return to.replaceAll(`"${from}"`, `"${into}"`);
  }, text);

const module = (text) => "data:text/javascript," + encodeURIComponent(text);
if (!process.argv[1]?.endsWith("suite.mjs")) {
  const fs = module('export * from "node:fs"; export { default } from "node:fs";' +
    "export const globSync = () => [];");
  register(module(`export const resolve = (name, context, next) =>
    name === "fs" ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(name, context);`));
} else {
  const to = new URL(process.argv[2]);
  const whole = async (stream) => {
    const parts = [];
    for await (const part of stream) parts.push(part);
    return Buffer.concat(parts).toString();
  };
  const server = http.createServer(async (request, answer) => {
    const port = server.address().port;
    const headers = { ...request.headers, authorization: `Bearer ${process.env.MCP_TOKEN}` };
    for (const name of ["host", "origin"])
      headers[name] = headers[name]?.replace(`127.0.0.1:${port}`, to.host)
        .replace(`localhost:${port}`, to.host);
    if (!headers.origin) delete headers.origin;
    const name = headers["mcp-name"];
    if (name) headers["mcp-name"] = names[name] ?? name;
    const body = rename(await whole(request));
    headers["content-length"] = Buffer.byteLength(body);
    delete headers["transfer-encoding"];
    const { hostname, port: own } = to;
    http.request({ hostname, port: own, path: request.url, method: request.method, headers },
      async (got) => {
        const said = rename(await whole(got), "back");
        answer.writeHead(got.statusCode, { ...got.headers,
          "content-length": Buffer.byteLength(said) });
        answer.end(said);
      }).on("error", () => answer.destroy()).end(body);
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
}
