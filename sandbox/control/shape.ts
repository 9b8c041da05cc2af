import { z } from "zod";

/** A schema for each field of a type: none may be forgotten, and only an optional field may be left out. */
type FieldShapes<T> = {
  readonly [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K>
    ? z.ZodOptional<z.ZodType<T[K]>>
    : z.ZodType<T[K]>;
};

export const TEXT = z.string().min(1);
export const NUMBER = z.number().min(0);
export const COUNT = z.int().min(0);
export const TEXTS = z.array(TEXT);
// `any`, because only the sandbox's callers know what the fields hold.
export const OBJECT = z.record(z.string(), z.any());

/** An object with these fields and no other. */
export function fields<T>(shapes: FieldShapes<T>): z.ZodType<T> {
  const schema = z.strictObject(shapes as Readonly<Record<string, z.ZodType>>, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys"
        ? `no field ${(keys as string[]).join(", ")}; accepted are ${Object.keys(shapes).join(", ")}`
        : undefined,
  });
  return schema as z.ZodType as z.ZodType<T>;
}

/** The first place where a value does not fit, and what is expected there; `undefined` where it fits. */
export function problemOf(shape: z.ZodType, value: unknown, name: string): string | undefined {
  const issue = shape.safeParse(value).error?.issues[0];
  return issue && described(issue, name);
}

function described(issue: z.core.$ZodIssue, name: string): string {
  const place = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  const where = name + place.join("");
  if (issue.code !== "invalid_union") return `"${where}": ${issue.message}`;
  return issue.errors.map(([first]) => described(first!, where)).join(", or ");
}
