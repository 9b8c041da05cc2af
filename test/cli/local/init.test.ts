import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { rightAnswer } from "../../../src/cli/local/init.js";
import { questionsOn } from "../../../src/cli/terminal/questions.js";
import { readDotEnv } from "../../../src/config.js";
import { runHere } from "../../helpers/command/command-here.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);
const sandbox = eachTest(() =>
  startSandbox({ population: { kind: "synthetic", users: 1, linksPerUser: 1, rows: 1 } }),
);

const init = (...flags: readonly string[]) => runHere({ directory: temp.path, env: {} }, ["init", ...flags]);
const keyFile = (key: string) => {
  writeFileSync(join(temp.path, "key.txt"), `${key}\n`);
  return ["--key-file", "key.txt"];
};

test("what it writes is checked, only its owner can read it, and the key is printed nowhere", async () => {
  const { code, stdout, stderr } = await init("--url", sandbox.url, ...keyFile(sandbox.apiKey));
  expect(stdout).toContain("ok   service: reachable, and the key is accepted");
  expect(code).toBe(0);
  expect(stderr).toContain("  nightledger sync --roster users.csv");
  expect(stdout + stderr).not.toContain(sandbox.apiKey);
  expect(readDotEnv(temp.path)).toEqual({
    NIGHTLEDGER_API_URL: sandbox.url,
    NIGHTLEDGER_API_KEY: sandbox.apiKey,
    NIGHTLEDGER_LAKE: "./lake",
  });
  expect(statSync(join(temp.path, ".env")).mode & 0o777).toBe(0o600);
});

test("a file that is there stays; --force changes these settings and no others", async () => {
  const env = "# mine\nNIGHTLEDGER_API_KEY=old\nNIGHTLEDGER_API_RPS=5\n";
  writeFileSync(join(temp.path, ".env"), env, { mode: 0o644 });
  writeFileSync(join(temp.path, "nightledger.yaml"), "board: https://b.example\n");
  const flags = ["--url", sandbox.url, "--lake", "my lake # 1", ...keyFile(sandbox.apiKey)];
  const refused = await init(...flags);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/\.env is there already\. Nothing was written/);
  expect(readFileSync(join(temp.path, ".env"), "utf8")).toBe(env);
  const asByNpx = { directory: temp.path, env: { npm_command: "exec" } };
  const changed = await runHere(asByNpx, ["init", ...flags, "--force"]);
  expect(changed.code).toBe(0);
  expect(changed.stderr).toContain("  npx nightledger sync --roster users.csv");
  expect(readFileSync(join(temp.path, ".env"), "utf8")).toContain("\n# mine\nNIGHTLEDGER_API_RPS=5\n");
  expect(readDotEnv(temp.path)).toMatchObject({
    NIGHTLEDGER_API_KEY: sandbox.apiKey,
    NIGHTLEDGER_LAKE: "my lake # 1",
  });
  expect(statSync(join(temp.path, ".env")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(temp.path, "nightledger.yaml"), "utf8")).toBe("board: https://b.example\n");
});

test.each([
  ["an address that is none", ["--url", "nowhere"], "sk_1", /--url is not an address/],
  ["no flag and nobody to ask", [], "sk_1", /Give --url and --key-file/],
  ["a key that .env can't hold", ["--url", "https://api.example.com"], "sk_'\"1", /NIGHTLEDGER_API_KEY/],
])("%s is refused before anything is written", async (_, flags, key, words) => {
  const { code, stdout, stderr } = await init(...flags, ...keyFile(key));
  expect(code).toBe(2);
  expect(stderr).toMatch(words);
  expect(stdout + stderr).not.toContain(key);
  expect(readdirSync(temp.path)).toEqual(["key.txt"]);
});

test("a key that the service refuses is said by the check, whose exit code it has", async () => {
  const { code, stderr } = await init("--url", sandbox.url, ...keyFile("sk_wrong"));
  expect(code).toBe(4);
  expect(stderr).toContain("  nightledger check");
  expect(stderr).toContain("to answer again: nightledger init --force");
});

// A reader for each question would throw away what comes behind the first line.
test("answers that are pasted all at once are each the answer to its question, and the secret is not shown", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { ask, close } = questionsOn(input, output, "Nothing was written.");
  const first = ask("address: ");
  input.write("https://a.example\rs3cret\rmy l");
  expect([await first, await ask("key: ", true)]).toEqual(["https://a.example", "s3cret"]);
  const last = ask("lake: ");
  input.write("ake\r");
  expect(await last).toBe("my lake");
  close();
  const shown = stripVTControlCharacters(await textOf(output.end()));
  expect(shown.split(/\s*\n/)).toEqual(["address: https://a.example", "key:", "lake: my lake", ""]);
  await expect(ask("more: ")).rejects.toThrow("Nothing was written.");
});

test("a wrong answer is said at once, without its value, and asked for again", async () => {
  const answers = ["", "sk_1 sk_2", "sk_'\"", "sk_test_1"];
  const said: string[] = [];
  const ask = () => Promise.resolve(answers.shift() ?? "");
  expect(await rightAnswer("NIGHTLEDGER_API_KEY", ask, (line) => said.push(line))).toBe("sk_test_1");
  expect(said).toEqual([
    "it is not set. Give the secret key exactly as the service issued it",
    "it has a space, a colon or a character that is not ASCII. Give the secret key exactly as the service issued it",
    ".env can't hold a value with line breaks or quotes.",
  ]);
});
