import { expect, test } from "vitest";
import { type Fault, parseFaults, startSandbox } from "../../../sandbox/index.js";
import { eachTest } from "../../helpers/each-test.js";
import { get } from "../../helpers/stand-in/reader.js";

const sandbox = eachTest(() => startSandbox({ population: { kind: "synthetic", users: 1, rows: 100 } }));

const LINKS = "/users/fp_id_00001/bank_links";
const SYNC = "/bank_links/link_fp_id_00001_1/transactions/sync";

test.each([
  ["seconds", 7, /^7$/],
  ["an HTTP date", { dateInSeconds: 60 }, /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/],
  ["nothing", undefined, undefined],
] as const)("a 429 asks to wait with %s", async (_form, retryAfter, expected) => {
  sandbox.addFault({ kind: "status", status: 429, ...(retryAfter === undefined ? {} : { retryAfter }) });
  const response = await get(sandbox, LINKS);
  expect(response.status).toBe(429);
  if (expected) expect(response.headers.get("retry-after")).toMatch(expected);
  else expect(response.headers.has("retry-after")).toBe(false);
});

// A length too large, the last chunk missing, or a cut body framed as whole.
test.each([
  ["length", true, false],
  ["chunked", false, false],
  ["body", true, true],
] as const)("truncated: %s", async (mode, hasLength, isWhole) => {
  sandbox.addFault({ kind: "truncated", mode });
  const response = await get(sandbox, SYNC);
  expect(response.headers.has("content-length")).toBe(hasLength);
  const text = await response.text().catch(() => undefined);
  expect(text !== undefined).toBe(isWhole);
  expect(() => JSON.parse(text ?? "")).toThrow();
});

async function firings(fault: Partial<Fault>, calls: number): Promise<string> {
  sandbox.clearFaults();
  sandbox.addFault({ kind: "status", status: 500, ...fault } as Fault);
  let pattern = "";
  for (let i = 0; i < calls; i++) pattern += (await get(sandbox, SYNC)).ok ? "." : "x";
  return pattern;
}

test.each([
  ["every call", {}, "xxxxxx"],
  ["the n-th call only", { nth: 3 }, "..x..."],
  ["every n-th call", { every: 2 }, ".x.x.x"],
  ["after n calls", { after: 4 }, "....xx"],
  ["so many times", { times: 2 }, "xx...."],
  ["another link", { link: "other" }, "......"],
  ["another page", { page: 1 }, "......"],
  ["calls with a cursor", { cursor: true }, "......"],
  ["calls without one", { cursor: false, operation: "sync_transactions" }, "xxxxxx"],
])("a fault fires for %s", async (_rule, fault, expected) => {
  expect(await firings(fault, 6)).toBe(expected);
});

test("a probability with a seed gives the same firings again", async () => {
  const first = await firings({ probability: 0.5, seed: 3 }, 24);
  expect(first).toContain("x");
  expect(first).toContain(".");
  expect(await firings({ probability: 0.5, seed: 3 }, 24)).toBe(first);
  expect(await firings({ probability: 0.5, seed: 4 }, 24)).not.toBe(first);
});

test.each([
  ["text that is not JSON", "{", /not JSON/],
  ["an unknown kind", '{"kind":"boom"}', /unknown kind; accepted are latency/],
  [
    "an unknown field",
    '[{"kind":"hang","link":"a"},{"kind":"hang","onLink":"a"}]',
    /"faults\[1\]": no field onLink; accepted are kind, id, operation/,
  ],
  [
    "an unknown operation",
    '{"kind":"hang","operation":"sync"}',
    /"faults\[0\]\.operation": .*expected one of "get_user"\|/,
  ],
])("faults from %s are refused by name", (_rule, text, message) => {
  expect(() => parseFaults(text)).toThrow(message);
});
