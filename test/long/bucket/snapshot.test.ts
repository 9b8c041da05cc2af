import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findSnapshot, restoreSnapshot } from "../../../src/lake/copy/restore-snapshot.js";
import { keepNewest, objectKey, snapshotKeys } from "../../../src/lake/copy/snapshot.js";
import { takeSnapshot } from "../../../src/lake/copy/take-snapshot.js";
import { bindAs } from "../../../src/lake/service-binding.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { createS3Store } from "../../../src/lake/store/s3/s3-store.js";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import { type S3Server, startS3Server, whyNoS3Server } from "../../helpers/store/s3-server.js";
import { addLink, addRows, removed } from "../../helpers/sync/scripted-links.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";
import { verified } from "../../helpers/tampering/verified.js";

const missing = await whyNoS3Server();
const worlds = syncWorlds();

describe.skipIf(missing !== undefined)(`a bucket${missing === undefined ? "" : ` (${missing})`}`, () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3Server();
  });
  afterAll(() => server?.stop());

  test("keeps snapshots, is restored to, and is backed up, as a directory", async () => {
    const world = await worlds.open();
    await bindAs(world.store, { id: "1f", lake: "a-lake", url: "https://api.example.com", mode: "test" });
    addLink(world, "a", 30);
    await world.sync();
    // Larger than what goes through memory.
    await world.store.put("_exports/cip/pack/large", Buffer.alloc(3_000_000, "x"));
    let scratch = 0;
    const bucket = (address: string) => {
      scratch += 1;
      const directory = `${world.lake}-objects-${scratch}`;
      return createS3Store(address, { directory, mostBytes: 2 ** 30 }, server.endpoint);
    };
    const [kept, tables] = [await server.makeBucket(), await server.makeBucket()];
    const tell = () => undefined;

    const first = await takeSnapshot(world.store, bucket(kept.address), tell);
    addRows(world.sandbox, "a", 5, 100);
    world.sandbox.append("a", [removed("a-0003")]);
    await world.sync();
    const second = await takeSnapshot(world.store, bucket(kept.address), tell);
    expect(second.amount.kept).toBeGreaterThan(0);
    await keepNewest(bucket(kept.address), 2);
    expect(await snapshotKeys(bucket(kept.address))).toHaveLength(2);

    const large = join(kept.directory, objectKey(first.files["_exports/cip/pack/large"]?.sha256 ?? ""));
    const bytes = await readFile(large);
    await writeFile(large, Buffer.from(bytes).fill("y", 2_000_000, 2_000_001));
    const older = await findSnapshot(bucket(kept.address), String(first.root));
    await expect(restoreSnapshot(bucket(kept.address), older, bucket(tables.address))).rejects.toThrow(
      /_exports\/cip\/pack\/large: the snapshot has 3000000 bytes/,
    );
    await writeFile(large, bytes);
    await restoreSnapshot(bucket(kept.address), older, bucket(tables.address));

    // From the lake in the bucket into a directory, and from there to where the first lake was.
    const place = createLocalStore(`${world.lake}-snapshots`);
    const third = await takeSnapshot(bucket(tables.address), place, tell);
    const dataFiles = ({ files }: typeof first) =>
      Object.entries(files).filter(([key]) => !key.startsWith("_"));
    expect(dataFiles(third)).toEqual(dataFiles(first));
    await world.stopWorker();
    await rename(world.lake, `${world.lake}-lost`);
    await restoreSnapshot(place, await findSnapshot(place, undefined), world.store);
    expect(await verified(world.lake)).toMatchObject({ code: 0 });
    await world.startWorker();
    await world.sync();
    await expectLakeEqualsTruth(world);
    expect(await verified(world.lake)).toMatchObject({ code: 0 });
    await rm(`${world.lake}-lost`, { recursive: true });
  });
});
