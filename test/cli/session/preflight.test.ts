import { afterEach, expect, test, vi } from "vitest";
import { readLakeView } from "../../../src/cli/session/preflight.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";

afterEach(() => vi.unstubAllEnvs());

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
