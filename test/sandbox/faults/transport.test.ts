import { request } from "node:http";
import { expect, test } from "vitest";
import { type Fault, parseFaults, startSandbox } from "../../../sandbox/index.js";
import { eachTest } from "../../helpers/each-test.js";
import { get } from "../../helpers/stand-in/reader.js";

const sandbox = eachTest(() => startSandbox({ population: { kind: "synthetic", users: 1, rows: 100 } }));

const LINKS = "/users/fp_id_00001/bank_links";
const SYNC = "/bank_links/link_fp_id_00001_1/transactions/sync";

/** Reads a response to its end or its failure: the code of the error, and what had come. */
function read(path: string): Promise<{ error?: string; text: string; contentLength: string | undefined }> {
  return new Promise((resolve) => {
    const auth = `${sandbox.apiKey}:`;
    const outgoing = request(sandbox.url + path, { auth, agent: false }, (response) => {
      let text = "";
      const contentLength = response.headers["content-length"];
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ text, contentLength }));
      response.on("error", (error: NodeJS.ErrnoException) =>
        resolve({ error: error.code ?? "", text, contentLength }),
      );
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) =>
      resolve({ error: error.code ?? "", text: "", contentLength: undefined }),
    );
    outgoing.end();
  });
}

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

test("hang: no answer comes, and close() ends the connection", async () => {
  sandbox.addFault({ kind: "hang" });
  const pending = read(LINKS);
  await sandbox.waitForRequests(1);
  expect(sandbox.calls().in_flight).toBe(1);
  await sandbox.close();
  expect((await pending).error).toBe("ECONNRESET");
});

test("reset: the socket is torn before the answer, or in it", async () => {
  sandbox.addFault({ id: "r", kind: "reset" });
  expect(await read(LINKS)).toMatchObject({ error: "ECONNRESET", text: "" });
  sandbox.addFault({ id: "r", kind: "reset", afterBytes: 20 });
  expect((await read(LINKS)).error).toBe("ECONNRESET");
});

test("truncated: content-length too large, last chunk missing, or a cut body framed as whole", async () => {
  sandbox.addFault({ id: "t", kind: "truncated", mode: "length" });
  const length = await read(SYNC);
  expect(length.error).toBe("ECONNRESET");
  expect(Number(length.contentLength)).toBeGreaterThan(length.text.length);
  sandbox.addFault({ id: "t", kind: "truncated", mode: "chunked" });
  const chunked = await read(SYNC);
  expect([chunked.error, chunked.contentLength]).toEqual(["ECONNRESET", undefined]);
  sandbox.addFault({ id: "t", kind: "truncated", mode: "body" });
  const body = await read(SYNC);
  expect(body.error).toBeUndefined();
  expect(() => JSON.parse(body.text)).toThrow();
});

test("slow: the body drips", async () => {
  sandbox.addFault({ kind: "slow", chunkBytes: 200, intervalMs: 20 });
  const started = Date.now();
  const { text } = await read(LINKS);
  expect(JSON.parse(text).links).toHaveLength(2);
  expect(Date.now() - started).toBeGreaterThanOrEqual(Math.floor(text.length / 200) * 15);
});

test("wrong body: a page of HTML, or any text under any type", async () => {
  sandbox.addFault({ kind: "wrong_body", times: 1 });
  const html = await get(sandbox, LINKS);
  expect([html.status, html.headers.get("content-type")]).toEqual([200, "text/html"]);
  sandbox.addFault({ kind: "wrong_body", body: '{"links":{}}' });
  expect(await (await get(sandbox, LINKS)).json()).toEqual({ links: {} });
});

test("latency: every answer waits", async () => {
  sandbox.addFault({ kind: "latency", ms: 30, times: 1 });
  sandbox.setLatency(30);
  const started = Date.now();
  await get(sandbox, LINKS);
  expect(Date.now() - started).toBeGreaterThanOrEqual(58);
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
