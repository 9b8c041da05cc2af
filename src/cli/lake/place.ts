import { readConfig } from "../../config.js";
import { InputError } from "../../domain/failures.js";
import type { LakePlace } from "../../domain/lake-address.js";
import type { Terminal } from "../terminal/terminal.js";

/** The place at an address that was given as an argument. @throws InputError naming the argument */
export function placeAt(terminal: Terminal, argument: string, address: string): LakePlace {
  try {
    const env = { ...terminal.env, NIGHTLEDGER_LAKE: address };
    return readConfig({ ...terminal, env }, ["lake"]).lake;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.message.replaceAll("NIGHTLEDGER_LAKE", argument));
  }
}
