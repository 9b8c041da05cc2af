import {
  CHANGE_KINDS,
  type ChangeKind,
  type FieldChange,
  fieldChanges,
  gradeOf,
} from "../../../domain/bulk/cip/changes.js";
import { type Mask, maskOf, UNMASKED } from "../../../domain/bulk/cip/masking.js";
import { InputError } from "../../../domain/failures.js";
import type { Sealer } from "../../../domain/sealer.js";
import { HIDDEN } from "../../../domain/service/external-id.js";
import { type PackFiles, RowSpool } from "../../../lake/bulk/pack/pack-files.js";
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
export type ListedChange = {
  readonly [C in Exclude<(typeof CSV_COLUMNS)[number], "change">]: string | null;
} & { readonly change: ChangeKind };

/** How many users had a change of each kind; one user may have several. */
export type ChangeCounts = Readonly<Record<ChangeKind, number>>;

type Values = Readonly<Record<string, string | null>>;

const UNREADABLE = "not compared: one of the two is encrypted with a key that is not here";

/** What changed since the pack before, sorted on the disk: what matters most first. */
export class ChangesSpool extends RowSpool<ListedChange> {
  readonly #counts = Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, 0])) as Record<ChangeKind, number>;

  constructor(
    private readonly tools: PackTools,
    private readonly unmasked: boolean,
  ) {
    super(tools.duckdb, { columns: COLUMNS, order: ["grade", "fp_id", "part_of"] });
  }

  get counts(): ChangeCounts {
    return this.#counts;
  }

  /** Compares two packs; both directories hold the files of rows. */
  async compare(before: string, after: string): Promise<void> {
    await this.tools.duckdb.exclusive(
      (sql) => eachDifference(sql, before, after, (row) => this.#addUser(row)),
      1,
    );
  }

  /** Writes `changes.csv`; it has a header only if there was no pack before. */
  async writeList(files: PackFiles): Promise<void> {
    await this.writeCsv(files, "changes.csv", CSV_COLUMNS);
  }

  async #addUser(row: Difference): Promise<void> {
    const changes = changesOf(row, this.tools.sealer, this.unmasked);
    for (const kind of new Set(changes.map(({ change }) => change))) this.#counts[kind] += 1;
    await this.add(
      changes.map((change, index) => ({ ...change, grade: gradeOf(change.change), part_of: index })),
    );
  }
}

function changesOf(row: Difference, sealer: Sealer, unmasked: boolean): ListedChange[] {
  const who = { fp_id: row.fp_id, external_id: row.external_id };
  const whole = (change: ChangeKind, note: string): ListedChange[] => [
    { change, ...who, field: null, before: null, after: null, note },
  ];
  const { status_before: was, status_after: is } = row;
  if (row.before === null)
    return whole("added", was === null ? "new in the population" : `${was} in the export before`);
  if (row.after === null)
    return whole("removed", is === null ? "not in the population any more" : `${is} in this export`);
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

/** Values in the clear. One that does not open keeps its encrypted text: it must not look unchanged. */
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
  // Nobody knows what these hold.
  if (field === "other_fields") return HIDDEN;
  return masks.reduce((text, one) => one.text(text), value);
}
