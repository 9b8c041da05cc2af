import { appendFileSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import type { TableSpec } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import { jsonFile, objectSize } from "../sql/duckdb-files.js";
import { sqlText } from "../sql/duckdb-sql.js";
import { scratchPath } from "../tables/parquet-file.js";

/** What SQL must know besides the page's text. */
export interface PageOrigin {
  readonly run_id: string;
  readonly fp_id: string;
  readonly external_id?: string;
  readonly link_id: string | null;
  /** Of transactions. */
  readonly generation?: number;
  readonly sequence_from?: number;
  /** Within its update, or its list. */
  readonly page: number;
  readonly fetchedAt: Date;
}

/** How SQL turns staged pages into rows. */
export interface PageSql {
  readonly table: TableSpec;
  /** A struct of the lists' paths. */
  readonly pageType: string;
  /**
   * Over `page` (one row per page: `page_no` and the fields of `pageType`) and `origin` ({@link PageOrigin}); it gives the
   * table's columns in order.
   */
  readonly projection: string;
}

/** In one scratch file, each with its number. */
export interface PageBundle {
  readonly path: string;
  readonly largest: number;
  readonly origins: readonly PageOrigin[];
}

/** The caller may reuse the bytes afterwards. */
export type AddPage = (origin: PageOrigin, body: Buffer) => void;

/**
 * Writes pages into one scratch file, because SQL allocates a buffer for each; in place, because each trip to the thread
 * pool waits its turn (docs/inside/performance.md).
 */
export async function withBundle<T>(
  lake: Lake,
  fill: (add: AddPage) => Promise<void>,
  work: (bundle: PageBundle) => Promise<T>,
): Promise<T> {
  const path = scratchPath(lake, "json");
  const origins: PageOrigin[] = [];
  let largest = 0;
  try {
    await lake.duckdb.makeScratch();
    const file = await open(path, "wx", 0o600);
    try {
      await fill((origin, body) => {
        appendFileSync(file.fd, `{"p":${origins.length},"b":`);
        appendFileSync(file.fd, body);
        appendFileSync(file.fd, "}\n");
        origins.push(origin);
        largest = Math.max(largest, body.length);
      });
    } finally {
      await file.close();
    }
    return await work({ path, largest, origins });
  } finally {
    await rm(path, { force: true });
  }
}

export function bundleQuery(
  stream: Pick<PageSql, "pageType" | "projection">,
  { path, largest, origins }: PageBundle,
): string {
  const pages = jsonFile(path, {
    lines: false,
    columns: { p: "INTEGER", b: stream.pageType },
    maximumObjectSize: objectSize([largest]),
  });
  return `
    with page as (
      select p as page_no, unnest(b) from ${pages}
    ), origin as (
      select * replace (make_timestamptz(fetched_at) as fetched_at)
      from (select unnest(${originsText(origins)}::json::${ORIGINS}, recursive := true))
    )
    ${stream.projection.replace(/^\s*with /, ", ")}`;
}

const ORIGINS = `struct(page_no integer, run_id varchar, fp_id varchar, external_id varchar,
  link_id varchar, generation integer,  sequence_from bigint, page integer, fetched_at bigint)[]`;

/** As JSON: thousands of rows of `values` take SQL ten times as long to parse. */
function originsText(origins: readonly PageOrigin[]): string {
  const rows = origins.map(
    ({ run_id, fp_id, external_id = null, link_id, fetchedAt, ...origin }, page_no) => {
      const { generation = null, sequence_from = null, page } = origin;
      const ids = { page_no, run_id, fp_id, external_id, link_id };
      return { ...ids, generation, sequence_from, page, fetched_at: fetchedAt.getTime() * 1000 };
    },
  );
  return sqlText(JSON.stringify(rows));
}
