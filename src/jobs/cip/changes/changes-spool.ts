import {
  type ChangeKind,
  type FieldChange,
  fieldChanges,
  gradeOf,
} from "../../../domain/bulk/cip/changes.js";
import { HIDDEN, type Mask, maskOf, UNMASKED } from "../../../domain/bulk/cip/masking.js";
import { InputError } from "../../../domain/failures.js";
import type { Sealer } from "../../../domain/sealer.js";
import type { PackFiles } from "../../../lake/bulk/pack/pack-files.js";
import { RowSpool } from "../../../lake/bulk/pack/row-spool.js";
import { csvLine } from "../../../lake/csv-line.js";
import type { PackTools } from "../facts.js";
import { openedValue } from "../rows.js";
import { COMPARED_FIELDS, type Difference, eachDifference } from "./compared-packs.js";

const CSV_COLUMNS = ["change", "fp_id", "external_id", "field", "before", "after", "note"] as const;
const COLUMNS = [
  { name: "grade", type: "INTEGER" },
  { name: "part_of", type: "INTEGER" },
  ...CSV_COLUMNS.map((name) => ({ name, type: "VARCHAR" }) as const),
] as const;

/** A line of `changes.csv`. */
export type ListedChange = { readonly [C in (typeof CSV_COLUMNS)[number]]: string | null };

/** How many users had a change of each kind; one user may have several. */
export type ChangeCounts = Readonly<Record<ChangeKind, number>>;

type Values = Readonly<Record<string, string | null>>;

const UNREADABLE = "not compared: one of the two is encrypted with a key that is not here";

/** What changed since the pack before, sorted on the disk: what matters most first. */
export class ChangesSpool {
  readonly #spool: RowSpool;
  readonly #counts: Record<ChangeKind, number> = {
    clear_to_consider: 0,
    consider_to_clear: 0,
    changed: 0,
    added: 0,
    removed: 0,
    screened_again: 0,
  };

  constructor(
    private readonly tools: PackTools,
    private readonly unmasked: boolean,
  ) {
    this.#spool = new RowSpool(tools.duckdb, { columns: COLUMNS, order: ["grade", "fp_id", "part_of"] });
  }

  get counts(): ChangeCounts {
    return this.#counts;
  }

  /** Compares two packs; both directories hold the files of rows. */
  async compare(before: string, after: string): Promise<void> {
    await this.tools.duckdb.exclusive(
      (sql) => eachDifference(sql, before, after, (row) => this.#add(row)),
      1,
    );
  }

  /** Writes `changes.csv`, with its line of names alone where there was no pack before. */
  async writeCsv(files: PackFiles): Promise<void> {
    await files.write("changes.csv", async (out) => {
      await out(csvLine([...CSV_COLUMNS]));
      let rows = 0;
      await this.read(async (batch) => {
        rows += batch.length;
        await out(batch.map((row) => csvLine(CSV_COLUMNS.map((name) => row[name]))).join(""));
      });
      return rows;
    });
  }

  /** Gives them in batches. */
  async read(each: (rows: readonly ListedChange[]) => Promise<void>): Promise<void> {
    await this.#spool.read((rows) => each(rows as unknown as readonly ListedChange[]));
  }

  async release(): Promise<void> {
    await this.#spool.release();
  }

  async #add(row: Difference): Promise<void> {
    const changes = changesOf(row, this.tools.sealer, this.unmasked);
    for (const kind of new Set(changes.map(({ change }) => change as ChangeKind))) this.#counts[kind] += 1;
    await this.#spool.add(
      changes.map((change, index) => ({
        ...change,
        grade: gradeOf(change.change as ChangeKind),
        part_of: index,
      })),
    );
  }
}

function changesOf(row: Difference, sealer: Sealer, unmasked: boolean): ListedChange[] {
  const who = { fp_id: row.fpId, external_id: row.externalId };
  const whole = (change: ChangeKind, note: string): ListedChange[] => [
    { change, ...who, field: null, before: null, after: null, note },
  ];
  if (row.before === null) return whole("added", wasWithout(row.statusBefore));
  if (row.after === null) return whole("removed", isWithout(row.statusAfter));
  const before = opened(row.before as Values, sealer);
  const after = opened(row.after as Values, sealer);
  const unreadable = new Set([...before.unreadable, ...after.unreadable]);
  const masks = unmasked ? [UNMASKED] : [maskOfValues(before.values), maskOfValues(after.values)];
  return fieldChanges(before.values, after.values, COMPARED_FIELDS).map((one) => {
    const dark = unreadable.has(one.field);
    return {
      change: one.kind,
      ...who,
      field: one.field,
      before: dark ? null : shown(one, one.before, masks),
      after: dark ? null : shown(one, one.after, masks),
      note: dark ? UNREADABLE : null,
    };
  });
}

function wasWithout(status: string | undefined): string {
  return status === undefined ? "new in the population" : `${status} in the export before`;
}

function isWithout(status: string | undefined): string {
  return status === undefined ? "not in the population any more" : `${status} in this export`;
}

/** Values in the clear. What does not open keeps its encrypted text, so that it is not taken for unchanged. */
function opened(values: Values, sealer: Sealer): { values: Values; unreadable: string[] } {
  const unreadable: string[] = [];
  const clear = Object.entries(values).map(([field, value]) => {
    try {
      return [field, openedValue(sealer, field, value)] as const;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      unreadable.push(field);
      return [field, value] as const;
    }
  });
  return { values: Object.fromEntries(clear), unreadable };
}

function maskOfValues(values: Values): Mask {
  return maskOf({
    checked_data: {
      address: values.checked_data_address ?? "",
      customer_name: "",
      date_of_birth: values.checked_data_date_of_birth ?? "",
      tax_id: values.checked_data_tax_id ?? null,
    },
    ip_address: values.ip_address ?? "",
  });
}

function shown({ field }: FieldChange, value: string | null, masks: readonly Mask[]): string | null {
  const [mask = UNMASKED] = masks;
  if (value === null || mask === UNMASKED) return value;
  if (field === "checked_data_tax_id") return mask.taxId(value);
  if (field === "checked_data_date_of_birth") return mask.birthDate(value);
  if (field === "checked_data_address") return mask.address(value);
  if (field === "ip_address") return mask.ipAddress(value);
  // Nobody knows what these are.
  if (field === "other_fields") return HIDDEN;
  return masks.reduce((text, one) => one.text(text), value);
}
