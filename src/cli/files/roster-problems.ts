import { InputError } from "../../domain/failures.js";

const SHOWN = 20;

/** A user as a file names it, not judged yet. */
export interface RosterEntry {
  /** Line it starts at, from 1. */
  readonly line: number;
  readonly fpId: string;
  readonly externalId?: string;
}

/** Collects what is wrong with a roster file, so that the user mends all of it at once. */
export class RosterProblems {
  #count = 0;
  readonly #shown: string[] = [];

  constructor(readonly path: string) {}

  /** Notes a problem at a line (from 1) and, where it is in one, a column. */
  add(line: number, column: string | undefined, problem: string): void {
    this.#count += 1;
    if (this.#shown.length >= SHOWN) return;
    this.#shown.push(`line ${line}${column === undefined ? "" : `, column ${column}`}: ${problem}`);
  }

  /** Throws InputError with the first 20 problems and the number of the others, if there is one. */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const more = this.#count > SHOWN ? [`and ${this.#count - SHOWN} more`] : [];
    const list = [...this.#shown, ...more].map((problem) => `\n  ${problem}`).join("");
    const counted = this.#count === 1 ? "1 problem" : `${this.#count} problems`;
    throw new InputError(
      `roster ${this.path}: ${counted}:${list}\nNothing was started. Mend the file and run the command again.`,
    );
  }
}

/** An InputError about a roster file as a whole. */
export function rosterError(path: string, problem: string, advice: string): InputError {
  return new InputError(`roster ${path} ${problem}. Nothing was started. ${advice}`);
}

/** The warning about columns that a roster has and a job doesn't use. */
export function ignoredColumns(path: string, names: readonly string[]): string {
  return `roster ${path}: ignored ${names.map((name) => JSON.stringify(name)).join(", ")}; only fp_id and external_id are read`;
}
