import { afterEach, beforeEach, expect, test } from "vitest";
import { type CodecServer, startCodecServer } from "../../src/temporal/codec-server.js";
import { parseEncryptionKeys } from "../../src/temporal/encryption/keys.js";
import { dataConverter } from "../../src/temporal/encryption/payload-codec.js";

const KEYS = parseEncryptionKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`);
const OTHER_KEYS = parseEncryptionKeys(`other:${Buffer.alloc(32, 8).toString("base64")}`);
const TOKEN = "a-token-of-more-than-24-characters";
const UI = "http://127.0.0.1:8233";
const PLAIN = {
  metadata: { encoding: Buffer.from("json/plain").toString("base64") },
  data: Buffer.from('{"rows":3}').toString("base64"),
};

let server: CodecServer;
beforeEach(async () => {
  server = await startCodecServer({
    keys: KEYS,
    host: "127.0.0.1",
    port: 0,
    token: TOKEN,
    origins: [UI],
  });
});
afterEach(() => server.stop());

async function encrypted(keys = KEYS, namespace = "default") {
  let payloads = [{ metadata: { encoding: Buffer.from("json/plain") }, data: Buffer.from('{"rows":3}') }];
  for (const codec of dataConverter(keys, namespace).payloadCodecs)
    payloads = (await codec.encode(payloads)) as typeof payloads;
  return payloads.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]),
    ),
    data: Buffer.from(data).toString("base64"),
  }));
}

function ask(path: string, payloads: unknown, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ payloads }),
  });
}

test.each([
  [`/${TOKEN}/decode`, {}],
  ["/decode", { authorization: `Bearer ${TOKEN}` }],
  // As Temporal's CLI asks without --namespace.
  ["/decode", { authorization: `Bearer ${TOKEN}`, "x-namespace": "" }],
])("what a worker encrypted is given in the clear, by %s", async (path, headers) => {
  const answer = await ask(path, await encrypted(), { ...headers, origin: UI });
  expect(answer.headers.get("access-control-allow-origin")).toBe(UI);
  expect(await answer.json()).toEqual({ payloads: [PLAIN] });
});

test("what it encrypts, a worker opens; what is not encrypted passes", async () => {
  const { payloads } = (await (await ask(`/${TOKEN}/encode`, [PLAIN])).json()) as { payloads: unknown[] };
  expect(JSON.stringify(payloads)).not.toContain(PLAIN.data);
  expect(await (await ask(`/${TOKEN}/decode`, payloads)).json()).toEqual({ payloads: [PLAIN] });
  expect(await (await ask(`/${TOKEN}/decode`, [PLAIN])).json()).toEqual({ payloads: [PLAIN] });
});

test.each([
  ["no token", "/decode", {}, 401],
  ["another token", "/decode", { authorization: "Bearer a-token-of-more-than-24-characterz" }, 401],
  ["another page", `/${TOKEN}/decode`, { origin: "http://evil.example" }, 403],
  ["another step", `/${TOKEN}/keys`, {}, 404],
])("%s is refused, and nothing is opened", async (_, path, headers, status) => {
  const answer = await ask(path, await encrypted(), headers);
  expect(answer.status).toBe(status);
  expect(await answer.text()).toBe("");
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});

test("a page of the UI may ask whether it may ask; no other may", async () => {
  const preflight = (origin: string) =>
    fetch(`${server.url}/${TOKEN}/decode`, { method: "OPTIONS", headers: { origin } });
  expect((await preflight(UI)).status).toBe(204);
  expect((await preflight(UI)).headers.get("access-control-allow-headers")).toContain("x-namespace");
  expect((await preflight("http://evil.example")).status).toBe(403);
});

test.each([
  ["other keys", () => encrypted(OTHER_KEYS)],
  ["another namespace", () => encrypted(KEYS, "another")],
])("what %s encrypted is not opened, and the answer says so", async (_, made) => {
  const answer = await ask(`/${TOKEN}/decode`, await made());
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { message: string }).message).toMatch(/NIGHTLEDGER_ENCRYPTION_KEYS|key/i);
});
