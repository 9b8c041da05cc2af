import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { CertificateFields } from "../../../src/domain/sync/certificate.js";
import { openLake } from "../../../src/lake/lake.js";
import { certificateOf } from "../../../src/lake/sync/link-checkpoint.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";
import { appendRows } from "../../helpers/query/append-rows.js";
import { queryRows } from "../../helpers/query/query-rows.js";

const temp = eachTest(tempDirectory);
const lake = eachTest(() => openLake({ directory: temp.path }));

/** A row as a machine's clock dates it. */
function synced(link_id: string, run: number, before: string | null, day: number) {
  const fields: CertificateFields = {
    run_id: `run-${run}`,
    link_id,
    fp_id: "fp",
    generation: 1,
    cursor_in: run === 1 ? null : `c${run - 1}`,
    cursor_out: `c${run}`,
    pages: 1,
    created: 1,
    updated: 0,
    removed: 0,
    quarantined: 0,
    sequence_from: run,
    sequence_to: run,
    pages_sha256: "a".repeat(64),
    rows_sha256: "b".repeat(64),
    certificate_prev: before,
  };
  const finished_at = `2026-05-${String(day).padStart(2, "0")}T00:00:00Z`;
  return { ...fields, certificate: certificateOf(fields), status: "synced", finished_at };
}

/** A chain of three, dated by clocks that contradict it. */
function chain(link: string) {
  const first = synced(link, 1, null, 20);
  const second = synced(link, 2, first.certificate, 3);
  return [first, second, synced(link, 3, second.certificate, 11)] as const;
}

/** What the query of docs/use/tables.md says of these rows. */
async function verdict(rows: readonly ReturnType<typeof synced>[]) {
  const page = await readFile(new URL("../../../docs/use/tables.md", import.meta.url), "utf8");
  const sql = [...page.matchAll(/```sql\n(.*?)```/gs)].find(([, text]) =>
    text?.includes("broken_chains"),
  )?.[1];
  await appendRows(lake, linkSyncs, rows);
  return (await queryRows(lake.store, sql ?? ""))[0];
}

test("chains are whole whatever the clocks said of their rows", async () => {
  expect(await verdict([...chain("a"), ...chain("b")])).toEqual({
    certificates: 6,
    false_ones: 0,
    broken_chains: 0,
  });
});

test("a certificate that is missing, one that is followed twice, and a second beginning break a chain", async () => {
  const [first, , third] = chain("gap");
  const fork = chain("fork");
  const rows = [
    ...[first, third],
    ...[...fork, synced("fork", 9, fork[1].certificate, 12)],
    ...[synced("roots", 1, null, 1), synced("roots", 2, null, 2)],
  ];
  expect(await verdict(rows)).toEqual({ certificates: 8, false_ones: 0, broken_chains: 1 + 2 + 2 });
});

test("a row that was changed is a false one", async () => {
  const [first, second, third] = chain("a");
  expect(await verdict([first, { ...second, created: 2 }, third])).toMatchObject({ false_ones: 1 });
});
