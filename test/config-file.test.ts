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
const alerts = (env: Record<string, string> = {}) => readConfig({ env, cwd }, ["alerts"]).alerts;
const write = (text: string, name = "nightledger.yaml") => writeFileSync(join(cwd, name), text);

test("without a file, or with an empty one, nothing is judged", () => {
  expect(alerts()).toEqual({ settings: undefined, secret: undefined });
  write("# nothing yet\nalerts:\n");
  expect(alerts().settings).toBeUndefined();
});

test("every rule and both targets are read; the secret comes from the environment, and is redacted", () => {
  write(`alerts:
  max-age: 36h
  failed-links: 2
  open-quarantine: 0
  run-missing: true
  run-longer-than: 90m
  notify-command: ./page.sh
  notify-webhook: https://hooks.example.com/T0/x
  board: https://board.example.com/night/
`);
  expect(alerts({ NIGHTLEDGER_ALERT_WEBHOOK_SECRET: SECRET })).toEqual({
    settings: {
      rules: {
        "max-age": 36 * HOUR,
        "failed-links": 2,
        "open-quarantine": 0,
        "run-missing": true,
        "run-longer-than": 1.5 * HOUR,
      },
      targets: {
        ...{ command: "./page.sh", webhook: "https://hooks.example.com/T0/x" },
        board: "https://board.example.com/night",
      },
    },
    secret: SECRET,
  });
  const { secrets } = readConfig({ env: { NIGHTLEDGER_ALERT_WEBHOOK_SECRET: SECRET }, cwd }, ["alerts"]);
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

test("NIGHTLEDGER_CONFIG names another file, which must be there", () => {
  write("alerts: { failed-links: 1 }", "other.yaml");
  expect(alerts({ NIGHTLEDGER_CONFIG: "other.yaml" }).settings?.rules).toEqual({ "failed-links": 1 });
  expect(() => alerts({ NIGHTLEDGER_CONFIG: "gone.yaml" })).toThrow(/gone\.yaml: can't be read \(ENOENT\)/);
});

test.each([
  ["alert: {}", /unknown setting: alert; accepted: institution, alerts, retention\. Nothing was started/],
  [
    "alerts: { max-agee: 3h }",
    /unknown setting: alerts\.max-agee; accepted: failed-run, max-age, failed-links/,
  ],
  ["retention: { calls: 3y }", /retention\.calls; accepted: cip-identity, cip-results, transactions/],
  ["retention: { cip-results: 4y }", /cip-results is invalid; accepted: a number of years from 5y to 100y/],
  ["retention: { transactions: 30d }", /transactions is invalid; accepted: a number of years from 1y/],
  ["alerts: { max-age: 36 }", /alerts\.max-age is invalid/],
  ["alerts: { max-age: soon }", /alerts\.max-age is invalid; accepted: a number and a unit/],
  ["alerts: { failed-links: -1 }", /alerts\.failed-links is invalid; accepted: a whole number from 0/],
  ["alerts: { run-missing: maybe }", /alerts\.run-missing is invalid; accepted: true or false/],
  [
    "alerts: { notify-webhook: 'ftp://secret@x' }",
    /alerts\.notify-webhook is invalid; accepted: an http: or/,
  ],
  [
    "alerts: { notify-webhook: 'http://u:secret@x' }",
    /alerts\.notify-webhook is invalid; accepted: .* without a user/,
  ],
  ["alerts: { board: 'https://u:secret@x' }", /alerts\.board is invalid; accepted: an http: or/],
  ["alerts: { board: 'https://x/?token=secret' }", /alerts\.board is invalid; accepted: an http: or/],
  ["alerts: [", /is not YAML \(line 1/],
  ["- alerts", /the file is invalid/],
])("%s is refused, and no value is quoted", (text, words) => {
  write(text);
  expect(() => alerts()).toThrow(words);
  expect(() => alerts()).not.toThrow(/secret@|soon|maybe/);
});

test("a signing secret that is none is refused", () => {
  expect(() => alerts({ NIGHTLEDGER_ALERT_WEBHOOK_SECRET: "hunter2" })).toThrow(
    /NIGHTLEDGER_ALERT_WEBHOOK_SECRET is not a webhook secret/,
  );
});
