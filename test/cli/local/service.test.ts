import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProgram } from "../../../src/cli/main.js";

let cwd: string;
let said: string[];
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "nightledger-service-")));
  said = [];
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const EXPORTED = { NIGHTLEDGER_API_URL: "http://127.0.0.1:1", NIGHTLEDGER_API_KEY: "sk_test_service" };

async function print(env: Readonly<Record<string, string>>): Promise<void> {
  const say = (text: string) => void said.push(text);
  const terminal = { env, cwd, interactive: false, result: () => undefined, say };
  const words = ["node", "nightledger", "service", "install", "--print"];
  await createProgram(terminal, () => undefined).parseAsync(words);
}

test("what only the shell exports is missing, and the message says that it must be in .env", async () => {
  const refusal = print(EXPORTED);
  await expect(refusal).rejects.toThrow(/NIGHTLEDGER_API_URL is not set/);
  await expect(refusal).rejects.toThrow(
    `NIGHTLEDGER_API_KEY, NIGHTLEDGER_API_URL: exported in this shell, but missing or different in ${cwd}/.env, which is all that a service reads`,
  );
  await expect(refusal).rejects.not.toThrow("sk_test_service");
  await expect(print({})).rejects.not.toThrow(/exported/);
});

test("an exported variable that the service would read otherwise is a warning", async () => {
  writeFileSync(
    join(cwd, ".env"),
    Object.entries(EXPORTED)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  await print(EXPORTED);
  expect(said).toEqual([]);
  await print({ ...EXPORTED, TEMPORAL_ADDRESS: "temporal.example.com:7233" });
  expect(said.join("\n")).toMatch(
    /^warning: TEMPORAL_ADDRESS: exported in this shell, but missing or different in/,
  );
});
