import { afterEach, expect, test, vi } from "vitest";
import { readJobConfig, readLakeView } from "../../../src/cli/session/preflight.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";

const KEY = `k1:${Buffer.alloc(32, 7).toString("base64")}`;

afterEach(() => vi.unstubAllEnvs());

const temp = eachTest(tempDirectory);

test.each([{}, { TEMPORAL_ADDRESS: "127.0.0.1:1", NIGHTLEDGER_ENCRYPTION_KEYS: KEY }])(
  "who makes calls for a lake sees the pause of everything that another one wrote, with %j",
  async (mode) => {
    const env = {
      ...{ NIGHTLEDGER_API_URL: "http://127.0.0.1:1", NIGHTLEDGER_API_KEY: "sk_test_1" },
      ...{ NIGHTLEDGER_LAKE: `${temp.path}/lake`, NIGHTLEDGER_HOME: `${temp.path}/home` },
      ...mode,
    };
    const [one, other] = [1, 2].map(
      () => readJobConfig({ ...SILENT, env, cwd: temp.path }).config.api.pauses,
    );
    expect(await other?.read()).toBeUndefined();
    await one?.write("12345");
    expect(Number(await other?.read())).toBe(12345);
  },
);

test("a command that only looks says of a bucket that it can't be used, and not that something tries it again", async () => {
  // Nothing listens there.
  vi.stubEnv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  await expect(
    readLakeView({ ...SILENT, env: { NIGHTLEDGER_LAKE: "s3://ledger/tables" } }),
  ).rejects.toMatchObject({
    name: "UnreachableError",
    message: expect.stringMatching(/^s3:\/\/ledger\/tables can't be reached .*AWS_REGION\.$/),
  });
});
