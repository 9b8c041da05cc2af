import type { RowProblem } from "../../domain/row-problem.js";
import { labelledLines } from "../../domain/words/texts.js";
import { problemLines } from "../../intake/files/judged-file.js";
import { showResult } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";

interface FileCounts {
  readonly total: number;
  readonly invalid: number;
  /** Valid, by an earlier run; null where that is not known. */
  readonly done: number | null;
}

/** What `--validate-only` counts of a file, in words. */
export function countsText({ total, invalid, done }: FileCounts): string {
  const words = `${total}: ${total - invalid} valid, ${invalid} invalid`;
  return done === null ? words : `${words}, ${done} already done`;
}

/** Shows what `--validate-only` found in a file. Returns the exit code. */
export function showValidation(
  terminal: Terminal,
  { rows, problems }: { readonly rows: FileCounts; readonly problems: readonly RowProblem[] },
  json: boolean,
): number {
  showResult(terminal, json, { rows, problems }, () => [
    ...labelledLines([["rows", countsText(rows)]]),
    ...problemLines(problems),
  ]);
  return problems.length === 0 ? EXIT.completed : EXIT.usage;
}
