import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { runHere } from "../../helpers/command/command-here.js";

let sandbox: Sandbox;
let directory: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  directory = await mkdtemp(join(tmpdir(), "nightledger-call-"));
});
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true });
});

const DECRYPTION = ["decrypt_vault", "--param", "fields=id.dob", "--param", "reason=r"];
const USER = ["get_user", "--param", "fp_id=fp_1"];

it.each([
  ["an id that is for nothing", [...USER, "--request-id", "a"], /need --durable.*Add --durable/],
  ["an id with a space", [...USER, "--durable", "--request-id", "a b"], /1 to 100 visible ASCII characters/],
  ["a token to keep", ["create_client_token", "--durable"], /would not keep the token.*Leave --durable out/],
  [
    "a token that may expire",
    [...DECRYPTION, "--durable", "--param", "client_token=t"],
    /may expire.*--for <fp_id>/,
  ],
  ["a client operation of nobody", [...DECRYPTION, "--durable"], /needs a client token/],
  ["any status of the service", [...USER, "--durable", "--any-status"], /Leave --any-status out/],
  ["a file that nobody writes", [...USER, "--durable", "--detach", "--output", "x"], /command that joins it/],
  ["a request that breaks a rule", ["get_user", "--durable"], /parameter fp_id/],
  ["to leave an embedded server", [...USER, "--durable", "--detach"], /Temporal cluster/],
] as const)("call --durable refuses %s before anything starts, exit 2", async (_, args, words) => {
  sandbox.clearRequests();
  const env = { NIGHTLEDGER_API_URL: sandbox.url, NIGHTLEDGER_API_KEY: sandbox.apiKey };
  const { code, stdout } = await runHere({ directory, env }, ["call", ...args, "--json"]);
  expect({ code, ...JSON.parse(stdout).error }).toMatchObject({
    ...{ code: 2, class: "InputError" },
    message: expect.stringMatching(words),
  });
  expect(await readdir(directory)).toEqual([]);
  expect(sandbox.calls().total).toBe(0);
});
