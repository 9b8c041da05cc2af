/** What else people give, by its first bytes as Latin-1. */
const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ["a spreadsheet (.xlsx, .ods) or another ZIP archive", /^PK[^\s -~]/],
  ["a spreadsheet (.xls, or .xlsx with a password)", /^\xd0\xcf[^\s -~]\xe0/],
  ["UTF-16 or UTF-32", /^(\xff\xfe|\xfe\xff|.?\0)/],
  ["a document or a picture", /^(%PDF|\{\\rtf|\x89PNG|\xff\xd8\xff)/],
  ["compressed", /^([^\s -~]\x8b|BZh\d|\xfd7zXZ|\(\xb5\/\xfd|7z\xbc\xaf|Rar!)/],
  ["a Parquet, Arrow, Avro or SQLite file", /^(PAR1|ARROW1|Obj[^\s -~]|SQLite format)/],
  ["HTML or XML, such as a login page", /^(\xef\xbb\xbf)?\s*</],
  ["one JSON value over all lines", /^(\xef\xbb\xbf)?\s*(\[\s*["[{\]]|\{\s*[\r\n])/],
]);

/** Undefined for what may be CSV or JSONL. */
export function foreignForm(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, 1024);
  return [...FORMS].find(([, form]) => form.test(start))?.[0];
}
