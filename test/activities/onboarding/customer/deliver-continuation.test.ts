import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  ContinuationCommandError,
  deliverToCommand,
} from "../../../../src/activities/onboarding/customer/deliver-continuation.js";
import { identify, type ProcessIdentity } from "../../../../src/temporal/server/process-identity.js";
import { endProcess } from "../../../../src/temporal/server/server-process.js";

const DELIVERY = {
  delivery_id: "onb-1-1-1",
  batch_id: "onb",
  line: 1,
  fp_id: "fp_1",
  external_id: null,
  onboarding_id: null,
  link: "https://go.on",
  token: "t",
  expires_at: "2030-01-01",
};
const never = new AbortController().signal;
let directory: string;
let kept: NodeJS.ProcessEnv;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "nightledger-command-"));
  kept = { ...process.env };
});
afterEach(async () => {
  process.env = kept;
  await rm(directory, { recursive: true, force: true });
});

const at = (name: string) => join(directory, name);
const text = (name: string) => readFile(at(name), "utf8").catch(() => "");

/** The grandchild that wrote its pid into a file of the folder; undefined when it is gone. */
async function grandchild(): Promise<ProcessIdentity | undefined> {
  await expect.poll(() => text("pid")).toMatch(/^\d+\n$/);
  return identify(Number(await text("pid")));
}

test("the command gets its line, and an environment without a secret", async () => {
  Object.assign(process.env, {
    NIGHTLEDGER_API_KEY: "sk_planted",
    NIGHTLEDGER_ENCRYPTION_KEYS: "k1:planted",
    NIGHTLEDGER_WEBHOOK_SECRETS: "whsec_planted",
    TEMPORAL_API_KEY: "planted",
    AWS_SECRET_ACCESS_KEY: "planted",
    NIGHTLEDGER_LAKE: "/srv/lake",
    NIGHTLEDGER_SOMETHING_NEW: "planted",
    TZ: "UTC",
    LANG: "C.UTF-8",
  });
  await deliverToCommand(`cat >${at("line")}; env -0 >${at("env")}`, DELIVERY, never);
  expect(JSON.parse(await text("line"))).toEqual(DELIVERY);
  expect(await text("env")).not.toContain("planted");
  const names = (await text("env")).split("\0").map((entry) => entry.split("=")[0]);
  // PWD, OLDPWD, SHLVL and _ are the shell's own.
  const ours = names.filter((name) => !["", "PWD", "OLDPWD", "SHLVL", "_"].includes(name ?? ""));
  expect(ours.sort()).toEqual(["HOME", "LANG", "NIGHTLEDGER_LAKE", "PATH", "TZ"]);
});

test("what the command started ends with it when its time is over", async () => {
  const command = `sleep 300 & echo $! >${at("pid")}; wait`;
  const given = deliverToCommand(command, DELIVERY, never, 400).catch((error: unknown) => error);
  const child = await grandchild();
  expect(child).toBeDefined();
  try {
    expect(await given).toBeInstanceOf(ContinuationCommandError);
    await expect.poll(() => identify(child?.pid ?? 0)).toBeUndefined();
  } finally {
    if (child !== undefined) await endProcess(child, 0);
  }
});

test("what the command started ends with it when its row is cancelled", async () => {
  const cancel = new AbortController();
  const command = `trap '' TERM; sleep 300 & echo $! >${at("pid")}; wait`;
  const given = deliverToCommand(command, DELIVERY, cancel.signal).catch((error: unknown) => error);
  const child = await grandchild();
  try {
    cancel.abort(new Error("cancelled"));
    expect(await given).toMatchObject({ message: "cancelled" });
    await expect.poll(() => identify(child?.pid ?? 0)).toBeUndefined();
  } finally {
    if (child !== undefined) await endProcess(child, 0);
  }
});

test("a command that does not end with 0 has not taken the link, also one that reads nothing", async () => {
  await writeFile(at("refuse"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
  await expect(deliverToCommand(at("refuse"), DELIVERY, never)).rejects.toThrow(/ended with 3/);
  await expect(deliverToCommand("exec true", DELIVERY, never)).resolves.toBeUndefined();
});
