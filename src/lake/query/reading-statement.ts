import { type DuckDBConnection, StatementType } from "@duckdb/node-api";
import { InputError } from "../../domain/failures.js";

const SPACE = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*`;
/** The words that ask for a plan; DuckDB's parser checks whatever follows. */
const EXPLAIN = new RegExp(
  `^${SPACE}explain\\b(${SPACE}analy[sz]e\\b|${SPACE}\\((?:\\s|,|analy[sz]e\\b|format\\s+\\w+)*\\))?`,
  "is",
);

const NOT_READING =
  "A query must be a single statement that reads: SELECT, WITH, FROM, DESCRIBE, SUMMARIZE, or EXPLAIN of one of " +
  "these. Nothing was changed.";

/**
 * Gives the text to run for a user's text: one statement that reads, or the plan of one.
 *
 * @throws InputError for everything else, and DuckDB's error if it can't parse the text.
 */
export async function readingStatement(connection: DuckDBConnection, text: string): Promise<string> {
  if (text.trim() === "") throw new InputError("The query is empty. Give one SELECT statement.");
  if (await selects(connection, text)) return text;
  const [prefix, how = ""] = EXPLAIN.exec(text) ?? [];
  if (prefix !== undefined) {
    // Build what runs from a statement that the parser accepts as a SELECT on its own.
    const explained = text.slice(prefix.length);
    if (await selects(connection, explained)) return `explain ${how} ${explained}`;
  }
  if ((await kindOf(connection, text)) === StatementType.SELECT) return text;
  throw new InputError(NOT_READING);
}

/** Whether DuckDB's parser finds one SELECT and nothing else; it looks up no names yet. */
async function selects(connection: DuckDBConnection, text: string): Promise<boolean> {
  const answer = await connection.runAndReadAll("select json_serialize_sql(?::varchar)::varchar", [text]);
  const parsed = JSON.parse(String(answer.getRows()[0]?.[0])) as { readonly statements?: readonly unknown[] };
  return parsed.statements?.length === 1;
}

/** Finds the kind of the only statement in a text: `PRAGMA table_info`, for example, becomes one that reads. */
async function kindOf(connection: DuckDBConnection, text: string): Promise<StatementType | undefined> {
  const statements = await connection.extractStatements(text);
  if (statements.count !== 1) return undefined;
  // This looks up names: a statement with a missing or forbidden one is not a statement that reads.
  const prepared = await statements.prepare(0).catch(() => undefined);
  return prepared?.statementType;
}
