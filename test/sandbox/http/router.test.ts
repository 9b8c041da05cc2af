import { beforeAll, expect, test } from "vitest";
import { startSandbox, transactionRow } from "../../../sandbox/index.js";
import { eachFile } from "../../helpers/each-test.js";
import { ask, get, sync } from "../../helpers/stand-in/reader.js";

const sandbox = eachFile(() => startSandbox({ apiKeys: ["first key", "second key"], maxSyncSize: 250 }));
beforeAll(async () => {
  for (const id of ["a/b", "other"]) {
    sandbox.addLink({ fp_id: "fp 1", id, accounts: [{}] });
    sandbox.append(id, [{ change: "created", row: transactionRow({ transaction_id: `${id} 1` }) }]);
  }
});

const SYNC = "/bank_links/a%2Fb/transactions/sync";

test.each([
  ["a query parameter given twice", `${SYNC}?size=5&size=5`],
  ["an empty size", `${SYNC}?size=`],
  ["a size over the maximum of a sync", `${SYNC}?size=251`],
  ["a cursor it never gave out", `${SYNC}?cursor=abc`],
  ["a cursor of the right length it never gave out", `${SYNC}?cursor=${"A".repeat(43)}`],
])("%s is answered 400 with a JSON body", async (_rule, path) => {
  const { status, body } = await ask<{ error: { message: string } }>(sandbox, path);
  expect(status).toBe(400);
  expect(body.error.message).not.toBe("");
});

test.each([
  ["an unknown path", "/bank_link/a"],
  ["a path with a slash too many", "/users/fp%201/bank_links/"],
  ["an unknown user", "/users/nobody"],
  ["the links of an unknown user", "/users/nobody/bank_links"],
  ["an unknown link", "/bank_links/nothing/transactions/sync"],
  ["a path parameter that can't be decoded", "/users/%E0%A4%A"],
])("%s is answered 404", async (_rule, path) => {
  expect((await get(sandbox, path)).status).toBe(404);
});

test("a known path with another method is answered 405", async () => {
  const authorization = `Basic ${Buffer.from("first key:").toString("base64")}`;
  const response = await fetch(sandbox.url + SYNC, { method: "POST", headers: { authorization } });
  expect(response.status).toBe(405);
});

test("a cursor of another link is refused", async () => {
  const { body } = await sync(sandbox, "other");
  expect((await sync(sandbox, "a/b", { cursor: body.cursor.next ?? "" })).status).toBe(400);
  expect((await sync(sandbox, "other", { cursor: body.cursor.next ?? "" })).status).toBe(200);
});

test.each([
  ["no key", undefined],
  ["a wrong key", `Basic ${btoa("wrong:")}`],
  ["a password beside the key", `Basic ${btoa("first key:x")}`],
  ["a key without the colon", `Basic ${btoa("first key")}`],
  ["another scheme", "Bearer first key"],
])("%s is answered 401, also on an unknown path", async (_rule, authorization) => {
  for (const path of [SYNC, "/nowhere"]) {
    const response = await fetch(sandbox.url + path, authorization ? { headers: { authorization } } : {});
    expect(response.status).toBe(401);
  }
});

test("a revoked key is refused at once with the status asked for, the others stay good", async () => {
  sandbox.addKey("third key");
  expect((await get(sandbox, SYNC, "third key")).status).toBe(200);
  sandbox.revokeKey("third key", 403);
  expect((await get(sandbox, SYNC, "third key")).status).toBe(403);
  sandbox.revokeKey("third key");
  expect((await get(sandbox, SYNC, "third key")).status).toBe(401);
  expect((await get(sandbox, SYNC, "second key")).status).toBe(200);
});
