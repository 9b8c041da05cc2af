import { z } from "zod";
import { InputError } from "../../src/domain/failures.js";
import { EVENT_KINDS } from "../../src/domain/service/event-kind.js";
import { HOW_A_LIST_MOVES } from "../control/argument-shapes.js";
import { COUNT, fields, NUMBER, problemOf, TEXT } from "../control/shape.js";
import { OPERATIONS } from "../operations/index.js";
import { FAULT_FIELDS, type Fault, type FaultKind, REQUIRED_NUMBER, SELECTOR_FIELDS } from "./fault.js";

/** What a fault may select by `operation`: a call, or the kind of a webhook. */
const OPERATION_NAMES: readonly string[] = [...OPERATIONS.map(({ name }) => name), ...EVENT_KINDS];

type FieldOf<F> = F extends unknown ? Exclude<keyof F, "kind"> : never;

/** What each field accepts; one that several kinds have accepts the same in all of them. */
const FIELD_SHAPES: Readonly<Record<FieldOf<Fault>, z.ZodType>> = {
  id: TEXT,
  operation: z.enum(OPERATION_NAMES),
  link: TEXT,
  user: TEXT,
  business: TEXT,
  page: COUNT,
  cursor: z.boolean(),
  nth: COUNT,
  every: COUNT,
  after: COUNT,
  times: COUNT,
  probability: NUMBER,
  seed: z.number(),
  ms: NUMBER,
  status: COUNT,
  retryAfter: z.union([
    NUMBER,
    fields<{ dateInSeconds: number }>({ dateInSeconds: NUMBER }),
    fields<{ raw: string }>({ raw: z.string() }),
  ]),
  body: z.string(),
  contentType: TEXT,
  afterEffect: z.boolean(),
  afterBytes: COUNT,
  mode: z.enum(["length", "chunked", "body"]),
  // With pieces of no bytes, an answer would never end.
  chunkBytes: z.number().positive(),
  intervalMs: NUMBER,
  next: z.enum(["missing", "same", "empty", "null"]),
  above: COUNT,
  how: HOW_A_LIST_MOVES,
  rows: COUNT,
  copies: COUNT,
  seconds: NUMBER,
};

const KINDS = Object.keys(FAULT_FIELDS) as FaultKind[];

const FAULTS = new Map<unknown, z.ZodType>(KINDS.map((kind) => [kind, faultOf(kind)]));

function faultOf(kind: FaultKind): z.ZodType {
  const names: FieldOf<Fault>[] = ["id", ...SELECTOR_FIELDS, ...FAULT_FIELDS[kind]];
  const shapes = names.map((name) => {
    const shape = FIELD_SHAPES[name];
    return [name, name === REQUIRED_NUMBER[kind] ? shape : shape.optional()];
  });
  return fields<Record<string, unknown>>({ kind: z.literal(kind), ...Object.fromEntries(shapes) });
}

/**
 * Reads faults from JSON: one object or a list of them.
 * @throws InputError naming the fault, the field and what is expected.
 */
export function parseFaults(text: string, source = "faults"): Fault[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InputError(
      `${source}: not JSON (${(error as Error).message}); give one fault or a list of faults`,
    );
  }
  return (Array.isArray(value) ? value : [value]).map((fault, index) =>
    checkFault(fault, `${source}[${index}]`),
  );
}

/** A fault as it may be set. @throws InputError as {@link parseFaults} */
export function checkFault(value: unknown, where: string): Fault {
  const shape = FAULTS.get((value as Fault | null)?.kind);
  if (!shape) throw new InputError(`"${where}": unknown kind; accepted are ${KINDS.join(", ")}`);
  const problem = problemOf(shape, value, where);
  if (problem) throw new InputError(problem);
  return value as Fault;
}
