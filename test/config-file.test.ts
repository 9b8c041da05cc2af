import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "../src/config.js";
import { HOUR } from "../src/domain/duration.js";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "nightledger-file-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const SECRET = "whsec_c2VjcmV0IG9mIGFsZXJ0cw==";
const hooks = (env: Record<string, string> = {}) => readConfig({ env, cwd }, ["hooks"]).hooks;
const write = (text: string, name = "nightledger.yaml") => writeFileSync(join(cwd, name), text);

test("without a file, or with an empty one, there is no hook", () => {
  expect(hooks()).toEqual({ hooks: [], lateMs: undefined, board: undefined, secret: undefined });
  write("# nothing yet\nhooks:\nlate:\n");
  expect(hooks().hooks).toEqual([]);
});

test("hooks are read as they are written; the secret comes from the environment, and is redacted", () => {
  write(`hooks:
  - on: [failed, recovered, late]
    webhook: https://hooks.example.com/T0/x
    every: true
  - on: [completed]
    jobs: [sync nightly, export cip]
    command: dbt build --select nightledger
late: 26h
board: https://board.example.com/night/
`);
  expect(hooks({ NIGHTLEDGER_HOOK_SECRET: SECRET })).toEqual({
    hooks: [
      { on: ["failed", "recovered", "late"], webhook: "https://hooks.example.com/T0/x", every: true },
      { on: ["completed"], jobs: ["sync nightly", "export cip"], command: "dbt build --select nightledger" },
    ],
    lateMs: 26 * HOUR,
    board: "https://board.example.com/night",
    secret: SECRET,
  });
  const { secrets } = readConfig({ env: { NIGHTLEDGER_HOOK_SECRET: SECRET }, cwd }, ["hooks"]);
  expect(secrets).toContain(SECRET);
});

test("the institution is one line of a name; a line break or too long a name is refused", () => {
  const named = () => readConfig({ env: {}, cwd }, ["institution"]).institution.name;
  expect(named()).toBeUndefined();
  write("institution: ' Example Bank, N.A. '\n");
  expect(named()).toBe("Example Bank, N.A.");
  for (const wrong of ['"a\\nb"', '"a\\u2028b"', `"${"x".repeat(81)}"`, "' '", "7"]) {
    write(`institution: ${wrong}\n`);
    expect(named).toThrow(/institution is invalid; accepted: a name of up to 80 characters, in one line/);
  }
});

test("of the service's words the file changes those that it has", () => {
  write("service: { cip-segment: acme }\n");
  const env = { NIGHTLEDGER_API_URL: "http://localhost", NIGHTLEDGER_API_KEY: "k" };
  expect(readConfig({ env, cwd }, ["api"]).api.words).toEqual({
    eventPrefix: "service.",
    cipSegment: "acme",
  });
});

test("NIGHTLEDGER_CONFIG names another file, which must be there", () => {
  write("late: 2h", "other.yaml");
  expect(hooks({ NIGHTLEDGER_CONFIG: "other.yaml" }).lateMs).toBe(2 * HOUR);
  expect(() => hooks({ NIGHTLEDGER_CONFIG: "gone.yaml" })).toThrow(/gone\.yaml: can't be read \(ENOENT\)/);
});

test.each([
  [
    "hook: []",
    /unknown setting: hook; accepted: institution, hooks, late, board, retention, service\. Nothing/,
  ],
  [
    "hooks: [{ on: [failed], comand: x }]",
    /unknown setting: hooks\[0\]\.comand; accepted: on, jobs, webhook, command, every/,
  ],
  ["retention: { calls: 3y }", /retention\.calls; accepted: cip-identity, cip-results, transactions/],
  ["retention: { cip-results: 4y }", /cip-results is invalid; accepted: a number of years from 5y to 100y/],
  ["retention: { transactions: 30d }", /transactions is invalid; accepted: a number of years from 1y/],
  [
    "service: { event-prefix: acme }",
    /service\.event-prefix is invalid; accepted: letters, .* a dot at the end/,
  ],
  ["service: { pending: never }", /service\.pending is invalid; accepted: listed, replaced, auto/],
  ["service: { cip-segment: a/b }", /service\.cip-segment is invalid; accepted: letters, digits/],
  ["hooks: { on: [failed] }", /hooks is invalid; accepted: a list of hooks/],
  [
    "hooks: [{ command: x }]",
    /hooks\[0\]\.on is invalid; accepted: a list of completed, completed_with_failures/,
  ],
  ["hooks: [{ on: [], command: x }]", /hooks\[0\]\.on is invalid; accepted: a list of completed/],
  ["hooks: [{ on: [soon], command: x }]", /hooks\[0\]\.on\[0\] is invalid; accepted: a list of completed/],
  [
    "hooks: [{ on: [failed] }]",
    /hooks\[0\] is invalid; accepted: either a webhook, with its address, or a command/,
  ],
  ["hooks: [{ on: [failed], command: x, webhook: 'https://x' }]", /hooks\[0\] is invalid; accepted: either/],
  ["hooks: [{ on: [failed], command: '' }]", /hooks\[0\]\.command is invalid; accepted: a shell command/],
  ["hooks: [{ on: [failed], command: x, jobs: [''] }]", /hooks\[0\]\.jobs\[0\] is invalid; .*sync nightly/],
  [
    "hooks: [{ on: [failed], command: x, jobs: sync }]",
    /hooks\[0\]\.jobs is invalid; accepted: a list of kinds/,
  ],
  ["hooks: [{ on: [failed], command: x, every: maybe }]", /hooks\[0\]\.every is invalid; accepted: true or/],
  [
    "hooks: [{ on: [failed], webhook: 'ftp://secret@x' }]",
    /hooks\[0\]\.webhook is invalid; accepted: an https: address/,
  ],
  [
    "hooks: [{ on: [failed], webhook: 'http://chat.example/T0' }]",
    /webhook is invalid; .* http: only to localhost/,
  ],
  [
    "hooks: [{ on: [failed], webhook: 'https://u:secret@x' }]",
    /webhook is invalid; accepted: .* without a user/,
  ],
  [
    "hooks: [{ on: [completed, late], command: x }]",
    /hooks\[0\]\.on has late, .* Add a line such as late: 26h/,
  ],
  ["late: 36", /late is invalid; accepted: a number and a unit/],
  ["late: soon", /late is invalid; accepted: a number and a unit/],
  ["board: 'https://u:secret@x'", /board is invalid; accepted: an http: or/],
  ["board: 'https://x/?token=secret'", /board is invalid; accepted: an http: or/],
  ["hooks: [", /is not YAML \(line 1/],
  ["- hooks", /the file is invalid/],
])("%s is refused, and no value is quoted", (text, words) => {
  write(text);
  expect(() => hooks()).toThrow(words);
  expect(() => hooks()).not.toThrow(/secret@|soon|maybe/);
});

test("a signing secret that is none is refused", () => {
  expect(() => hooks({ NIGHTLEDGER_HOOK_SECRET: "hunter2" })).toThrow(
    /NIGHTLEDGER_HOOK_SECRET is not a webhook secret/,
  );
});
