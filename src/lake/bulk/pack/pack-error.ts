/** Thrown when a pack is not what it was when it was written. The message names the first thing that is wrong. */
export class PackError extends Error {
  override readonly name = "PackError";
}
