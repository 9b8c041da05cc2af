import { z } from "zod";

/** The description of a schema, also inside wrappers such as *optional*. */
export function descriptionOf(schema: z.ZodType): string | undefined {
  if (schema.description !== undefined) return schema.description;
  const inner = innerOf(schema);
  return inner === undefined ? undefined : descriptionOf(inner);
}

/** The nearest description on the way to a path. */
export function acceptedForm(schema: z.ZodType, path: readonly PropertyKey[]): string | undefined {
  let form = descriptionOf(schema);
  let at: z.ZodType | undefined = schema;
  for (const segment of path) {
    at = childOf(bare(at), segment);
    if (at === undefined) return form;
    form = descriptionOf(at) ?? form;
  }
  return form;
}

/** The schema inside its wrappers. */
export function bare(schema: z.ZodType): z.ZodType {
  const inner = innerOf(schema);
  return inner === undefined ? schema : bare(inner);
}

export function isRequired(schema: z.ZodType): boolean {
  return !schema.safeParse(undefined).success;
}

/** A value's kind, for messages that must not quote it. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Uint8Array) return "bytes";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a number";
  return typeof value === "string" ? "text" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function innerOf(schema: z.ZodType): z.ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return schema.unwrap() as z.ZodType;
  return schema instanceof z.ZodPipe ? (schema.in as z.ZodType) : undefined;
}

function childOf(schema: z.ZodType, segment: PropertyKey): z.ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[String(segment)] as z.ZodType | undefined;
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  return schema instanceof z.ZodRecord ? (schema.valueType as z.ZodType) : undefined;
}
