import { isJsonObject } from "../../src/domain/json/value.js";

/** What an argument, or a part of one, may be. */
export interface Shape {
  /** As messages show it. */
  readonly words: string;
  readonly presence: "required" | "optional" | "rest";
  /** The first place where a value differs, with what is accepted there; `undefined` where it fits. */
  readonly mismatch: (value: unknown, where: string) => Mismatch | undefined;
}

interface OptionalShape extends Shape {
  readonly presence: "optional";
}

interface Mismatch {
  readonly where: string;
  readonly words: string;
}

/** A shape for each field of a type; only an optional field may be left out. */
type FieldShapes<T> = {
  readonly [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K> ? OptionalShape : Shape;
};

export const TEXT = simple("text", (value) => typeof value === "string" && value !== "");
/** Text that the sandbox serves as it is, so it may be empty too. */
export const RAW = simple("text", (value) => typeof value === "string");
export const BOOLEAN = simple("true | false", (value) => typeof value === "boolean");
export const NULL = simple("null", (value) => value === null);
export const OBJECT = simple("{…}", isJsonObject);
export const SEED = simple("number", (value) => typeof value === "number");
export const NUMBER = simple("number from 0", (value) => typeof value === "number" && value >= 0);
export const POSITIVE = simple("number above 0", (value) => typeof value === "number" && value > 0);
export const COUNT = simple("integer from 0", (value) => Number.isInteger(value) && Number(value) >= 0);
export const TEXTS = listOf(TEXT);

export function optional(shape: Shape): OptionalShape {
  return { ...shape, presence: "optional" };
}

/** The shape of the last argument and of any more that follow it. */
export function rest(shape: Shape): Shape {
  return { ...shape, presence: "rest" };
}

export function oneOf(...accepted: readonly (string | number)[]): Shape {
  const words = accepted.map((value) => JSON.stringify(value)).join(" | ");
  return simple(words, (value) => (accepted as readonly unknown[]).includes(value));
}

export function either(...shapes: readonly Shape[]): Shape {
  const words = shapes.map((shape) => shape.words).join(" or ");
  return simple(words, (value) => shapes.some((shape) => fits(shape, value)));
}

export function listOf(item: Shape): Shape {
  const words = `[${item.words}, …]`;
  return {
    words,
    presence: "required",
    mismatch: (value, where) =>
      Array.isArray(value)
        ? first(value, (one, index) => item.mismatch(one, `${where}[${index}]`))
        : { where, words },
  };
}

export function pairOf(item: Shape): Shape {
  return simple(
    `[${item.words}, ${item.words}]`,
    (value) => Array.isArray(value) && value.length === 2 && value.every((one) => fits(item, one)),
  );
}

/** An object with any names, whose values are of one shape. */
export function mapOf(item: Shape): Shape {
  const words = `{"<name>": ${item.words}, …}`;
  return {
    words,
    presence: "required",
    mismatch: (value, where) =>
      isJsonObject(value)
        ? first(Object.entries(value), ([name, one]) => item.mismatch(one, `${where}.${name}`))
        : { where, words },
  };
}

/** An object with these fields and no other: the fields of `T`, so that none is forgotten. */
export function fields<T>(shapes: FieldShapes<T>): Shape {
  return objectOf(shapes as Readonly<Record<string, Shape>>, false);
}

/** An object with these fields and any other. */
export function atLeast(shapes: Readonly<Record<string, Shape>>): Shape {
  return objectOf(shapes, true);
}

function objectOf(shapes: Readonly<Record<string, Shape>>, open: boolean): Shape {
  const known = Object.entries(shapes);
  const texts = known.map(
    ([name, shape]) => `"${name}"${shape.presence === "optional" ? "?" : ""}: ${shape.words}`,
  );
  const words = `{${[...texts, ...(open ? ["…"] : [])].join(", ")}}`;
  return {
    words,
    presence: "required",
    mismatch(value, where) {
      if (!isJsonObject(value)) return { where, words };
      if (!open && Object.keys(value).some((name) => !Object.hasOwn(shapes, name))) return { where, words };
      if (known.some(([name, shape]) => shape.presence === "required" && !Object.hasOwn(value, name)))
        return { where, words };
      const given = known.filter(([name]) => Object.hasOwn(value, name));
      return first(given, ([name, shape]) => shape.mismatch(value[name], `${where}.${name}`));
    },
  };
}

function simple(words: string, accepts: (value: unknown) => boolean): Shape {
  const mismatch = (value: unknown, where: string) => (accepts(value) ? undefined : { where, words });
  return { words, presence: "required", mismatch };
}

function fits(shape: Shape, value: unknown): boolean {
  return shape.mismatch(value, "") === undefined;
}

function first<T>(
  items: readonly T[],
  mismatch: (item: T, index: number) => Mismatch | undefined,
): Mismatch | undefined {
  for (const [index, item] of items.entries()) {
    const found = mismatch(item, index);
    if (found) return found;
  }
  return undefined;
}
