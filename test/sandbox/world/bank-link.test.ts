import { expect, test } from "vitest";
import { transactionRow } from "../../../sandbox/world/records.js";
import { World } from "../../../sandbox/world/world.js";

test("lists leave out rows and show others, and the log says nothing of it", () => {
  const world = new World();
  const link = world.addLink({ fp_id: "u", id: "l" });
  const row = (transaction_id: string) => transactionRow({ transaction_id });
  world.append("l", [
    { change: "created", row: row("t1") },
    { change: "created", row: row("t2") },
  ]);
  link.unlisted.add("t1");
  link.onlyListed.push(JSON.stringify(row("t3")));
  const listed = [...link.listedRows()].map((text) => JSON.parse(text).transaction_id);
  expect(listed).toEqual(["t2", "t3"]);
  expect(link.log.length).toBe(2);
});
