import { request } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.js";
import { call, tokenFor } from "../helpers/stand-in/caller.js";

let sandbox: Sandbox;
beforeEach(async () => {
  const clock = { now: "2026-11-20T08:00:00.000Z", frozen: true };
  sandbox = await startSandbox({ clock, vaults: "empty", maxUploadBytes: 200_000 });
  sandbox.addUser({ fp_id: "u" });
  sandbox.addUser({ fp_id: "other" });
  sandbox.vaults.write("u", {
    "id.first_name": "Ada",
    "custom.score": 7,
    "custom.vip": true,
    "custom.o": { a: 1 },
  });
});
afterEach(() => sandbox.close());

const grant = {
  scope: "vault_and_decrypt",
  fields: ["id.first_name", "custom.score", "custom.vip", "custom.o"],
};
const make = (body: object) => call(sandbox, "POST", "/users/u/client_token", { body });
const decrypt = (token: string, body: object) =>
  call(sandbox, "POST", "/users/vault/decrypt", { token, body });
const patch = (token: string, body: object) => call(sandbox, "PATCH", "/users/vault", { token, body });

test("client token: 30 minutes by default, as long as ttl says else, refused from then on", async () => {
  expect((await make(grant)).body).toEqual({
    token: expect.stringMatching(/^fptok_/),
    expires_at: "2026-11-20T08:30:00.000Z",
    fields: grant.fields,
  });
  const { token, expires_at } = (await make({ ...grant, ttl: 60 })).body;
  expect(expires_at).toBe("2026-11-20T08:01:00.000Z");
  sandbox.clock.advance(59_999);
  expect((await patch(token, {})).status).toBe(200);
  sandbox.clock.advance(1);
  expect((await patch(token, {})).status).toBe(401);
  const good = await tokenFor(sandbox, "u", grant);
  sandbox.addFault({ kind: "token_expired", user: "u", times: 1 });
  expect((await patch(good, {})).status).toBe(401);
  expect((await patch(good, {})).status).toBe(200);
});

test("client operations: no token, an unknown one, or the secret key beside it is refused", async () => {
  const token = await tokenFor(sandbox, "u", grant);
  const authorization = `Basic ${btoa(`${sandbox.apiKey}:`)}`;
  expect((await call(sandbox, "PATCH", "/users/vault", { body: {} })).status).toBe(401);
  expect((await patch("fptok_none", {})).status).toBe(401);
  const both = await call(sandbox, "PATCH", "/users/vault", { token, body: {}, headers: { authorization } });
  expect(both.status).toBe(400);
  expect(sandbox.requests({ auth: "both" })).toHaveLength(1);
});

test.each([
  ["vault", 200, 403],
  ["decrypt", 403, 200],
  ["vault_and_decrypt", 200, 200],
  ["decrypt_download", 403, 200],
  ["vault_card", 403, 403],
])("scope %s: writing is answered %i, decrypting %i", async (scope, written, decrypted) => {
  const fields = scope === "vault_card" ? {} : { fields: ["id.first_name"] };
  const token = await tokenFor(sandbox, "u", { scope, decrypt_reason: "audit", ...fields });
  expect((await patch(token, { "id.first_name": "Eve" })).status).toBe(written);
  expect((await decrypt(token, { fields: ["id.first_name"] })).status).toBe(decrypted);
});

test("a token opens its own fields of its own user only", async () => {
  const token = await tokenFor(sandbox, "other", { scope: "vault_and_decrypt", fields: ["id.first_name"] });
  expect((await decrypt(token, { fields: ["id.first_name"], reason: "r" })).body).toEqual({});
  expect((await decrypt(token, { fields: ["id.first_name", "id.dob"], reason: "r" })).status).toBe(403);
  expect((await patch(token, { "id.first_name": "Bo", "id.dob": "1990-01-01" })).status).toBe(403);
  expect(sandbox.vaults.contents("other")).toEqual({});
  const none = await tokenFor(sandbox, "u", { scope: "decrypt" });
  expect((await decrypt(none, { fields: ["id.first_name"], reason: "r" })).status).toBe(403);
});

test("decrypt: values of every type, logged with their reason; a missing one is left out", async () => {
  const token = await tokenFor(sandbox, "u", { ...grant, fields: [...grant.fields, "id.dob"] });
  const fields = [...grant.fields, "id.dob"];
  const { body } = await decrypt(token, { fields, reason: "support case 7" });
  expect(body).toEqual({
    "id.first_name": "Ada",
    "custom.score": 7,
    "custom.vip": true,
    "custom.o": { a: 1 },
  });
  expect(sandbox.vaults.decryptions("u")).toEqual([
    {
      at: "2026-11-20T08:00:00.000Z",
      entity_id: "u",
      fields,
      reason: "support case 7",
      transforms: [],
      by: "client_token",
    },
  ]);
});

test("decrypt: without a reason, in the call or the token, nothing is given out", async () => {
  const token = await tokenFor(sandbox, "u", grant);
  expect((await decrypt(token, { fields: ["id.first_name"] })).status).toBe(400);
  expect((await decrypt(token, { fields: ["id.first_name"], reason: "" })).status).toBe(400);
  expect(sandbox.vaults.decryptions()).toEqual([]);
  const reasoned = await tokenFor(sandbox, "u", { ...grant, decrypt_reason: "nightly export" });
  await decrypt(reasoned, { fields: ["id.first_name"] });
  await decrypt(reasoned, { fields: ["id.first_name"], reason: "own" });
  expect(sandbox.vaults.decryptions().map(({ reason }) => reason)).toEqual(["nightly export", "own"]);
});

test("decrypt: more than one to download is refused", async () => {
  const download = await tokenFor(sandbox, "u", { ...grant, scope: "decrypt_download" });
  const fields = ["id.first_name", "custom.score"];
  expect((await decrypt(download, { fields, reason: "r" })).status).toBe(400);
});

test("update: nothing of a refused call is written; values are written and told", async () => {
  const token = await tokenFor(sandbox, "u", grant);
  expect((await patch(token, { "custom.o": { b: 2 }, "custom.score": 1.5 })).status).toBe(400);
  expect(sandbox.vaults.value("u", "custom.o")).toEqual({ a: 1 });
  const written = await patch(token, { "id.first_name": "Eve", "custom.o": { b: [1] } });
  expect([written.status, written.text]).toEqual([200, "{}"]);
  expect(sandbox.vaults.contents("u")).toMatchObject({ "id.first_name": "Eve", "custom.o": { b: [1] } });
  expect(sandbox.webhooks.messages({ event_kind: "service.vault.updated" }).at(-1)?.payload).toMatchObject({
    fp_id: "u",
    fields: ["id.first_name", "custom.o"],
  });
});

const upload = (token: string, identifier: string, body: string | Buffer, headers = {}) =>
  call(sandbox, "POST", `/users/vault/${identifier}/upload`, { token, body, headers });

test("upload: raw bytes become the contents, text as text and other bytes in base64", async () => {
  const fields = ["custom.note", "custom.scan", "investor_profile.occupation"];
  const token = await tokenFor(sandbox, "u", { scope: "vault_and_decrypt", fields, decrypt_reason: "r" });
  const scan = Buffer.from([0xff, 0xd8, 0x00, 0x01]);
  expect((await upload(token, "custom.note", "žluť")).text).toBe("{}");
  expect((await upload(token, "custom.scan", scan, { "content-type": "image/jpeg" })).status).toBe(200);
  expect((await upload(token, "investor_profile.occupation", "Engineer")).status).toBe(200);
  expect((await decrypt(token, { fields })).body).toEqual({
    "custom.note": "žluť",
    "custom.scan": scan.toString("base64"),
    "investor_profile.occupation": "Engineer",
  });
  expect(sandbox.vaults.contents("u")["custom.scan"]).toMatchObject({ bytes: 4, content_type: "image/jpeg" });
});

test("upload: above the limit it is answered 413, whether its length is declared or not", async () => {
  const token = await tokenFor(sandbox, "u", { scope: "vault", fields: ["custom.a"] });
  expect((await upload(token, "custom.a", Buffer.alloc(200_001))).status).toBe(413);
  const chunked = await new Promise((resolve) => {
    const headers = { "x-fp-authorization": token, "transfer-encoding": "chunked" };
    const options = { method: "POST", headers, agent: false };
    const outgoing = request(`${sandbox.url}/users/vault/custom.a/upload`, options, (response) =>
      resolve(response.resume().statusCode),
    );
    for (let i = 0; i < 5; i++) outgoing.write(Buffer.alloc(60_000));
    outgoing.end();
  });
  expect(chunked).toBe(413);
  expect((await upload(token, "custom.a", Buffer.alloc(200_000))).status).toBe(200);
});

test("upload: a body cut short leaves what was there", async () => {
  const token = await tokenFor(sandbox, "u", { scope: "vault", fields: ["custom.score"] });
  const headers = { "x-fp-authorization": token, "content-length": 1_000 };
  const arrived = sandbox.waitForRequests(1, { operation: "upload_to_vault" });
  const outgoing = request(`${sandbox.url}/users/vault/custom.score/upload`, { method: "POST", headers });
  outgoing.on("error", () => undefined);
  outgoing.write(Buffer.alloc(500));
  await arrived;
  outgoing.destroy();
  await expect.poll(() => sandbox.calls().in_flight).toBe(0);
  expect(sandbox.vaults.value("u", "custom.score")).toBe(7);
});
