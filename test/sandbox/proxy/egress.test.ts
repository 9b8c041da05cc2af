import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { call } from "../../helpers/stand-in/caller.js";
import { selfSigned } from "../../helpers/stand-in/tls-certificate.js";

const server = selfSigned("target");
const client = selfSigned("client");
const other = selfSigned("other");
const encoded = (text: string) => Buffer.from(text).toString("base64");

let sandbox: Sandbox;
let target: Server;
beforeAll(async () => {
  const options = { ...server, requestCert: true, rejectUnauthorized: false };
  target = createServer(options, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    response.end(JSON.stringify({ client: subject?.CN ?? null }));
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  sandbox = await startSandbox();
  const { port } = target.address() as AddressInfo;
  sandbox.proxies.configure({ id: "p", target: `https://127.0.0.1:${port}` });
});
afterAll(async () => {
  await sandbox.close();
  target.closeAllConnections();
  await new Promise((resolve) => target.close(resolve));
});

const send = (headers: Record<string, string>) => call(sandbox, "POST", "/vault_proxy/p", { headers });

test("a pinned certificate is accepted, alone or among several; any other is not", async () => {
  const pinned = { "x-fp-proxy-pin-cert": encoded(server.cert) };
  expect((await send(pinned)).body).toEqual({ client: null });
  expect((await send({ "x-fp-proxy-pin-cert": encoded(other.cert + server.cert) })).status).toBe(200);
  expect(
    (await send({ "x-fp-proxy-pin-cert": `${encoded(other.cert)}, ${encoded(server.cert)}` })).status,
  ).toBe(200);
  expect((await send({ "x-fp-proxy-pin-cert": encoded(other.cert) })).status).toBe(502);
  expect((await send({})).status).toBe(502);
});

test("the client's certificate and key are shown to the target; two that are not a pair are refused", async () => {
  const headers = {
    "x-fp-proxy-pin-cert": encoded(server.cert),
    "x-fp-proxy-client-cert": encoded(client.cert),
    "x-fp-proxy-client-key": encoded(client.key),
  };
  expect((await send(headers)).body).toEqual({ client: "client" });
  const mixed = { ...headers, "x-fp-proxy-client-key": encoded(other.key) };
  expect((await send(mixed)).status).toBe(400);
});
