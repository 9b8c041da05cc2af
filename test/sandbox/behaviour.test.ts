import { expect, test } from "vitest";
import { type Behaviour, behavioursOf, startSandbox } from "../../sandbox/index.js";
import { call } from "../helpers/stand-in/caller.js";

const population = { kind: "synthetic", users: 1, linksPerUser: 2, rows: 3 } as const;
const body = { default_approver: "a" };

test.each<[Behaviour, "GET" | "POST", string, object | undefined, [contract: number, real: number]]>([
  ["other-segment", "POST", "/users/fp_id_00001/integrations/brokerage/cip_report", { body }, [200, 404]],
  ["other-segment", "POST", "/users/fp_id_00001/integrations/acme/cip_report", { body }, [404, 200]],
  ["refused-link", "GET", "/bank_links/link_fp_id_00001_2/transactions/sync", undefined, [200, 401]],
  ["refused-link", "GET", "/bank_links/link_fp_id_00001_1/transactions/sync", undefined, [200, 200]],
])("%s: %s %s", async (name, method, path, options, statuses) => {
  for (const [at, behaves] of [behavioursOf("contract"), behavioursOf(name)].entries()) {
    const sandbox = await startSandbox({ population, behaves });
    expect((await call(sandbox, method, path, options)).status).toBe(statuses[at]);
    await sandbox.close();
  }
});

test("existing-business: a taken id is answered with the business that has it", async () => {
  const sandbox = await startSandbox({ behaves: behavioursOf("existing-business") });
  const headers = { "x-external-id": "acme-0000001" };
  const [first, again] = [
    await call(sandbox, "POST", "/businesses", { headers }),
    await call(sandbox, "POST", "/businesses", { headers }),
  ];
  expect([again.status, again.body]).toEqual([200, first.body]);
  await sandbox.close();
});

test("vault-forms: lists are values, and an upload of another kind than custom and document is answered 500", async () => {
  const sandbox = await startSandbox({ population, behaves: behavioursOf("vault-forms") });
  const fields = ["id.citizenships", "id.dob", "document.id_card.front.image"];
  const { body: granted } = await call(sandbox, "POST", "/users/fp_id_00001/client_token", {
    body: { scope: "vault", fields },
  });
  const status = async (method: "PATCH" | "POST", path: string, sent: object | string) =>
    (await call(sandbox, method, path, { token: granted.token, body: sent })).status;
  expect(await status("PATCH", "/users/vault", { "id.citizenships": ["US", "AT"] })).toBe(200);
  expect(await status("POST", "/users/vault/document.id_card.front.image/upload", "bytes")).toBe(200);
  expect(await status("POST", "/users/vault/id.dob/upload", "bytes")).toBe(500);
  await sandbox.close();
});
