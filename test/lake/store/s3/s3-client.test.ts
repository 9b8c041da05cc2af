import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { S3Bucket } from "../../../../src/lake/store/s3/s3-bucket.js";
import { openS3 } from "../../../../src/lake/store/s3/s3-client.js";
import { unavailable } from "../../../../src/lake/store/s3/s3-errors.js";

afterEach(() => vi.unstubAllEnvs());

test("an empty variable counts as not set, as Compose leaves it", async () => {
  for (const name of ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION"]) vi.stubEnv(name, "");
  vi.stubEnv("AWS_DEFAULT_REGION", "eu-central-1");
  const { config } = await openS3();
  expect(await config.region()).toBe("eu-central-1");
  expect(config.forcePathStyle).toBe(false);
});

const LISTED = ["", "new folder/", "a/1", "a//1", "a/..", "a\\b", "a/.tmp-1-x", "b/2"];

test("a store that knows few requests is deleted from one by one, and its names that are no keys are left out", async () => {
  const lines: string[] = [];
  const server = createServer((asked, answer) => {
    const { method = "", url = "", headers } = asked;
    const line = `${method} ${url.replace(/[?&](x-id|list-type).*/, "")}`;
    const size = method === "PUT" ? ` of ${headers["content-length"]} bytes` : "";
    lines.push(line + size + ("x-amz-checksum-crc32" in headers ? " with a checksum" : ""));
    const contents = LISTED.map((key) => `<Contents><Key>p/${key}</Key><Size>1</Size></Contents>`).join("");
    asked.resume().once("end", () => {
      if (method === "DELETE") answer.writeHead(204).end();
      else if (method === "GET") answer.end(`<ListBucketResult>${contents}</ListBucketResult>`);
      else answer.writeHead(501).end("<Error><Code>NotImplemented</Code></Error>");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "x");
  try {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const bucket = new S3Bucket({ bucket: "ledger", prefix: "p/" }, endpoint);
    await bucket.deleteAll(["a/1", "b/2"]);
    expect((await bucket.list("", "")).map(({ key }) => key)).toEqual(["a/1", "b/2"]);
    await expect(bucket.put("a/1", "")).rejects.toMatchObject({
      name: "InputError",
      message: expect.stringMatching(
        /p\/a\/1 can't be used: .* \(NotImplemented, HTTP 501\)\. Trying again does not help: use another store/,
      ),
    });
    const [first, ...others] = lines;
    expect(first).toMatch(/^POST \/ledger\/?\?delete/);
    expect(others).toEqual([
      "DELETE /ledger/p/a/1",
      "DELETE /ledger/p/b/2",
      "GET /ledger/",
      "PUT /ledger/p/a/1 of 0 bytes",
    ]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

// Commands that nothing tries again promised that too.
test("the words for a bucket that can't be used promise no attempt", () => {
  const refused = Object.assign(new Error("slow down"), { $metadata: { httpStatusCode: 503 } });
  expect(unavailable(refused, "s3://b/lake").message).toBe(
    "s3://b/lake can't be used now: the bucket's service answers HTTP 503. Most such answers pass in some minutes.",
  );
});
