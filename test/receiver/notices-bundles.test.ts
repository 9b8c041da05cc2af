import { Client, Connection } from "@temporalio/client";
import { expect, test } from "vitest";
import { Bundles, EventNotice } from "../../src/receiver/notices.js";

test("what comes while a bundle is under way goes together in the next one; a failure is that of its bundle", async () => {
  const sent: number[][] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const bundles = new Bundles<number>(async (bundle) => {
    sent.push([...bundle]);
    await held;
    if (bundle.includes(2)) throw new Error("lost");
  });
  const first = bundles.add(1);
  await expect.poll(() => sent.length).toBe(1);
  const [second, third] = [bundles.add(2), bundles.add(3)];
  release();
  await first;
  await expect(second).rejects.toThrow("lost");
  await expect(third).rejects.toThrow("lost");
  await bundles.add(4);
  expect(sent).toEqual([[1], [2, 3], [4]]);
});

test("collected receipts that could not be sent are kept, and sent again at the latest at the end", async () => {
  // It leads nowhere.
  const connection = Connection.lazy({ address: "127.0.0.1:1" });
  const complaints: unknown[] = [];
  const notice = new EventNotice(new Client({ connection }), "s", "q", (error) => complaints.push(error));
  notice.tellSoon({ name: "one", matched: false });
  await expect.poll(() => complaints.length).toBe(1);
  await notice.close();
  expect(complaints).toHaveLength(2);
  await connection.close();
});
