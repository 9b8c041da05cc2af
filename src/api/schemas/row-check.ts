import type { z } from "zod";

/** True only for accepted values; false proves nothing. */
type RowCheck = (value: unknown) => boolean;

const known = new WeakMap<z.ZodType, RowCheck>();

/**
 * A schema as a predicate, compiled once: parsing copies every row, which costs a large sync three times as much
 * (docs/inside/performance.md). What does not pass here, or has an unknown kind of schema, is judged by the schema
 * itself.
 */
export function rowCheck(schema: z.ZodType): RowCheck {
  let check = known.get(schema);
  if (check === undefined) {
    check = compiled(schema as unknown as Described);
    known.set(schema, check);
  }
  return check;
}

interface Described {
  readonly def: {
    readonly type: string;
    readonly shape?: Readonly<Record<string, Described>>;
    readonly catchall?: Described;
    readonly innerType?: Described;
    readonly options?: readonly Described[];
    readonly entries?: Readonly<Record<string, string>>;
    readonly checks?: readonly { readonly _zod: { readonly def: Rule } }[];
  };
}

interface Rule {
  readonly check: string;
  readonly fn?: (value: unknown) => unknown;
}

function compiled({ def }: Described): RowCheck {
  const base = ofKind(def);
  const rules = (def.checks ?? []).map(({ _zod }) => _zod.def);
  if (base === undefined || rules.some(({ check, fn }) => check !== "custom" || fn === undefined)) {
    return () => false;
  }
  return rules.reduce<RowCheck>(
    (before, { fn }) =>
      (value) =>
        before(value) && fn?.(value) === true,
    base,
  );
}

function ofKind({
  type,
  shape,
  catchall,
  innerType,
  options,
  entries,
}: Described["def"]): RowCheck | undefined {
  switch (type) {
    case "unknown":
      return () => true;
    case "string":
      return (value) => typeof value === "string";
    case "boolean":
      return (value) => typeof value === "boolean";
    case "number":
      return (value) => Number.isFinite(value);
    case "enum": {
      const values = new Set<unknown>(Object.values(entries ?? {}));
      return (value) => values.has(value);
    }
    case "optional":
    case "nullable": {
      const none = type === "optional" ? undefined : null;
      const inner = innerType && compiled(innerType);
      return inner && ((value) => value === none || inner(value));
    }
    case "union": {
      const any = options?.map(compiled);
      return any && ((value) => any.some((check) => check(value)));
    }
    case "object":
      // A strict object would refuse other fields.
      return catchall?.def.type === "unknown" && shape !== undefined ? objectCheck(shape) : undefined;
    default:
      return undefined;
  }
}

function objectCheck(shape: Readonly<Record<string, Described>>): RowCheck {
  const fields = Object.entries(shape).map(([name, schema]) => ({ name, check: compiled(schema) }));
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    for (const { name, check } of fields) {
      if (!check((value as Readonly<Record<string, unknown>>)[name])) return false;
    }
    return true;
  };
}

/**
 * Every rule that a row breaks (`amount: not a decimal string; date: …`), never what is in it; undefined for a good row.
 */
export function rowProblem(schema: z.ZodType, row: unknown): string | undefined {
  if (rowCheck(schema)(row)) return undefined;
  const result = schema.safeParse(row);
  if (result.success) return undefined;
  const broken = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`,
  );
  return broken.length === 0 ? "not as the contract says" : [...new Set(broken)].join("; ");
}
