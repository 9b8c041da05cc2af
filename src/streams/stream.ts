import type { z } from "zod";
import type { Operation } from "../api/operations/operation.js";
import type { Column, TableSpec } from "../lake/delta/delta-schema.js";
import { type HistoryMark, type HistorySpec, type ListedKeys, MARKS } from "../lake/history/history-spec.js";
import type { PageSql } from "../lake/sync/page-bundle.js";
import { type KnownFields, OTHER_FIELDS } from "./row-shape.js";

/** Where a list is, and what makes one of its rows bad. */
export interface RowList {
  /** `quarantine.list` */
  readonly name: string;
  readonly path: readonly string[];
  readonly row: z.ZodType;
  /** Others are kept in `other_fields`. Left out where rows are not objects. */
  readonly fields?: KnownFields;
  /** Not numbers, so they become null. */
  readonly unreadableScores?: (row: unknown) => number;
}

/** How answers are read and checked, whatever becomes of their rows. */
export interface Listing {
  /** Of the first stream where several are read from the same answers. */
  readonly name: string;
  readonly operation: Operation;
  readonly per: "user" | "link";
  /**
   * In one answer; as numbered pages of a list that may move while it is read; or as an update behind a cursor, which is
   * kept from run to run.
   */
  readonly paging: "none" | "page" | "cursor";
  /** The field with a row's day, where a known list is read from some day on (`--lookback`). */
  readonly windowed?: string;
  readonly lists: readonly RowList[];
  /** Read as the text that the service wrote: these fields, which should be texts, or any number that a double would change. */
  readonly exactNumbers?: ReadonlySet<string> | "by value";
}

/** Its operation, lists, table and the SQL between them. */
export interface Stream extends Listing, PageSql {
  readonly name: string;
  /** Gives the rows of one link, for a run that names its links and reads no other stream. */
  readonly ofLink?: Operation;
  readonly onRequest?: boolean;
}

/**
 * The SQL is over `o` (the page's origin) and the names of the projection's `from`; it encrypts nothing, so no column is
 * encrypted.
 */
type ObservedColumn = readonly [type: Column["type"], sql: string, about: string];
type ObservedColumns = Readonly<Record<string, ObservedColumn>>;

/**
 * Makes table and projection of observations from one list of columns, after the run, the time and the user.
 * @param from a relation over `page` that gives each row its `page_no`, such as `(select page_no, unnest(links) as l from
 * page)`
 */
export function observed(
  name: string,
  columns: ObservedColumns,
  from: string,
): { table: TableSpec; projection: string } {
  const every = Object.entries<ObservedColumn>({
    run_id: ["VARCHAR", "o.run_id", "the run that first observed it so, and wrote the row"],
    observed_at: [
      "TIMESTAMPTZ",
      "o.fetched_at",
      "when the response arrived; in a history greater than in every earlier row of the key",
    ],
    fp_id: ["VARCHAR", "o.fp_id", "the user"],
    ...columns,
  });
  const selected = every.map(([name, [, sql]]) => `${sql} as "${name}"`);
  return {
    table: { name, columns: every.map(([column, [type, , about]]) => ({ name: column, type, about })) },
    projection: `select ${selected.join(", ")} from ${from}`,
  };
}

/** The usual one marks what is `gone` from lists of all keys. */
interface HistoryForm {
  readonly about?: string;
  /** Of its small table; `<name>_current` if left out. */
  readonly current?: string;
  readonly mark?: HistoryMark;
  readonly lists?: ListedKeys;
  /** Of the roster, not the service. */
  readonly kept?: readonly string[];
}

/**
 * Makes a history: as {@link observed}, but with a row only where an observation differs from the last one of its key, and
 * two last columns: what is gone, and the fields without a column.
 * @param key within its list
 * @param list the field of an answer with the rows, which the columns' SQL calls `r`
 */
export function changes(
  name: string,
  per: Stream["per"],
  key: readonly string[],
  columns: ObservedColumns,
  list: string,
  { about = "", current = `${name}_current`, mark = "gone", lists = "all", kept = [] }: HistoryForm = {},
): { table: HistorySpec; projection: string } {
  const [type, saying] = MARKS[mark];
  const { table, projection } = observed(
    name,
    {
      ...columns,
      [mark]: [type, `null::${type.toLowerCase()}`, saying],
      [OTHER_FIELDS]: [
        "VARCHAR",
        `r.${OTHER_FIELDS}`,
        "fields without a column, as JSON; null if there are none",
      ],
    },
    `(select page_no, unnest(${list}) as r from page) join origin o using (page_no) where r is not null`,
  );
  const owner = per === "user" ? ["fp_id"] : ["fp_id", "link_id"];
  return {
    table: { ...table, about, owner, key: [...new Set([...owner, ...key])], current, mark, lists, kept },
    projection,
  };
}

/** Only where the text has an offset and is in the years 1 to 9999 (docs/use/tables.md, "Accepted values"). */
export const instant = (text: string) => `case when regexp_full_match(${text},
  '\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-](0\\d|1[0-4]):?[0-5]\\d)')
  and try_cast(${text} as timestamptz) between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'
  then try_cast(${text} as timestamptz) end`;

/**
 * Through whole numbers: exact for every accepted amount, and twenty times cheaper than DuckDB's own cast
 * (docs/inside/performance.md). Reads all digits, the fraction padded to ten, as one number.
 */
export const exactAmount = (
  text: string,
) => `((split_part(${text}, '.', 1) || rpad(split_part(${text}, '.', 2), 10, '0'))
  ::hugeint::decimal(28,0) * 0.0000000001::decimal(10,10))::decimal(28,10)`;

/** Of a checked text, which may have a time. */
export const dayIn = (text: string) => `left(${text}, 10)::date`;

/** Only where the text is `YYYY-MM-DD` and in the calendar. */
export const plainDay = (text: string) =>
  `case when regexp_full_match(${text}, '\\d{4}-\\d\\d-\\d\\d') then try_cast(${text} as date) end`;
