import { createHash } from "node:crypto";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { changesAfter } from "../../../../src/lake/delta/delta-log.js";
import { creationOf } from "../../../../src/lake/delta/delta-schema.js";
import { openTable } from "../../../../src/lake/delta/delta-table.js";
import { FEED, type TestLake } from "../delta-lake.js";
import { domainAction } from "./counted-actions.js";
import { logNames } from "./log-entries.js";

const DAY_S = 86_400;
/** Nights after which a derived table that was not brought up still finds what the feed brought. */
const NIGHTS_BEHIND = 4;

interface Nights {
  readonly links: number;
  readonly nights: number;
  /** Links in a commit. */
  readonly commitLinks: number;
  readonly table: Parameters<typeof openTable>[3];
}

/**
 * A first night that commits all links of a feed, and nights in which a tenth of them changes, each by a process of
 * its own and a day after the one before. Every state is read back by a table object that knows nothing.
 */
export async function simulateNights(lake: TestLake, { links, nights, commitLinks, table }: Nights) {
  const expected = new Map<string, string>();
  const versions: number[] = [];
  let dated = 0;
  for (let night = 0; night < nights; night += 1) {
    const feed = openTable(lake.store, FEED.name, lake.duckdb, table);
    const changed = Array.from({ length: links }, (_, link) => link).filter(
      (link) => night === 0 || link % 10 === night % 10,
    );
    for (let from = 0; from < changed.length; from += commitLinks) {
      const states = changed.slice(from, from + commitLinks).map((link) => stateOf(link, night));
      for (const [domain, configuration] of states) expected.set(domain, configuration);
      await feed.commit(({ version }) => [
        ...(version === -1 ? creationOf(FEED, 1) : []),
        ...states.map(([domain, configuration]) => domainAction(domain, configuration)),
      ]);
    }
    const reader = openTable(lake.store, FEED.name, lake.duckdb, table);
    const head = await reader.snapshot();
    const { version, domains } = head;
    expect(domains.size).toBe(expected.size);
    expect([...domains].every(([domain, configuration]) => expected.get(domain) === configuration)).toBe(
      true,
    );
    versions.push(version);
    expect(
      await changesAfter({ ...lake, table: FEED.name }, versions.at(-NIGHTS_BEHIND) ?? -1, head),
    ).toEqual([]);
    for (; dated <= version; dated += 1) await date(lake, dated, night);
  }
  const log = await lake.store.list(`${FEED.name}/_delta_log/`);
  const checkpoints = log.filter(({ key }) => key.endsWith(".checkpoint.parquet"));
  return {
    bytes: log.reduce((sum, { size }) => sum + size, 0),
    checkpointBytes: checkpoints.at(-1)?.size ?? 0,
    names: await logNames(lake.store, FEED.name),
  };
}

/** Gives a commit, where it is still there, the day on which it was made. */
async function date(lake: TestLake, version: number, night: number): Promise<void> {
  const name = `${String(version).padStart(20, "0")}.json`;
  const at = 1_500_000_000 + night * DAY_S;
  const path = join(lake.directory, FEED.name, "_delta_log", name);
  await utimes(path, at, at).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** The state of a link as a sync commits it: some eight hundred bytes, half of them hashes. */
function stateOf(link: number, night: number): [domain: string, configuration: string] {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const id = `link_${hash(`${link}`).slice(0, 24)}`;
  const before = night === 0 ? null : night;
  return [
    `nightledger.link.${id}`,
    JSON.stringify({
      run_id: `sync-20261122-${hash(`${night}`).slice(0, 10)}`,
      link_id: id,
      fp_id: `fp_id_${hash(`user ${link}`).slice(0, 22)}`,
      generation: 1,
      cursor_in: before && hash(`cursor ${link} ${before - 1}`).slice(0, 40),
      cursor_out: hash(`cursor ${link} ${night}`).slice(0, 40),
      pages: 1,
      created: 10,
      updated: 0,
      removed: 0,
      quarantined: 0,
      sequence_from: night * 10 + 1,
      sequence_to: night * 10 + 10,
      pages_sha256: hash(`pages ${link} ${night}`),
      rows_sha256: hash(`rows ${link} ${night}`),
      certificate_prev: before && hash(`head ${link} ${before - 1}`),
      cursor: hash(`cursor ${link} ${night}`).slice(0, 40),
      next_sequence: night * 10 + 11,
      head: hash(`head ${link} ${night}`),
      attempt: 0,
      restarts: 0,
      sign_conflicts: 0,
      last_page_sha256: null,
      started_at: "2026-11-22T20:44:52.123Z",
      finished_at: "2026-11-22T20:44:53.456Z",
    }),
  ];
}
