import type { Operation } from "../operations/operation.js";

export const HIDDEN = "[hidden]";

// Wherever an answer of an unknown shape has one of these, it opens something.
const SECRET_NAME = /(^|_)(token|secret|password|api_key)$/i;

/** Hides the secrets of an answer's body and the personal values that its operation names. */
export function hideSecrets(operation: Operation, body: unknown): unknown {
  return hide(
    body,
    (operation.secrets ?? []).map((path) => path.split(".")),
  );
}

export function isSecretHeader(name: string): boolean {
  return /^(set-)?cookie$|authorization|token|secret|api-key/i.test(name);
}

function hide(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (Array.isArray(value)) return value.map((item) => hide(item, paths));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const below = paths.filter(([head]) => head === name || head === "*").map(([, ...rest]) => rest);
      const secret = below.some((rest) => rest.length === 0) || SECRET_NAME.test(name);
      return [name, secret && item !== null ? HIDDEN : hide(item, below)];
    }),
  );
}
