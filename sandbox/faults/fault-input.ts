import { InputError } from "../../src/domain/failures.js";
import { EVENT_KINDS } from "../../src/domain/service/event-kind.js";
import {
  BOOLEAN,
  COUNT,
  either,
  fields,
  NUMBER,
  oneOf,
  POSITIVE,
  RAW,
  SEED,
  type Shape,
  TEXT,
} from "../control/shape.js";
import { OPERATIONS } from "../operations/index.js";
import { FAULT_FIELDS, type Fault, type FaultKind, REQUIRED_NUMBER, SELECTOR_FIELDS } from "./fault.js";

/** What a fault may select by `operation`: a call, or the kind of a webhook. */
const OPERATION_NAMES: readonly string[] = [...OPERATIONS.map(({ name }) => name), ...EVENT_KINDS];

type FieldOf<F> = F extends unknown ? Exclude<keyof F, "kind"> : never;

/** What each field accepts; one that several kinds have accepts the same in all of them. */
const FIELD_SHAPES: Readonly<Record<FieldOf<Fault>, Shape>> = {
  id: TEXT,
  operation: TEXT,
  link: TEXT,
  user: TEXT,
  business: TEXT,
  page: COUNT,
  cursor: BOOLEAN,
  nth: COUNT,
  every: COUNT,
  after: COUNT,
  times: COUNT,
  probability: NUMBER,
  seed: SEED,
  ms: NUMBER,
  status: COUNT,
  retryAfter: either(
    NUMBER,
    fields<{ dateInSeconds: number }>({ dateInSeconds: NUMBER }),
    fields<{ raw: string }>({ raw: RAW }),
  ),
  body: RAW,
  contentType: TEXT,
  afterEffect: BOOLEAN,
  afterBytes: COUNT,
  mode: oneOf("length", "chunked", "body"),
  // With pieces of no bytes, an answer would never end.
  chunkBytes: POSITIVE,
  intervalMs: NUMBER,
  next: oneOf("missing", "same", "empty", "null"),
  above: COUNT,
  how: oneOf("insert", "remove"),
  rows: COUNT,
  copies: COUNT,
  seconds: NUMBER,
};

/**
 * Reads faults from JSON: one object or a list of them.
 * @throws InputError naming the fault, the field and what is accepted.
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
  if (typeof value !== "object" || !value)
    throw new InputError(`${where}: a fault is an object with a "kind"`);
  const fault = value as Record<string, unknown>;
  const kinds = Object.keys(FAULT_FIELDS) as FaultKind[];
  const kind = kinds.find((known) => known === fault.kind);
  if (!kind) throw new InputError(`${where}: unknown kind; accepted are ${kinds.join(", ")}`);
  const accepted: readonly string[] = ["id", "kind", ...SELECTOR_FIELDS, ...FAULT_FIELDS[kind]];
  for (const field of Object.keys(fault)) {
    if (!accepted.includes(field)) {
      throw new InputError(`${where}: ${kind} has no field "${field}"; accepted are ${accepted.join(", ")}`);
    }
  }
  if (fault.operation !== undefined && !OPERATION_NAMES.includes(String(fault.operation))) {
    const known = OPERATION_NAMES.join(", ");
    throw new InputError(`${where}: no operation ${JSON.stringify(fault.operation)}; accepted are ${known}`);
  }
  for (const [field, shape] of Object.entries(FIELD_SHAPES)) {
    const wrong = field in fault ? shape.mismatch(fault[field], field) : undefined;
    if (wrong) throw new InputError(`${where}: "${wrong.where}" of ${kind} must be ${wrong.words}`);
  }
  const required = REQUIRED_NUMBER[kind];
  if (required && typeof fault[required] !== "number") {
    throw new InputError(`${where}: ${kind} needs "${required}", a number`);
  }
  return fault as unknown as Fault;
}
