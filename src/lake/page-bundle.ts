import { mkdir, rm, writeFile } from "node:fs/promises";
import { sqlText } from "./duckdb-sql.js";
import type { Lake } from "./lake.js";
import { objectSize, scratchPath } from "./parquet-file.js";
import type { Stream } from "./stream.js";

/** What SQL must know of a staged page beyond its text. */
export interface PageOrigin {
  readonly runId: string;
  readonly fpId: string;
  readonly linkId: string | null;
  readonly generation: number | null;
  /** Sequence of the page's first entry. */
  readonly sequenceFrom: number | null;
  readonly fetchedAt: Date;
}

/** A page on its way into a bundle. */
export interface BundledPage extends PageOrigin {
  /** The page's JSON, or that of its clean page. */
  readonly body: Buffer;
}

/** Staged pages as one scratch file, each in a wrapper with its number. */
export interface PageBundle {
  readonly path: string;
  /** Bytes of the largest page. */
  readonly largest: number;
  readonly origins: readonly PageOrigin[];
}

/**
 * Writes pages into one scratch file for `work` and deletes it again: SQL takes a buffer for each file that it
 * opens, which costs more than all the rows of a small page (docs/performance.md).
 */
export async function withBundle<T>(
  lake: Lake,
  pages: readonly BundledPage[],
  work: (bundle: PageBundle) => Promise<T>,
): Promise<T> {
  const path = scratchPath(lake, "json");
  const parts = pages.flatMap(({ body }, number) => [Buffer.from(`{"p":${number},"b":`), body, LINE_END]);
  try {
    await mkdir(lake.duckdb.scratchDirectory, { recursive: true });
    await writeFile(path, Buffer.concat(parts));
    return await work({
      path,
      largest: Math.max(0, ...pages.map(({ body }) => body.length)),
      origins: pages,
    });
  } finally {
    await rm(path, { force: true });
  }
}

const LINE_END = Buffer.from("}\n");

/** The query that turns the pages of a bundle into the rows of their stream's table. */
export function bundleQuery(stream: Stream, { path, largest, origins }: PageBundle): string {
  return `
    with page as (
      select p as page_no, unnest(b) from read_json(${sqlText(path)}, format = 'unstructured', records = true,
        maximum_object_size = ${objectSize([largest])}, columns = {p: 'INTEGER', b: '${stream.pageType}'})
    ), origin(page_no, run_id, fp_id, link_id, generation, sequence_from, fetched_at) as (
      values ${origins.map(originValues).join(", ")}
    )
    ${stream.projection.replace(/^\s*with /, ", ")}`;
}

function originValues(origin: PageOrigin, number: number): string {
  const { runId, fpId, linkId, generation, sequenceFrom, fetchedAt } = origin;
  const link = linkId === null ? "null::varchar" : sqlText(linkId);
  return `(${number}, ${sqlText(runId)}, ${sqlText(fpId)}, ${link}, ${generation ?? "null"}::integer,
    ${sequenceFrom ?? "null"}::bigint, ${sqlText(fetchedAt.toISOString())}::timestamptz)`;
}
