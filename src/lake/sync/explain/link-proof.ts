import type { LakeReader } from "../../query/query-views.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { linkSyncs } from "../../tables/link-syncs.js";
import type { Problem } from "../chain-check.js";
import { checkLink } from "../lake-check.js";
import { foundRows } from "./found-rows.js";

/** A certificate, and its place in the chain of its link. */
export interface ChainPlace {
  readonly certificate: string;
  /** 1 for the first; null where the chain does not lead to it. */
  readonly place: number | null;
}

/** What the certificates of a link say of its rows. */
export interface LinkProof {
  readonly holds: boolean;
  readonly certificates: number;
  readonly problems: readonly Problem[];
  /** By the run that made it. */
  readonly byRun: ReadonlyMap<string, ChainPlace>;
}

/** Checks the certificates of a link as `verify` does, and gives each its place. */
export async function linkProof(lake: LakeReader, link: string): Promise<LinkProof> {
  const { certificates, problems, problemsTotal } = await checkLink(lake.store, lake.duckdb, link);
  const condition = `link_id = ${sqlText(link)} and certificate is not null`;
  const rows = (await foundRows(lake, linkSyncs, condition, { link })).map(({ row }) => row);
  const next = new Map(rows.map((row) => [row.certificate_prev, row.certificate]));
  const places = new Map<unknown, number>();
  for (let at = next.get(null); at !== undefined && !places.has(at); at = next.get(at)) {
    places.set(at, places.size + 1);
  }
  return {
    holds: problemsTotal === 0,
    certificates,
    problems,
    byRun: new Map(
      rows.map(({ run_id, certificate }) => [
        String(run_id),
        { certificate: String(certificate), place: places.get(certificate) ?? null },
      ]),
    ),
  };
}
