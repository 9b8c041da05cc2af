import { FAILURE_TYPES } from "./failures.js";

/**
 * Thrown when what the user gave can't be used: arguments, a variable, a file, the lake. Exit code 2.
 * The message names the thing, what was wrong with it and what is accepted.
 */
export class InputError extends Error {
  override readonly name = FAILURE_TYPES.input;
}
