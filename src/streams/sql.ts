/** The instant only where the text has an offset (docs/use/tables.md, "Accepted values"). */
export const instant = (text: string) => `case when regexp_full_match(${text},
  '\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:?\\d\\d)')
  then try_cast(${text} as timestamptz) end`;
