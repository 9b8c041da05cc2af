import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { runVerifyPack } from "../../../src/cli/bulk/verify-pack.js";
import { InputError } from "../../../src/domain/failures.js";
import { PackError } from "../../../src/lake/bulk/pack/manifest.js";
import { madeUpMembers } from "../../helpers/bulk/cip-members.js";
import { openPackRoom } from "../../helpers/bulk/cip-pack.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";
import { eachFile } from "../../helpers/each-test.js";

const room = eachFile(openPackRoom);
beforeAll(async () => {
  const first = await room.write(madeUpMembers(5));
  await room.write(madeUpMembers(5), { previous: first });
});

function terminal() {
  const results: string[] = [];
  const cwd = join(room.root, "packs");
  return { ...SILENT, results, cwd, result: (text: string) => results.push(text) };
}

test("says what was proved, in words and as JSON", async () => {
  const words = terminal();
  await runVerifyPack(words, "cip-2", {});
  expect(words.results[0]).toMatch(/^cip-2 is what its manifest says\n/);
  expect(words.results[0]).toContain("the manifests of 1 earlier pack match: cip-1");
  expect(words.results[0]).toContain("not signed");
  const json = terminal();
  await runVerifyPack(json, "cip-2", { json: true });
  expect(JSON.parse(json.results[0] ?? "")).toMatchObject({ ok: true, export_id: "cip-2", chain: ["cip-1"] });
});

test("a changed pack, no pack and no key are errors of their own", async () => {
  const changed = join(room.root, "packs", "cip-1", "outcomes.csv");
  await chmod(changed, 0o640);
  await writeFile(changed, "");
  await expect(runVerifyPack(terminal(), "cip-1", {})).rejects.toThrow(PackError);
  await expect(runVerifyPack(terminal(), "nothing", {})).rejects.toThrow(InputError);
  await expect(runVerifyPack(terminal(), "cip-2", { publicKey: "no.pem" })).rejects.toThrow(
    "no.pem can't be read",
  );
});

test("a lake is not called a broken pack: it is said how to prove it", async () => {
  await mkdir(join(room.root, "packs", "lake", "_nightledger"), { recursive: true });
  await writeFile(join(room.root, "packs", "lake", "_nightledger", "service.json"), "{}");
  await expect(runVerifyPack(terminal(), "lake", {})).rejects.toThrow(
    /lake is a lake, not a pack\. To prove it: NIGHTLEDGER_LAKE=\S+lake nightledger verify$/,
  );
});
