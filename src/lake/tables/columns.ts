import type { Column } from "../delta/delta-schema.js";

export const varchar = columnsOf("VARCHAR");
export const bigint = columnsOf("BIGINT");
export const integer = columnsOf("INTEGER");
export const boolean = columnsOf("BOOLEAN");
export const date = columnsOf("DATE");
export const timestamptz = columnsOf("TIMESTAMPTZ");
export const money = columnsOf("DECIMAL(28,10)");
export const confidence = columnsOf("DECIMAL(18,10)");

/** Lists text columns whose values are encrypted. */
export const encrypted = <const N extends string>(...names: readonly N[]) =>
  names.map((name) => ({ name, type: "VARCHAR", encrypted: true }) as const);

/** Makes the function that lists columns of one type, in the order of their names. */
function columnsOf<const T extends Column["type"]>(type: T) {
  return <const N extends string>(...names: readonly N[]) => names.map((name) => ({ name, type }));
}
