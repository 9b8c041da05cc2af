import type { RowProblem } from "../../domain/row-problem.js";

const MOST_SHOWN = 20;

/** A problem as people are told of it. */
export type ToldProblem = Omit<RowProblem, "code">;

/** The first 20 problems as indented lines of a message, and the number of the others. */
export function problemList(problems: readonly ToldProblem[]): string {
  const shown = problemLines(problems.slice(0, MOST_SHOWN));
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `\n  ${line}`).join("");
}

/** How many problems there are, and what {@link problemList} shows of them. */
export function countedProblems(problems: readonly ToldProblem[]): string {
  const counted = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return `${counted}:${problemList(problems)}`;
}

/** Every problem as a line of text: line, column, rule. */
export function problemLines(problems: readonly ToldProblem[]): string[] {
  return problems.map(
    ({ line, column, rule }) => `line ${line}${column === null ? "" : `, column ${column}`}: ${rule}`,
  );
}
