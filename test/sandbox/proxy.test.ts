import { gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.js";
import { eachTest } from "../helpers/each-test.js";
import { type CallSettings, call } from "../helpers/stand-in/caller.js";
import { startReceiver } from "../helpers/webhooks/receiver.js";

const sandbox = eachTest(() => startSandbox({ vaults: "empty" }));
const target = eachTest(startReceiver);
beforeEach(async () => {
  sandbox.addUser({ fp_id: "fp_id_1" });
  sandbox.addUser({ fp_id: "fp_id_2" });
  sandbox.vaults.write("fp_id_1", {
    "id.ssn9": "912345678",
    "custom.q": 'a"b\\',
    "custom.n": 7,
    "custom.o": { a: 1 },
  });
  sandbox.vaults.write("fp_id_2", { "id.ssn9": "987654321" });
  sandbox.proxies.configure({ id: "p", target: `${target.url}/base`, headers: { "x-static": "s" } });
});

const json = { "content-type": "application/json" };
const send = (settings: CallSettings) => call(sandbox, "POST", "/vault_proxy/p", settings);

test("placeholders are replaced with and without x-fp-id; inside JSON they stay JSON", async () => {
  const body =
    '{"a":"{{fp_id_1.id.ssn9}}","b":"{{ fp_id_2.id.ssn9 }}","c":"{{fp_id_1.custom.q}}","d":{{fp_id_1.custom.n}}}';
  await send({ body, headers: json });
  const expected = { a: "912345678", b: "987654321", c: 'a"b\\', d: 7 };
  expect(JSON.parse(String(target.received[0]?.body))).toEqual(expected);
  await send({ body: '["{{id.ssn9}}","{{fp_id_2.id.ssn9}}"]', headers: { ...json, "x-fp-id": "fp_id_1" } });
  expect(JSON.parse(String(target.received[1]?.body))).toEqual(["912345678", "987654321"]);
});

test("other types: forms are encoded, texts are as they are, bytes around a placeholder stay bytes", async () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  await send({ body: "q={{fp_id_1.custom.q}}", headers: form });
  expect(String(target.received[0]?.body)).toBe("q=a%22b%5C");
  await send({ body: "{{fp_id_1.custom.o}}", headers: { "content-type": "text/plain" } });
  expect(String(target.received[1]?.body)).toBe('{"a":1}');
  const bytes = Buffer.concat([gzipSync("x"), Buffer.from("{{fp_id_1.id.ssn9}}"), Buffer.from([0xff, 0x00])]);
  await send({ body: bytes, headers: { "content-type": "application/octet-stream" } });
  const sent = Buffer.concat([gzipSync("x"), Buffer.from("912345678"), Buffer.from([0xff, 0x00])]);
  expect(target.received[2]?.body.equals(sent)).toBe(true);
});

test("path, method and forwarded headers reach the target; key and x-fp headers do not", async () => {
  const headers = {
    ...json,
    "x-fp-path-and-query": "/v1/{{fp_id_1.id.ssn9}}?a=1",
    "x-fp-proxy-method": "put",
    "x-fp-proxy-fwd-authorization": "Bearer {{fp_id_2.id.ssn9}}",
    "x-fp-proxy-fwd-x-own": "own",
    "x-fp-proxy-access-reason": "payout",
  };
  await send({ body: "{}", headers });
  const [received] = target.received;
  expect(received).toMatchObject({ method: "PUT", path: "/base/v1/912345678?a=1" });
  expect(received?.headers).toMatchObject({
    authorization: "Bearer 987654321",
    "x-own": "own",
    "x-static": "s",
    "content-type": "application/json",
  });
  expect(Object.keys(received?.headers ?? {}).filter((name) => name.startsWith("x-fp"))).toEqual([]);
  expect(sandbox.vaults.decryptions()).toMatchObject([
    { entity_id: "fp_id_1", fields: ["id.ssn9"], reason: "payout", by: "vault_proxy" },
    { entity_id: "fp_id_2", fields: ["id.ssn9"], reason: "payout", by: "vault_proxy" },
  ]);
  expect(sandbox.proxies.forwarded("p")).toMatchObject([
    { method: "PUT", placeholders: ["fp_id_1.id.ssn9", "fp_id_2.id.ssn9"], result: 200 },
  ]);
});

test("the target's answer comes back as it is: any status, type and bytes", async () => {
  const image = Buffer.from([0x89, 0x50, 0x00, 0xff]);
  target.answer = () => ({
    status: 418,
    headers: { "content-type": "image/png", "x-trace": "t" },
    body: image,
  });
  const response = await fetch(`${sandbox.url}/vault_proxy/p`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${sandbox.apiKey}:`)}` },
  });
  expect([response.status, response.headers.get("content-type"), response.headers.get("x-trace")]).toEqual([
    418,
    "image/png",
    "t",
  ]);
  expect(Buffer.from(await response.arrayBuffer()).equals(image)).toBe(true);
});

test("ingress rules store values of the answer, of the call and of the configuration", async () => {
  sandbox.proxies.configure({
    id: "p",
    target: target.url,
    ingress: ["custom.stored=$.items[1]['the name']"],
  });
  const answer = '{"card":{"pan":"4111"},"items":[{},{"the name":"n"}],"none":null}';
  target.answer = () => ({ headers: json, body: answer });
  const rules = "fp_id_2.custom.pan=$.card.pan, custom.none=$.none, custom.missing=$.gone";
  const headers = { "x-fp-id": "fp_id_1", "x-fp-proxy-ingress-rule": rules };
  const response = await send({ body: "{}", headers: { ...headers, ...json } });
  expect(response.text).toBe(answer);
  expect(sandbox.vaults.value("fp_id_2", "custom.pan")).toBe("4111");
  expect(sandbox.vaults.value("fp_id_1", "custom.stored")).toBe("n");
  expect(sandbox.proxies.forwarded()[0]?.stored).toEqual(["fp_id_2.custom.pan", "fp_id_1.custom.stored"]);
});

test("an answer that is not JSON can't be stored from, unless its type is said to be", async () => {
  target.answer = () => ({ headers: { "content-type": "text/plain" }, body: '{"a":"x"}' });
  const headers = { "x-fp-proxy-ingress-rule": "fp_id_1.custom.a=$.a" };
  expect((await send({ headers })).status).toBe(502);
  expect(sandbox.vaults.value("fp_id_1", "custom.a")).toBeUndefined();
  const named = { ...headers, "x-fp-proxy-ingress-content-type": "application/json" };
  expect((await send({ headers: named })).status).toBe(200);
  expect(sandbox.vaults.value("fp_id_1", "custom.a")).toBe("x");
});

const pem = Buffer.from("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----").toString("base64");
test.each([
  ["a placeholder without its user", { body: "{{id.ssn9}}" }],
  ["a placeholder of a value that is not there", { body: "{{fp_id_1.id.dob}}" }],
  ["a placeholder of an unknown identifier", { body: "{{fp_id_1.id.ssn}}" }],
  ["a placeholder of an unknown user", { body: "{{fp_id_9.id.ssn9}}" }],
  ["an unknown user in x-fp-id", { headers: { "x-fp-id": "nobody" } }],
  ["a pinned certificate that can't be read", { headers: { "x-fp-proxy-pin-cert": pem } }],
  ["an unknown x-fp header", { headers: { "x-fp-proxy-methods": "GET" } }],
  ["a rule with a wildcard", { headers: { "x-fp-proxy-ingress-rule": "fp_id_1.custom.a=$.a[*]" } }],
  ["a rule without a user", { headers: { "x-fp-proxy-ingress-rule": "custom.a=$.a" } }],
  ["a header of the connection", { headers: { "x-fp-proxy-fwd-host": "example.com" } }],
])("%s is refused, and nothing is sent", async (_rule, settings: CallSettings) => {
  expect((await send(settings)).status).toBe(400);
  expect(target.received).toEqual([]);
});

test("an unknown proxy, a target that is not there, a target that is too slow", async () => {
  expect((await call(sandbox, "POST", "/vault_proxy/none")).status).toBe(404);
  const gone = await startReceiver();
  await gone.close();
  sandbox.proxies.configure({ id: "gone", target: gone.url });
  expect((await call(sandbox, "POST", "/vault_proxy/gone")).status).toBe(502);
  const slow = await startSandbox({ faults: [{ kind: "hang" }] });
  sandbox.proxies.configure({
    id: "slow",
    target: `${slow.url}/users/u`,
    timeoutMs: 50,
    headers: basic(slow),
  });
  const headers = { "x-fp-proxy-method": "GET" };
  expect((await call(sandbox, "POST", "/vault_proxy/slow", { headers })).status).toBe(504);
  await slow.close();
});

function basic(of: Sandbox): Record<string, string> {
  return { authorization: `Basic ${btoa(`${of.apiKey}:`)}` };
}

test.each([
  "https://example.com/",
  "http://10.0.0.1/",
  "http://127.0.0.1.example.com/",
  "file:///etc/hosts",
  "x",
])("a target at %s can't be configured: the stand-in sends nothing to another machine", (target) => {
  expect(() => sandbox.proxies.configure({ id: "far", target })).toThrow(
    /an address on 127\.0\.0\.1 is needed/,
  );
});
