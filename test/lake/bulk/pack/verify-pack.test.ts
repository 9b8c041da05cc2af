import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmod, cp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { InputError } from "../../../../src/domain/failures.js";
import {
  manifestText,
  PackError,
  type PackManifest,
  textSha256,
} from "../../../../src/lake/bulk/pack/manifest.js";
import { verifyPack } from "../../../../src/lake/bulk/pack/verify-pack.js";
import { madeUpMembers } from "../../../helpers/bulk/cip-members.js";
import { openPackRoom } from "../../../helpers/bulk/cip-pack.js";
import { eachFile } from "../../../helpers/each-test.js";

const pair = generateKeyPairSync("ed25519");
const room = eachFile(openPackRoom);
let pack: string;
beforeAll(async () => {
  const first = await room.write(madeUpMembers(25));
  const second = await room.write(madeUpMembers(25), { previous: first });
  const third = await room.write(madeUpMembers(25), { previous: second, signKey: pair.privateKey });
  pack = third.directory;
});

const proved = (key = pair.publicKey) => verifyPack(pack, { duckdb: room.tools.duckdb, key });
const files = async (directory: string) =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();

/** Changes a file of the pack while `work` runs. */
async function changed<T>(
  path: string,
  change: (bytes: Buffer) => Buffer | string,
  work: () => Promise<T>,
): Promise<T> {
  const local = join(pack, path);
  const bytes = await readFile(local);
  await chmod(local, 0o640);
  await writeFile(local, change(Buffer.from(bytes)));
  try {
    return await work();
  } finally {
    await writeFile(local, bytes);
  }
}

/** Changes the manifest, and `SHA256SUMS` so that it fits: what somebody does who can write. */
async function forged<T>(change: (manifest: PackManifest) => unknown, work: () => Promise<T>): Promise<T> {
  const before = textSha256(await readFile(join(pack, "manifest.json")));
  const text = await readFile(join(pack, "manifest.json"), "utf8");
  const after = manifestText(change(JSON.parse(text) as PackManifest) as PackManifest);
  return changed(
    "manifest.json",
    () => after,
    () => changed("SHA256SUMS", (sums) => sums.toString("utf8").replace(before, textSha256(after)), work),
  );
}

test("a whole pack is proved, with its chain and its signature", async () => {
  expect(await proved()).toMatchObject({
    ...{ export_id: "cip-3", chain: ["cip-2", "cip-1"], chain_ends_before: null, signature: "given" },
    counts: { population: 25 },
  });
  expect(await verifyPack(pack, room.tools)).toMatchObject({ signature: "own" });
});

// Yesterday's pack, copied over today's, was proved, and the next export was compared with it.
test("a pack in a directory that is named after another export is not what was written there", async () => {
  const name = "cip-20261128T072553Z-18fcd2";
  const moved = join(dirname(pack), name);
  await cp(pack, moved, { recursive: true });
  await expect(verifyPack(moved, room.tools)).rejects.toThrow(
    `the directory is named ${name}, and the pack in it is cip-3`,
  );
  await rm(moved, { recursive: true });
});

// The pack that was made after it has its true hash, and was not asked.
test("an earlier pack that was changed and sealed again is contradicted by the one after it", async () => {
  const before = pack;
  pack = join(dirname(before), "cip-1");
  try {
    const change = (manifest: PackManifest) => ({ ...manifest, facts: { reason: "another" } });
    await forged(change, () =>
      expect(verifyPack(pack, room.tools)).rejects.toThrow(
        /cip-2 beside it names another manifest.json of cip-1/,
      ),
    );
  } finally {
    pack = before;
  }
});

test("`sha256sum` and `openssl` prove it without this program", async () => {
  execFileSync("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], { cwd: pack });
  const check =
    "pkeyutl -verify -pubin -inkey signing-key.pem -rawin -in manifest.json -sigfile manifest.sig";
  expect(execFileSync("openssl", check.split(" "), { cwd: pack }).toString()).toContain(
    "Verified Successfully",
  );
  const { content_sha256 } = JSON.parse(await readFile(join(pack, "manifest.json"), "utf8")) as PackManifest;
  const byHand = execFileSync("sh", ["-c", "grep -E '\\.(csv|parquet)$' SHA256SUMS | sha256sum"], {
    cwd: pack,
  });
  expect(byHand.toString()).toContain(content_sha256);
  expect(await readFile(join(pack, "report.html"), "utf8")).toContain(content_sha256);
});

test("one byte of any file, at its beginning, middle and end, is noticed and the file is named", async () => {
  const all = await files(pack);
  expect(all).toContain("manifest.sig");
  for (const path of all) {
    const { length } = await readFile(join(pack, path));
    for (const at of [0, length >> 1, length - 1]) {
      const flip = (bytes: Buffer) => {
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        return bytes;
      };
      await changed(path, flip, async () => {
        await expect(proved(), `${path} at ${at}`).rejects.toThrow(PackError);
        await expect(proved(), `${path} at ${at}`).rejects.toThrow(path);
      });
    }
    await changed(
      path,
      (bytes) => bytes.subarray(0, -1),
      async () => {
        await expect(proved(), `${path}, cut`).rejects.toThrow(path);
      },
    );
  }
  await proved();
});

test("a file that is missing, too much or no file is named", async () => {
  for (const path of await files(pack)) {
    await rename(join(pack, path), join(room.root, "away"));
    await expect(proved(), path).rejects.toThrow(path);
    await rename(join(room.root, "away"), join(pack, path));
  }
  await writeFile(join(pack, "report-2.html"), "");
  await expect(proved()).rejects.toThrow("report-2.html does not belong to the pack");
  await rm(join(pack, "report-2.html"));
  await symlink("/etc/passwd", join(pack, "link"));
  await expect(proved()).rejects.toThrow("link is neither a file nor a directory");
  await rm(join(pack, "link"));
});

describe("a manifest that was changed with SHA256SUMS made to fit", () => {
  const hash = "0".repeat(64);
  const file = (manifest: PackManifest, path: string, fields: object) => ({
    ...manifest,
    files: manifest.files.map((one) => (one.path === path ? { ...one, ...fields } : one)),
  });
  test.each<[string, (manifest: PackManifest) => unknown, string]>([
    ["format", (m) => ({ ...m, format: "nightledger-pack/2" }), "format"],
    ["a field more", (m) => ({ ...m, checked: true }), "checked"],
    ["counts.exported", (m) => ({ ...m, counts: { ...m.counts, exported: 24 } }), "does not hold: 25 ≠ 24 +"],
    [
      "counts that still add up",
      (m) => ({
        ...m,
        counts: { ...m.counts, exported: m.counts.exported + 1, failed: m.counts.failed - 1 },
      }),
      "counts.exported is",
    ],
    [
      "counts.population",
      (m) => ({ ...m, counts: { ...m.counts, population: 26, excluded: 2 } }),
      "population.rows",
    ],
    [
      "population.sha256",
      (m) => ({ ...m, population: { ...m.population, sha256: hash } }),
      "population.sha256",
    ],
    ["content_sha256", (m) => ({ ...m, content_sha256: hash }), "content_sha256"],
    ["a file's hash", (m) => file(m, "changes.csv", { sha256: hash }), "changes.csv was changed"],
    ["a file's rows", (m) => file(m, "cip_reports.parquet", { rows: 3 }), "cip_reports.parquet has 22 rows"],
    ["a file's bytes", (m) => file(m, "exceptions.csv", { bytes: 3 }), "exceptions.csv has"],
    ["a file left out", (m) => ({ ...m, files: m.files.slice(1) }), "changes.csv does not belong"],
    [
      "a path that leads out",
      (m) => file(m, "changes.csv", { path: "../cip-2/changes.csv" }),
      "files.0.path",
    ],
    [
      "the operator",
      (m) => ({ ...m, facts: { ...m.facts, operator: "mallory" } }),
      "manifest.sig does not match",
    ],
    ["the signature left out", (m) => ({ ...m, signature: null }), "says that it was not signed"],
    [
      "the key",
      (m) => ({ ...m, signature: { ...m.signature, public_key_sha256: hash } }),
      "public_key_sha256",
    ],
  ])("%s", async (_, change, named) => {
    await forged(change, async () => {
      await expect(proved()).rejects.toThrow(PackError);
      await expect(proved()).rejects.toThrow(named);
    });
  });

  test("without the signature's help, the next pack of the chain tells", async () => {
    const [second, third] = ["cip-2", "cip-3"].map((id) => join(dirname(pack), id)) as [string, string];
    pack = second;
    await forged(
      (m) => ({ ...m, facts: { ...m.facts, operator: "mallory" } }),
      async () => {
        pack = third;
        await expect(proved()).rejects.toThrow("the chain is broken at cip-2");
        pack = second;
      },
    );
    pack = third;
    await proved();
  });
});

test("a pack that lies alone is proved, and says where its chain ends", async () => {
  const alone = join(room.root, "alone");
  await cp(pack, alone, { recursive: true });
  expect(await verifyPack(alone, room.tools)).toMatchObject({ chain: [], chain_ends_before: "cip-2" });
});

test("another key than the one that signed is refused, and so is a key for a pack without signature", async () => {
  const other = generateKeyPairSync("ed25519").publicKey;
  await expect(proved(other)).rejects.toThrow("the public key that was given is not the key");
  const unsigned = { duckdb: room.tools.duckdb, key: other };
  await expect(verifyPack(join(dirname(pack), "cip-1"), unsigned)).rejects.toThrow("the pack is not signed");
});

test("a directory that is not a pack is an InputError", async () => {
  await expect(verifyPack(room.root, room.tools)).rejects.toThrow(InputError);
  await expect(verifyPack(join(room.root, "nowhere"), room.tools)).rejects.toThrow(InputError);
});
