/**
 * Turns text into `DECIMAL(28,10)` through whole numbers: exact for every accepted amount, and twenty times cheaper than
 * DuckDB's own cast (docs/inside/performance.md). Pads the fraction to ten digits and reads all digits as one number.
 */
export const exactAmount = (
  text: string,
) => `((split_part(${text}, '.', 1) || rpad(split_part(${text}, '.', 2), 10, '0'))
  ::hugeint::decimal(28,0) * 0.0000000001::decimal(10,10))::decimal(28,10)`;

/** The day only where the text is `YYYY-MM-DD` and in the calendar. */
export const plainDay = (text: string) =>
  `case when regexp_full_match(${text}, '\\d{4}-\\d\\d-\\d\\d') then try_cast(${text} as date) end`;
