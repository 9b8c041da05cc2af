import type { RowProblem } from "../../domain/row-problem.js";

const MOST_SHOWN = 20;

/** Counts what is wrong with a file and keeps the first problems, however many there are. */
export class ProblemCount {
  #count = 0;
  readonly #first: RowProblem[] = [];

  get count(): number {
    return this.#count;
  }

  add(line: number, column: string | null, rule: string): void {
    this.#count += 1;
    if (this.#first.length < MOST_SHOWN) this.#first.push({ line, column, rule });
  }

  /** Lists the kept ones as {@link problemList} does. */
  list(): string {
    return problemList(this.#first, this.#count);
  }
}

/** The first 20 problems as indented lines of a message, and the number of the others. */
export function problemList(problems: readonly RowProblem[], count = problems.length): string {
  const shown = problemLines(problems.slice(0, MOST_SHOWN));
  const more = count - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `\n  ${line}`).join("");
}

/** Every problem as a line of text: line, column, rule. */
export function problemLines(problems: readonly RowProblem[]): string[] {
  return problems.map(
    ({ line, column, rule }) => `line ${line}${column === null ? "" : `, column ${column}`}: ${rule}`,
  );
}
