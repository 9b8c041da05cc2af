import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { commandWorld } from "../../helpers/command/command-world.js";

const EXPORT = ["export", "cip", "--roster", "users.csv", "--approver", "c@bank.example"];

const world = commandWorld({
  population: { kind: "synthetic", users: 3, linksPerUser: 0, accountsPerLink: 0, rows: 0 },
});

test("the retry of a signed export is signed with the same key, which is kept until it has ended", async () => {
  const key = join(world.folder.directory, "key.pem");
  await promisify(execFile)("openssl", ["genpkey", "-algorithm", "ed25519", "-out", key]);
  const [user = ""] = world.sandbox.world.users.keys();
  const fault = world.sandbox.addFault({ kind: "status", status: 404, operation: "create_cip_report", user });
  const first = await world.say(...EXPORT, "--sign-key", key);
  expect(first).toMatchObject({ code: 1, said: { exported: 2, failed: 1 } });
  world.sandbox.removeFault(fault);
  const amended = await world.say("runs", "retry", first.said.run_id);
  expect(amended).toMatchObject({ code: 0, said: { exported: 3, failed: 0 } });
  const manifest = JSON.parse(await readFile(join(amended.said.export, "manifest.json"), "utf8"));
  expect(manifest).toMatchObject({ signature: { algorithm: "Ed25519" }, amends: first.said.run_id });
  expect((await world.run("verify", amended.said.export)).code).toBe(0);
});
