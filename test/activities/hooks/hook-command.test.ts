import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { passedOn, runHookCommand } from "../../../src/activities/hooks/hook-command.js";
import { VARIABLES, type Variable } from "../../../src/config-values.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);
let lines: string[];
beforeEach(async () => {
  lines = [];
});

const run = (command: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  runHookCommand(command, {
    line: { event: "completed" },
    env: { NIGHTLEDGER_RUN_ID: "sync-1", DIRECTORY: temp.path },
    onLine: (line) => void lines.push(line),
    signal: new AbortController().signal,
    ...more,
  });

test("a command gets the message and the variables, and its output is told line by line", async () => {
  await run('cat >"$DIRECTORY/in"; echo "$NIGHTLEDGER_RUN_ID"; echo wrong >&2; printf "no end"');
  expect(await readFile(join(temp.path, "in"), "utf8")).toBe('{"event":"completed"}\n');
  expect(lines.sort()).toEqual(["no end", "sync-1", "wrong"]);
});

test("a line without an end is told in its beginning, and what follows it whole", async () => {
  await run("head -c 300000 /dev/zero | tr '\\0' x; echo; echo next");
  expect(lines.map((line) => line.length)).toEqual([2_000, 4]);
});

test.each([
  ["exit 3", /ended with code 3/],
  ["kill -9 $$", /ended with SIGKILL/],
  ["no-such-program", /ended with code 127/],
])("%s is not taken", async (command, words) => {
  await expect(run(command)).rejects.toThrow(words);
});

test("a command that takes too long, or is interrupted, ends with all that it started", async () => {
  const slow = 'sleep 60 & echo $! >"$DIRECTORY/pid"; echo begun; wait';
  await expect(run(slow, { timeoutMs: 300 })).rejects.toThrow(/took longer than/);
  const child = Number(await readFile(join(temp.path, "pid"), "utf8"));
  await expect.poll(() => isRunning(child)).toBe(false);
  const interruption = new AbortController();
  const ended = run(slow, { signal: interruption.signal });
  await expect.poll(() => lines.length).toBe(2);
  interruption.abort(new Error("stopped"));
  await expect(ended).rejects.toThrow("stopped");
});

test("what it leaves running does not hold it up, and ends", async () => {
  await run('sleep 60 & echo $! >"$DIRECTORY/pid"');
  const child = Number(await readFile(join(temp.path, "pid"), "utf8"));
  await expect.poll(() => isRunning(child)).toBe(false);
});

test("no variable that holds a secret of ours is passed on", () => {
  const own = Object.entries<Variable>(VARIABLES).flatMap(([name, { secrets }]) => (secrets ? [name] : []));
  expect(own.length).toBeGreaterThan(3);
  const env = Object.fromEntries(
    [...own, "TEMPORAL_API_KEY", "TEMPORAL_TLS_CLIENT_KEY_DATA"].map((name) => [name, "x"]),
  );
  const kept = {
    NIGHTLEDGER_LAKE: "/lake",
    PATH: "/bin",
    SNOWFLAKE_PASSWORD: "y",
    AWS_SECRET_ACCESS_KEY: "z",
  };
  expect(passedOn({ ...env, ...kept })).toEqual(kept);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
