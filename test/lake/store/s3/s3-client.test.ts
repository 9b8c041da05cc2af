import { afterEach, expect, test, vi } from "vitest";
import { openS3 } from "../../../../src/lake/store/s3/s3-client.js";

afterEach(() => vi.unstubAllEnvs());

test("an empty variable counts as not set, as Compose leaves it", async () => {
  for (const name of ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION"]) vi.stubEnv(name, "");
  vi.stubEnv("AWS_DEFAULT_REGION", "eu-central-1");
  const { config } = await openS3();
  expect(await config.region()).toBe("eu-central-1");
  expect(config.forcePathStyle).toBe(false);
});
