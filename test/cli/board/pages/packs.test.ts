import { execFileSync } from "node:child_process";
import { chmod, copyFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPage } from "../../../helpers/board/read-page.js";
import { fpIdOf, madeUpMembers, taxIdOf } from "../../../helpers/bulk/cip-members.js";
import { openPackRoom, type PackRoom } from "../../../helpers/bulk/cip-pack.js";
import { lakeOfRows } from "../../../helpers/query/lake-of-rows.js";

const WHOLE = "cip-20261121T021500Z-000001";
const CHANGED = "cip-20261122T021500Z-000002";
const UNMASKED = "cip-20261123T021500Z-000003";
const GONE = "cip-20261124T021500Z-000004";

let room: PackRoom;
let lake: Awaited<ReturnType<typeof lakeOfRows>>;
let folder: Parameters<typeof readPage>[0];
beforeAll(async () => {
  room = await openPackRoom();
  await room.write(madeUpMembers(12), { exportId: WHOLE });
  const { directory } = await room.write(madeUpMembers(12), { exportId: CHANGED });
  const file = join(directory, "exceptions.csv");
  await chmod(file, 0o640);
  await writeFile(file, "nothing\n");
  await room.write(madeUpMembers(12), { exportId: UNMASKED, unmasked: true, reason: "examiner" });
  const out = join(room.root, "packs");
  const run = (run_id: string, more: object = {}) => ({
    ...{ run_id, kind: "cip", status: "completed", users: 12, failed: 0 },
    ...{ started_at: "2026-11-21T02:15:00Z", finished_at: "2026-11-21T02:16:00Z" },
    options: JSON.stringify({ approver: "c@bank.example", out, ...more }),
  });
  const runs = [run(WHOLE), run(CHANGED), run(UNMASKED, { unmasked: true, reason: "examiner" }), run(GONE)];
  lake = await lakeOfRows({ runs });
  folder = { directory: lake.directory, env: { NIGHTLEDGER_LAKE: lake.directory } };
});
afterAll(async () => {
  await room?.release();
  await lake?.release();
});

interface Pack {
  readonly run_id: string;
  readonly is_there: boolean;
  readonly proof: { readonly ok: boolean; readonly said: readonly string[] } | null;
}
const list = async () => (await readPage<{ readonly packs: readonly Pack[] }>(folder, "/packs")).model.packs;
const pack = (id: string) => readPage<Pack>(folder, `/packs/${id}`);

test("a pack is proved when its page is opened, and the list then says so; opening the list proves none", async () => {
  expect((await list()).map(({ proof }) => proof)).toEqual([null, null, null, null]);
  const whole = await pack(WHOLE);
  expect(whole.model.proof).toMatchObject({
    ok: true,
    said: expect.arrayContaining([`${WHOLE} is what its manifest says`]),
  });
  expect(whole.body.html).toContain("population 12 = exported");
  expect((await pack(CHANGED)).model.proof).toMatchObject({
    ok: false,
    said: [expect.stringContaining("exceptions.csv")],
  });
  expect((await pack(GONE)).model).toMatchObject({ is_there: false, proof: null });
  const known = Object.fromEntries((await list()).map(({ run_id, proof }) => [run_id, proof?.ok ?? null]));
  expect(known).toEqual({ [WHOLE]: true, [CHANGED]: false, [UNMASKED]: null, [GONE]: null });
  await expect(pack("cip-20261121T021500Z-00000f")).rejects.toThrow("there is no pack");
});

test("the report of a pack is shown as it is in the pack, and nothing else of it, nor of one that is unmasked", async () => {
  const { foreign = "" } = await readPage(folder, `/packs/${WHOLE}/report.html`);
  expect(foreign).toContain(fpIdOf(0));
  expect(foreign).not.toContain(taxIdOf(0));
  for (const path of [
    "outcomes.csv",
    "report%2F..%2Foutcomes.csv",
    "manifest.json",
    "report/people-001.html",
  ])
    await expect(readPage(folder, `/packs/${WHOLE}/${path}`)).rejects.toThrow(
      /no such page|no page at|not one of the files/,
    );
  await expect(readPage(folder, `/packs/${UNMASKED}/report.html`)).rejects.toThrow("unmasked");
});

test("what is put in the place of a pack's report is not shown: a link, a pipe, another pack's page, a changed one", async () => {
  const packs = join(room.root, "packs");
  const report = join(packs, WHOLE, "report.html");
  const own = `${report}.own`;
  const secret = join(room.root, "secret");
  await writeFile(secret, "a secret of the machine");
  await chmod(join(packs, WHOLE), 0o750);
  await rename(report, own);
  const unmasked = join(packs, UNMASKED);
  const planted = {
    link: () => symlink(secret, report),
    "link to another pack": () => symlink(join(unmasked, "report.html"), report),
    copy: () => copyFile(join(unmasked, "report.html"), report),
    pipe: async () => execFileSync("mkfifo", [report]),
    changed: () => writeFile(report, "<script>1</script>"),
  };
  for (const [name, plant] of Object.entries(planted)) {
    await plant();
    const shown = readPage(folder, `/packs/${WHOLE}/report.html`);
    await expect(shown, name).rejects.toThrow(/report\.html is not a file|not what was written/);
    await rm(report);
  }
  await rename(own, report);
  await rename(join(packs, WHOLE), join(packs, "aside"));
  const whole = () => readPage(folder, `/packs/${WHOLE}/report.html`);
  await symlink(unmasked, join(packs, WHOLE));
  await expect(whole()).rejects.toThrow("not a directory");
  await rm(join(packs, WHOLE));
  await rename(join(packs, "aside"), join(packs, WHOLE));
  expect((await whole()).foreign).toContain(fpIdOf(0));
});
