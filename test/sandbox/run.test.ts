import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSandbox, type Sandbox, sandboxOptions, startSandbox } from "../../sandbox/index.js";
import { get } from "../helpers/stand-in/reader.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sandbox-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

test("the command serves until its signal, with roster and faults from files", async () => {
  const faults = join(directory, "faults.json");
  const rosterOut = join(directory, "roster.csv");
  writeFileSync(faults, '[{"kind":"status","status":418,"operation":"get_user"}]');
  const stop = new AbortController();
  let tell: (sandbox: Sandbox) => void = () => {};
  const started = new Promise<Sandbox>((resolve) => {
    tell = resolve;
  });
  const ended = runSandbox(
    { users: 3, rows: 10, faults: `@${faults}`, rosterOut, apiKey: "k" },
    stop.signal,
    tell,
  );
  const sandbox = await started;
  expect((await get(sandbox, "/users/fp_id_00001", "k")).status).toBe(418);
  expect(readFileSync(rosterOut, "utf8")).toBe(
    "fp_id,external_id\nfp_id_00001,customer-1\nfp_id_00002,customer-2\nfp_id_00003,\n",
  );
  stop.abort();
  await ended;
  await expect(get(sandbox, "/users/fp_id_00001", "k")).rejects.toThrow();
});

test.each([
  ["the bank data without its directory", { population: "berka" } as const, /needs --berka-dir/],
  ["a faults file that is not there", { faults: "@/nowhere.json" }, /\/nowhere\.json can't be read/],
  [
    "an unknown behaviour, with the nearest",
    { behaves: "limits,ninty-days" },
    /^--behaves: there is no behaviour "ninty-days"\. Did you mean ninety-days\? Accepted: contract, real, or/,
  ],
  ["faults that are not JSON", { faults: "{" }, /--faults: not JSON/],
])("%s is refused by the option's name", (_rule, command, message) => {
  expect(() => sandboxOptions(command)).toThrow(message);
});

test("a taken port and an unreadable directory are named, and nothing is left running", async () => {
  const first = await startSandbox();
  await expect(startSandbox({ port: first.port })).rejects.toThrow(
    new RegExp(`port ${first.port} can't be opened .* with --port; --port 0 picks a free one`),
  );
  await first.close();
  const population = { kind: "berka", directory } as const;
  await expect(startSandbox({ population })).rejects.toThrow(/trans\.csv\.gz: can't be read/);
});

test("a roster that can't be written ends the stand-in", async () => {
  const rosterOut = join(directory, "none", "roster.csv");
  const run = runSandbox({ population: "empty", rosterOut }, new AbortController().signal, () => {});
  await expect(run).rejects.toThrow(/--roster-out: .* can't be written/);
});
