import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { withoutStart } from "../../../src/cli/local/check.js";
import { type FaultServer, startFaultServer } from "../../helpers/api/fault-server.js";
import { runHere } from "../../helpers/command/command-here.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const temp = eachTest(tempDirectory);
let server: FaultServer | undefined;
afterEach(() => server?.close());

test("every setting that is missing or wrong is named at once, a finding each", async () => {
  const roster = join(temp.path, "twice.csv");
  writeFileSync(roster, "fp_id\nfp_a\nfp_a\n");
  const env = { NIGHTLEDGER_API_RPS: "-1", NIGHTLEDGER_LAKE: "gs://bucket", TEMPORAL_ADDRESS: "127.0.0.1:1" };
  const { code, stdout } = await runHere({ directory: temp.path, env }, [
    "check",
    "--roster",
    roster,
    "--json",
  ]);
  expect(code).toBe(2);
  const findings: { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout).items;
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

// An outage used to be "reachable, and the key is accepted".
test.each([
  [404, "application/json", true, "reachable, and the key is accepted"],
  [503, "application/json", false, "it answered with status 503"],
  [500, "text/html", false, "it answered with status 500"],
  [429, "application/json", false, "it answered with status 429"],
  [200, "text/html", false, "its answer with status 200 is no JSON of the service; a login page"],
  [404, "text/html", false, "its answer with status 404 is no JSON of the service; a login page"],
  [404, "text/plain", false, "or another web server may be there"],
  [206, "application/json", false, "it answered with status 206"],
  [302, "text/html", false, "got a redirect, which is not followed"],
])("a service that answers %i as %s: ok is %s", async (status, type, ok, words) => {
  server = await startFaultServer((_, response) =>
    response.writeHead(status, { "content-type": type }).end("{}"),
  );
  const env = {
    ...{ NIGHTLEDGER_API_URL: server.url, NIGHTLEDGER_API_KEY: "sk_test_check" },
    TEMPORAL_CLI_PATH: process.execPath,
  };
  const { code, stdout } = await runHere({ directory: temp.path, env }, ["check", "--json"]);
  expect(JSON.parse(stdout).items).toContainEqual({
    check: "service",
    ok,
    detail: expect.stringContaining(words),
  });
  // The CLI of Temporal is wrong here, which alone is exit 2.
  expect(code).toBe(ok ? 2 : 3);
});
test.each([
  [
    "It is for http://127.0.0.1:1. Nothing was started. Name another lake.",
    "It is for http://127.0.0.1:1. Name another lake.",
  ],
  ["Nothing was started. Give it.", "Give it."],
  ["no file; nothing was started. Give one.", "no file. Give one."],
  ["no file. Nothing was started.", "no file."],
])(
  "what an error says of a start is left out, and no sentence is glued to the next: %s",
  (message, words) => {
    expect(withoutStart(message)).toBe(words);
  },
);
