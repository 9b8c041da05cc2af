export const NAME_COLUMNS = ["kind", "fp_id", "fp_bid", "external_id"] as const;
export type NameColumn = (typeof NAME_COLUMNS)[number];

/** Groups of columns `<group>.<name>`: initial data, vault values, files to upload. */
export const COLUMN_GROUPS = ["data", "vault", "document"] as const;
export type ColumnGroup = (typeof COLUMN_GROUPS)[number];

export type CustomerColumn =
  | { readonly use: "name"; readonly name: NameColumn }
  | { readonly use: "group"; readonly group: ColumnGroup; readonly name: string }
  /** Almost a known column: ignoring it would lose data. */
  | { readonly use: "mistaken"; readonly rule: string }
  | { readonly use: "none" };

export const COLUMN_FORMS =
  "kind, fp_id, fp_bid, external_id, data.<key>, vault.<identifier>, document.<identifier>";

const GROUPED = /^(data|vault|document)\.(.*)$/s;

export function customerColumn(text: string): CustomerColumn {
  const name = NAME_COLUMNS.find((known) => known === text);
  if (name !== undefined) return { use: "name", name };
  const [, group, rest = ""] = GROUPED.exec(text) ?? [];
  if (group !== undefined && rest.trim() !== "")
    return { use: "group", group: group as ColumnGroup, name: rest };
  return mistaken(text);
}

function mistaken(text: string): CustomerColumn {
  const meant = text.trim().toLowerCase();
  if ((NAME_COLUMNS as readonly string[]).includes(meant)) {
    return { use: "mistaken", rule: `write it as ${meant}` };
  }
  const group = COLUMN_GROUPS.find((known) => meant === known || meant.startsWith(`${known}.`));
  if (group === undefined) return { use: "none" };
  return {
    use: "mistaken",
    rule: `write it as ${group}.<name>, without spaces, in lower case before the dot`,
  };
}
