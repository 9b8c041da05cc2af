import { InputError } from "../../domain/failures.js";
import { counted } from "../../domain/words/counted.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { type Problem, Problems } from "../../lake/sync/chain-check.js";
import { checkLake, type LakeReport, SHARED_LINK, sharedLinks } from "../../lake/sync/lake-check.js";
import { checkDerived, type DerivedReport } from "../../lake/sync/verify/derived-check.js";
import { checkRoots, type RootReport } from "../../lake/sync/verify/root-check.js";
import { runs } from "../../lake/tables/runs.js";
import { bankLinkStream } from "../../streams/bank-links.js";
import { TABLES } from "../../tables.js";
import { existingLake, withUncopied } from "../lake/query.js";
import { LAKE_MEMORY_MB, withDuckDb, withLakeReader } from "../lake/reader.js";
import { showResult } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";

export interface VerifyFlags {
  readonly json?: boolean;
  readonly quick?: boolean;
  readonly root?: string;
}

/** `--quick` leaves out the last two. */
interface Verified extends LakeReport, Partial<DerivedReport>, Partial<RootReport> {
  readonly quick: boolean;
}

/** Proves the lake, or says what is wrong; the exit code. @throws InputError */
export async function verifyLake(terminal: Terminal, flags: VerifyFlags): Promise<number> {
  const { json, quick = false, root: asked } = flags;
  if (quick && asked !== undefined) {
    throw new InputError("--quick does not look at roots: leave out --root or --quick.");
  }
  if (asked !== undefined && !/^[0-9a-f]{64}$/.test(asked)) {
    throw new InputError("--root: not a root. Accepted: the 64 hex digits that the summary of a run shows.");
  }
  const place = await existingLake(terminal);
  const report = await withUncopied(place, (store) => proveStore(terminal, store, flags));
  showResult(terminal, json, report, verifiedText);
  return report.ok ? EXIT.completed : EXIT.failures;
}

async function proveStore(
  terminal: Terminal,
  store: ObjectStore,
  { quick = false, root: asked }: VerifyFlags,
): Promise<Verified> {
  const step = (what: string) => {
    if (terminal.interactive) terminal.say(`checking ${what}`);
  };
  step(quick ? "files by their size, and certificates" : "every byte of every file, and certificates");
  const files = await withDuckDb((duckdb) => checkLake(store, duckdb, TABLES, quick), {
    memoryLimitMb: LAKE_MEMORY_MB,
  });
  const problems = new Problems();
  problems.add(files.problems, files.problems_total);
  await problems.during(bankLinkStream.name, async () => {
    const shared = await withLakeReader(store, (lake) => sharedLinks(lake, bankLinkStream.table));
    const ofLink = { table: bankLinkStream.name, run_id: null, what: SHARED_LINK };
    problems.add(shared.map((link_id) => ({ ...ofLink, link_id })));
  });
  const whole = async (lake: Parameters<typeof checkRoots>[0]) => {
    const derived = await checkDerived(lake, TABLES, problems, step);
    step("roots");
    let roots: RootReport | undefined;
    await problems.during(runs.name, async () => {
      roots = await checkRoots(lake, TABLES, problems, asked);
    });
    return { ...derived, ...roots };
  };
  const rest = quick ? {} : await withLakeReader(store, whole, {});
  const { first, total } = problems;
  return { ...files, ...rest, quick, ok: total === 0, problems: first, problems_total: total };
}

const NOT_LOOKED_AT =
  "not looked at (--quick): the bytes of files, derived tables and roots; leave out --quick to prove them";

export function verifiedText(report: Verified): string[] {
  const { ok, problems, problems_total, quick, notes = [], kept, root, ...counts } = report;
  const more = problems_total - problems.length;
  const rest = more > 0 ? [`and ${more} more`] : [];
  if (!ok) return ["broken:", ...problems.map(lineOf), ...rest, ...notes];
  const {
    links,
    certificates,
    rows,
    files,
    pending,
    forgotten,
    purged,
    files_without_hash,
    compared = 0,
    roots = 0,
    uncovered = 0,
  } = counts;
  const whole = quick ? "" : `, ${compared} derived tables, ${counted(roots, "root")}`;
  const proved = `${counted(certificates, "certificate")} of ${counted(links, "link")}, ${counted(rows, "row")} of the feed, ${counted(files, "file")}${whole}`;
  const lines = [`proved: ${proved}`];
  if (kept) {
    lines.push(
      `root: run ${kept.run_id} ended with it at ${kept.finished_at}; ${counted(kept.later, "root follows it", "roots follow it")}`,
    );
  } else if (root) lines.push(`root: ${root}`);
  if (uncovered > 0) {
    const why = "they have not ended, were terminated, or an older copy of runs was put back";
    lines.push(
      `under no root: ${counted(uncovered, "run")} with certificates; ${why}: --root with a kept root tells`,
    );
  }
  if (pending > 0) {
    lines.push(
      `not proved yet: ${counted(pending, "link")} whose run has not ended; run the same sync again`,
    );
  }
  if (forgotten > 0) {
    lines.push(
      `forgotten: the rows of ${counted(forgotten, "certificate")}, with the persons that they were about; the table erasures says when and why`,
    );
  }
  if (purged > 0) {
    lines.push(
      `purged: the rows of ${counted(purged, "certificate")} are those that purges says retention left; the table erasures says when and by which rule`,
    );
  }
  if (files_without_hash > 0) {
    lines.push(
      `not proved: ${counted(files_without_hash, "file")} that another tool wrote; the log has no sha256 of them`,
    );
  }
  return [...lines, ...notes, ...(quick ? [NOT_LOOKED_AT] : [])];
}

function lineOf({ table, link_id, run_id, what }: Problem): string {
  const place = [link_id && `link ${link_id}`, run_id && `run ${run_id}`].filter(Boolean);
  return `${place.length === 0 ? `table ${table}` : place.join(", ")}: ${what}`;
}
