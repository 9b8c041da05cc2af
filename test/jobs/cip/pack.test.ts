import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { verifyPack } from "../../../src/lake/bulk/pack/verify-pack.js";
import { madeUpMembers } from "../../helpers/bulk/cip-members.js";
import { openPackRoom, type PackRoom } from "../../helpers/bulk/cip-pack.js";

let room: PackRoom;
beforeEach(async () => {
  room = await openPackRoom();
});
afterEach(() => room.release());

test("a pack of 25 members is whole", async () => {
  const { directory, counts } = await room.write(madeUpMembers(25));
  expect(counts.population).toBe(25);
  expect(counts.population).toBe(counts.exported + counts.failed + counts.excluded);
  execFileSync("sha256sum", ["-c", "--quiet", "SHA256SUMS"], { cwd: directory });
  const proved = await verifyPack(directory, room.tools);
  expect(proved).toMatchObject({ export_id: "cip-1", counts, chain: [], signature: "none" });
});

test("changes against the pack before", async () => {
  const first = await room.write(madeUpMembers(25));
  const second = await room.write(
    madeUpMembers(27, (member, index) => {
      if (index === 0) return undefined;
      if (index !== 3 || member.report === null) return member;
      const { checked_data } = member.report;
      return {
        ...member,
        report: {
          ...member.report,
          matched_address: "consider",
          checked_data: { ...checked_data, date_of_birth: "1999-01-01" },
        },
      };
    }),
    { previous: first.directory },
  );
  expect((await verifyPack(second.directory, room.tools)).chain).toEqual(["cip-1"]);
});
