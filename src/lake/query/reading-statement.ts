import { type DuckDBConnection, StatementType } from "@duckdb/node-api";
import { InputError } from "../../domain/failures.js";

const SPACE = String.raw`(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*`;
/** What asks for a plan, and how; whatever follows is judged by DuckDB's parser. */
const EXPLAIN = new RegExp(
  `^${SPACE}explain\\b(${SPACE}analy[sz]e\\b|${SPACE}\\((?:\\s|,|analy[sz]e\\b|format\\s+\\w+)*\\))?`,
  "is",
);

const NOT_READING =
  "Only a single statement that reads can be run here: SELECT, WITH, FROM, DESCRIBE, SUMMARIZE, and EXPLAIN of " +
  "one of these. Nothing was changed.";

/**
 * The text to run for what somebody asked: one statement that reads, or the plan of one.
 *
 * @throws InputError for everything else, and DuckDB's error where it can't make sense of the text.
 */
export async function readingStatement(connection: DuckDBConnection, text: string): Promise<string> {
  if (text.trim() === "") throw new InputError("The query is empty. Give one SELECT statement.");
  if (await selects(connection, text)) return text;
  const [prefix, how = ""] = EXPLAIN.exec(text) ?? [];
  if (prefix !== undefined) {
    // What runs is put together here, from a statement that the parser takes for a SELECT on its own.
    const explained = text.slice(prefix.length);
    if (await selects(connection, explained)) return `explain ${how} ${explained}`;
  }
  if ((await kindOf(connection, text)) === StatementType.SELECT) return text;
  throw new InputError(NOT_READING);
}

/** Whether DuckDB's parser finds one SELECT and nothing else; no name in it is looked up yet. */
async function selects(connection: DuckDBConnection, text: string): Promise<boolean> {
  const answer = await connection.runAndReadAll("select json_serialize_sql(?::varchar)::varchar", [text]);
  const parsed = JSON.parse(String(answer.getRows()[0]?.[0])) as { readonly statements?: readonly unknown[] };
  return parsed.statements?.length === 1;
}

/** The kind of the only statement in a text, as `PRAGMA table_info` becomes one that reads. */
async function kindOf(connection: DuckDBConnection, text: string): Promise<StatementType | undefined> {
  const statements = await connection.extractStatements(text);
  if (statements.count !== 1) return undefined;
  // Names are looked up here: what may not be reached, or is not there, is no statement that reads.
  const prepared = await statements.prepare(0).catch(() => undefined);
  return prepared?.statementType;
}
