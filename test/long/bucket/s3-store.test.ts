import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createS3Store } from "../../../src/lake/store/s3/s3-store.js";
import { conformance } from "../../helpers/store/conformance.js";
import { type FaultyS3, type S3Fault, startFaultyS3 } from "../../helpers/store/faulty-s3.js";
import { type S3Server, startS3Server, whyNoS3Server } from "../../helpers/store/s3-server.js";

const missing = await whyNoS3Server();

describe.skipIf(missing !== undefined)(`a bucket${missing === undefined ? "" : ` (${missing})`}`, () => {
  let server: S3Server;
  let faulty: FaultyS3;
  beforeAll(async () => {
    server = await startS3Server();
    faulty = await startFaultyS3(server.endpoint);
  });
  afterAll(async () => {
    await faulty?.stop();
    await server?.stop();
  });

  /** A store over the bucket, with a cache of its own, as each machine has. */
  const storeIn = (address: string, directory: string, cache: string) =>
    createS3Store(address, { directory: join(directory, cache), mostBytes: 2 ** 30 }, faulty.endpoint);

  async function emptyStore(directory: string) {
    const { address } = await server.makeBucket();
    return {
      store: storeIn(address, directory, "a"),
      other: storeIn(address, directory, "b"),
      release: async () => undefined,
    };
  }

  describe("that answers", () => conformance(emptyStore));

  test("bytes that rotted in the bucket are never taken for the object", async () => {
    const directory = await mkdtemp(join(tmpdir(), "nightledger-rot-"));
    try {
      const bucket = await server.makeBucket();
      const store = storeIn(bucket.address, directory, "a");
      await store.put("t/key", "rows of a table");
      await writeFile(join(bucket.directory, "t/key"), "rows of a fable", { flag: "r+" });
      await expect(store.get("t/key")).rejects.toMatchObject({
        name: "InputError",
        message: expect.stringMatching(/t\/key is damaged/),
      });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  // Of a thousand requests at once fewer are harmed: where many fail, the SDK soon tries none of them again.
  describe.each<S3Fault>(["slow down", "answer lost", "body cut", "reset"])(
    "with this in every seventh answer: %s",
    (fault) => {
      beforeAll(() => {
        faulty.strike = ({ number, path }) =>
          number % (path.includes("/many/") ? 29 : 7) === 0 ? fault : undefined;
      });
      afterAll(() => {
        faulty.strike = () => undefined;
        expect(faulty.struck).toBeGreaterThan(30);
      });
      conformance(emptyStore);
    },
  );
});
