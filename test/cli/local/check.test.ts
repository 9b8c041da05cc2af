import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProgram } from "../../../src/cli/main.js";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "nightledger-check-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

test("every setting that is missing or wrong is named at once, a finding each", async () => {
  const out: string[] = [];
  let code = 0;
  const roster = join(cwd, "twice.csv");
  writeFileSync(roster, "fp_id\nfp_a\nfp_a\n");
  const terminal = {
    env: { NIGHTLEDGER_API_RPS: "-1", NIGHTLEDGER_LAKE: "gs://bucket", TEMPORAL_ADDRESS: "127.0.0.1:1" },
    cwd,
    interactive: false,
    result: (text: string) => void out.push(text),
    say: () => undefined,
  };
  const end = (given: number) => {
    code = given;
  };
  await createProgram(terminal, end).parseAsync([
    "node",
    "nightledger",
    "check",
    "--roster",
    roster,
    "--json",
  ]);
  expect(code).toBe(2);
  const findings: { check: string; ok: boolean; detail: string }[] = JSON.parse(out.join());
  const settings = findings.filter(({ check }) => check !== "roster");
  expect(settings.map(({ detail }) => detail.split(" ", 1)[0])).toEqual([
    "NIGHTLEDGER_API_URL",
    "NIGHTLEDGER_API_KEY",
    "NIGHTLEDGER_API_RPS",
    "NIGHTLEDGER_LAKE",
    "NIGHTLEDGER_ENCRYPTION_KEYS",
  ]);
  expect(findings).toContainEqual(
    expect.objectContaining({ check: "roster", detail: "Fix the file and run the command again." }),
  );
  expect(findings.filter(({ detail }) => /nothing was started/i.test(detail))).toEqual([]);
  expect(new Set(settings.map(({ check, ok }) => `${check} ${ok}`))).toEqual(
    new Set(["configuration, lake and keys false"]),
  );
});
