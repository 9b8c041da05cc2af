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
