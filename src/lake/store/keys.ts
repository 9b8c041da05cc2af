import { InputError } from "../../domain/failures.js";

const TEMPORARY = ".tmp-";
/** In the name of an object that never changes. */
export const RANDOM_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** A new name of a temp file, of this process. */
export function temporaryName(id: string): string {
  return `${TEMPORARY}${process.pid}-${id}`;
}

/** Whether a name is that of a temp file, of this process or a killed one; no listing shows these. */
export function isTemporary(name: string): boolean {
  return name.startsWith(TEMPORARY);
}

/** The parts of a key. @throws InputError for one that leaves its store or could be mistaken for a temp file. */
export function partsOfKey(address: string, key: string): string[] {
  const parts = key.split("/");
  const unsafe = parts.some(
    (part) => part === "" || part === "." || part === ".." || /[\0\\]/.test(part) || isTemporary(part),
  );
  if (!unsafe) return parts;
  throw new InputError(
    `${JSON.stringify(key)} is not a key of ${address}: keys are relative, "/"-separated, and stay inside it.`,
  );
}
