import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { S3Bucket } from "../../../../src/lake/store/s3/s3-bucket.js";
import { countingRequests, requestsSoFar } from "../../../../src/lake/store/s3/s3-client.js";

afterEach(() => vi.unstubAllEnvs());

test("work counts its own requests, also those that are sent again", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  let busy = 0;
  const server = createServer((asked, answer) => {
    asked.resume();
    busy -= 1;
    answer.writeHead(busy >= 0 ? 503 : 200).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const bucket = new S3Bucket({ bucket: "b", prefix: "" }, `http://127.0.0.1:${port}`);
  try {
    busy = 2;
    const [first, second] = await Promise.all([
      countingRequests(async () => {
        await bucket.get("a");
        await bucket.head("a");
        return requestsSoFar();
      }),
      countingRequests(async () => {
        await bucket.put("b", "x");
        await bucket.delete("b");
      }),
    ]);
    expect(first.result).toEqual(first.requests);
    expect(first.requests.reads + second.requests.writes).toBe(6);
    expect([first.requests.writes, second.requests.reads]).toEqual([0, 0]);
    await bucket.get("a");
    expect(requestsSoFar()).toBeUndefined();
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});
