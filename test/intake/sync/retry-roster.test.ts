import { expect, test } from "vitest";
import { rosterRows } from "../../../src/domain/sync/roster.js";
import { retryRoster } from "../../../src/intake/sync/retry-roster.js";

test("a user who failed is read whole, another one by the links that failed, whatever their order", () => {
  const links = [
    { fp_id: "u3", link_id: "y" },
    { fp_id: "u1", link_id: "b" },
    { fp_id: "u3", link_id: "x" },
    { fp_id: "u2", link_id: "z" },
  ];
  const roster = retryRoster({ users: ["u2"], links });
  const rows = [{ fp_id: "u1", links: ["b"] }, { fp_id: "u2" }, { fp_id: "u3", links: ["x", "y"] }];
  expect(roster.rows).toEqual(rows);
  expect(rosterRows(roster.text)).toEqual(rows);
  expect(retryRoster({ users: ["u2", "u2"], links: [...links].reverse() }).sha256).toBe(roster.sha256);
});
