import type { RowProblem } from "../../domain/row-problem.js";

/** Problems that a message shows; a reader of a long file need not keep more. */
export const MOST_SHOWN = 20;

/** A problem as people are told of it. */
export type ToldProblem = Omit<RowProblem, "code">;

/** The first 20 problems as indented lines of a message, and the number of the others of `count`. */
export function problemList(problems: readonly ToldProblem[], count = problems.length): string {
  const shown = problemLines(problems.slice(0, MOST_SHOWN));
  const more = count - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `\n  ${line}`).join("");
}

/** How many problems there are, and what {@link problemList} shows of them. */
export function countedProblems(problems: readonly ToldProblem[], count = problems.length): string {
  const counted = count === 1 ? "1 problem" : `${count} problems`;
  return `${counted}:${problemList(problems, count)}`;
}

/** Every problem as a line of text: line, column, rule. */
export function problemLines(problems: readonly ToldProblem[]): string[] {
  return problems.map(
    ({ line, column, rule }) => `line ${line}${column === null ? "" : `, column ${column}`}: ${rule}`,
  );
}
