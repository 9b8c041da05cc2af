/** First bytes of everything sealed; the last one is a version. */
export const SEALED_MARK = "NLS1";

/** Replaces a payload that is not sealed with the deployment's keys. */
export const UNSEALED = { unsealed: true } as const;

export const NOT_SEALED =
  "is not sealed with this deployment's keys: nothing of it was done. Use nightledger with them, and see who else reaches Temporal";

export function isUnsealed(value: unknown): boolean {
  return (value as Partial<typeof UNSEALED> | null | undefined)?.unsealed === true;
}

export interface Sealer {
  /** The bytes open under the same context only. */
  seal(bytes: Uint8Array, context: string): Uint8Array;
  /** The same for the same bytes of an owner (docs/inside/decisions/0025-repeatable-encryption.md, "Decision"). */
  sealRepeatably(bytes: Uint8Array, context: string, owner: string): Uint8Array;
  /** Also under an older key. @throws InputError where key, bytes or context are others. */
  open(sealed: Uint8Array, context: string): Uint8Array;
}
