import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { METHODS_BY_PATH } from "../../../sandbox/control/methods.js";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { call } from "../../helpers/stand-in/caller.js";
import { firstTable, section } from "../markdown.js";
import { read } from "../source-tree.js";

const PAGE = "docs/use/sandbox.md";

const METHODS = firstTable(section(PAGE, "Methods")).map(([path = "", example = ""]) => {
  const body = /^`(.*)`$/.exec(example)?.[1];
  return { path: path.replaceAll("`", ""), body: body ?? "", given: body !== undefined };
});

const CALLS = [
  ...read(PAGE).matchAll(/curl \$SANDBOX\/([\w/]+)(?:\s+(?:\\\n\s*)?-d (?:'([^']*)'|(\d+)))?/g),
].map(([, path = "", quoted, plain]) => ({ path, body: quoted ?? plain ?? "" }));

let sandbox: Sandbox;
let ids: { readonly ob: string; readonly msg: string };

beforeEach(async () => {
  const population = { kind: "synthetic", users: 1, rows: 20 } as const;
  const endpoints = [{ url: "http://127.0.0.1:9/webhooks" }];
  sandbox = await startSandbox({ population, investments: 3, businesses: 1, webhooks: { endpoints } });
  const body = { key: "pb_kyc", fp_id: "fp_id_00001" };
  await call(sandbox, "POST", "/onboardings", { body });
  const ob = sandbox.onboardings.list()[0]?.id ?? "";
  ids = { ob, msg: sandbox.webhooks.emit({ event_kind: "service.vault.updated", fp_id: "fp_id_00001" }) };
});

afterEach(() => sandbox.close());

/** Calls a method while requests come in, because `waitForRequests` waits for some. */
async function control(path: string, body: string): Promise<{ status: number; text: string }> {
  const sent = body.replaceAll("ob_…", ids.ob).replaceAll("msg_…", ids.msg);
  let answered = false;
  const answer = fetch(`${sandbox.url}/_sandbox/${path}`, { method: "POST", body: sent }).then(
    async (one) => {
      answered = true;
      return { status: one.status, text: await one.text() };
    },
  );
  const links = "/users/fp_id_00001/bank_links";
  while (path === "waitForRequests" && !answered) await call(sandbox, "GET", links);
  return answer;
}

describe("the examples of docs/use/sandbox.md", () => {
  it("are found", () => {
    expect(METHODS.map(({ path }) => path).sort()).toEqual([...METHODS_BY_PATH.keys()].sort());
    expect(CALLS.length).toBeGreaterThan(20);
  });

  it("are there for every method that takes arguments, and for no other", () => {
    const shapes = (path: string) => Object.keys(METHODS_BY_PATH.get(path) ?? {});
    expect(METHODS.filter(({ path, given }) => given !== shapes(path).length > 0)).toEqual([]);
  });

  it.each([...METHODS, ...CALLS])("are accepted: $path $body", async ({ path, body }) => {
    const { status, text } = await control(path, body);
    expect([200, 204], text).toContain(status);
  });

  it.each(METHODS.filter(({ given }) => given))(
    "are refused with another argument, or one more: $path",
    async ({ path, body }) => {
      const value: unknown = JSON.parse(body);
      const args: unknown[] = Array.isArray(value) ? value : [value];
      const names = Object.keys(METHODS_BY_PATH.get(path) ?? {});
      for (const [at] of args.entries()) {
        const { status, text } = await control(path, JSON.stringify(args.with(at, true)));
        expect([status, text]).toEqual([
          400,
          expect.stringContaining(`argument \\"${names[at] ?? names[0]}`),
        ]);
      }
      const surplus = [...args, ...names.map(() => true)];
      expect((await control(path, JSON.stringify(surplus))).status).toBe(400);
    },
  );
});
