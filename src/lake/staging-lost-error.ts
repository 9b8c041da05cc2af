import { FAILURE_TYPES } from "../domain/failures.js";

/** Thrown when what a run staged is gone or torn. Trying again does not bring it back; what was committed stays. */
export class StagingLostError extends Error {
  override readonly name = FAILURE_TYPES.stagingLost;

  constructor(what: string, how: "gone from the lake's staging area" | "torn") {
    super(`${what} is ${how}; start the job again`);
  }
}
