import type { Column } from "../delta/delta-schema.js";

export const varchar = columnsOf("VARCHAR");
export const bigint = columnsOf("BIGINT");
export const integer = columnsOf("INTEGER");
export const boolean = columnsOf("BOOLEAN");
export const date = columnsOf("DATE");
export const timestamptz = columnsOf("TIMESTAMPTZ");
export const money = columnsOf("DECIMAL(28,10)");
/** A sum may have more digits than an amount. */
export const moneySum = columnsOf("DECIMAL(38,10)");
export const confidence = columnsOf("DECIMAL(18,10)");

export const encrypted = <const C extends Columns>(...columns: readonly C[]) =>
  varchar(...columns).map((column) => ({ ...column, encrypted: true }) as const);

/** A name, or names with their descriptions. */
type Columns = string | Readonly<Record<string, string>>;
type NameOf<C extends Columns> = C extends string ? C : keyof C & string;

/** Lists columns of a type. */
function columnsOf<const T extends Column["type"]>(type: T) {
  type Listed<N> = { readonly name: N; readonly type: T; readonly about?: string };
  return <const C extends Columns>(...columns: readonly C[]) =>
    columns.flatMap((given): Listed<NameOf<C>>[] =>
      typeof given === "string"
        ? [{ name: given as NameOf<C>, type }]
        : Object.entries(given).map(([name, about]) => ({ name: name as NameOf<C>, type, about })),
    );
}
