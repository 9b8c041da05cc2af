import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createS3Store } from "../../../src/lake/store/s3/s3-store.js";
import { sayHere } from "../../helpers/command/command-here.js";
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
      vi.stubEnv("AWS_REQUEST_CHECKSUM_CALCULATION", "WHEN_SUPPORTED");
      const bucket = await server.makeBucket();
      const store = storeIn(bucket.address, directory, "a");
      await store.put("t/key", "rows of a table");
      await writeFile(join(bucket.directory, "t/key"), "rows of a fable", { flag: "r+" });
      await expect(store.get("t/key")).rejects.toMatchObject({
        name: "InputError",
        message: expect.stringMatching(/t\/key is damaged/),
      });
    } finally {
      vi.unstubAllEnvs();
      await rm(directory, { recursive: true, force: true });
    }
  });

  describe("that knows neither checksums nor the deletion of several objects", () => {
    beforeAll(() => {
      faulty.strike = ({ method, path, headers }) =>
        "x-amz-checksum-crc32" in headers || (method === "POST" && path.includes("?delete"))
          ? "not implemented"
          : undefined;
    });
    afterAll(() => {
      faulty.strike = () => undefined;
    });
    conformance(emptyStore);
  });

  // Whatever is not known, the probes are deleted.
  test.each([
    ["PUT", /-if-none-match/],
    ["GET", /-if-none-match/],
    ["POST", /\?uploads/],
    ["PUT", /partNumber/],
    ["POST", /uploadId/],
    ["DELETE", /uploadId/],
    ["HEAD", /-parts/],
    ["GET", /list-type/],
    ["DELETE", /-parts\?x-id/],
  ])("the first use finds that it does not know %s %s", async (method, pattern) => {
    const directory = await mkdtemp(join(tmpdir(), "nightledger-probes-"));
    const { store } = await emptyStore(directory);
    try {
      await store.checkRequests();
      faulty.strike = (sent) =>
        sent.method === method && pattern.test(sent.path) ? "not implemented" : undefined;
      await expect(store.checkRequests()).rejects.toMatchObject({
        name: "InputError",
        message: expect.stringMatching(/does not know this request \(.*HTTP 501\)/),
      });
      faulty.strike = () => undefined;
      expect(await store.list("")).toEqual([]);
    } finally {
      faulty.strike = () => undefined;
      await rm(directory, { recursive: true, force: true });
    }
  });

  test("`check` tries the requests too", async () => {
    const directory = await mkdtemp(join(tmpdir(), "nightledger-check-"));
    vi.stubEnv("AWS_ENDPOINT_URL_S3", faulty.endpoint);
    try {
      const { address } = await server.makeBucket();
      const env = {
        NIGHTLEDGER_LAKE: address,
        NIGHTLEDGER_HOME: directory,
        NIGHTLEDGER_API_KEY: "sk_test_1",
      };
      const folder = { directory, env: { ...env, NIGHTLEDGER_API_URL: "http://127.0.0.1:9" } };
      const bucketOf = async () =>
        (await sayHere(folder, "check")).said.find((item: { check: string }) => item.check === "bucket");
      expect(await bucketOf()).toMatchObject({ ok: true });
      faulty.strike = ({ path }) => (path.includes("?uploads") ? "not implemented" : undefined);
      expect(await bucketOf()).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/-parts can't be used/),
      });
    } finally {
      faulty.strike = () => undefined;
      vi.unstubAllEnvs();
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
