import type { z } from "zod";

/** What a call is given: a value for each `{name}` of the path, the query, named headers and the body. */
interface ParameterSchemas {
  readonly path: z.ZodObject;
  readonly query: z.ZodObject;
  /** Options that travel as headers, by the names of {@link Operation.headerNames}. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
}

/** A request whose parts have each been checked. */
export interface CheckedRequest {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** A rule of the document that a request breaks; none of it may quote a value. */
export interface RuleBreach {
  /** `body field external_id` */
  readonly field: string;
  readonly problem: string;
  readonly accepted: string;
}

/** What a client operation does with the vault. */
interface TokenUse {
  readonly use: "decrypt" | "vault";
  readonly fields: readonly string[];
  /** Whether the call gives a reason of its own. */
  readonly reason: boolean;
}

/**
 * How a list is paged: by `page`/`size`/`total` (docs/reference/service.md, "Transaction lists") or by `meta.next_page`
 * (docs/reference/service.md, "Onboarding lists").
 */
export interface ListForm {
  readonly style: "total" | "next_page";
  /** Field of the envelope that holds the rows. */
  readonly rows: string;
  /** Field of a row that tells it from others. */
  readonly id: string;
}

/** The parts of the service (docs/reference/api-operations.md). */
type ServicePart = "onboarding" | "users and vault" | "businesses" | "bank data" | "proxy and webhooks";

/** One operation of the service (docs/reference/api-operations.md): everything a call needs to know about it. */
export interface Operation<P extends ParameterSchemas = ParameterSchemas, R extends z.ZodType = z.ZodType> {
  /** Stable name for logs, errors and `nightledger call`. */
  readonly name: string;
  readonly part: ServicePart;
  /** What it does, in one line. */
  readonly summary: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Path template below the base address: `/users/{fp_id}/bank_links`. */
  readonly path: `/${string}`;
  readonly params: P;
  /** Header of each named option; `x-*` at the end takes a record and puts its names there, a list repeats. */
  readonly headerNames?: Readonly<Record<string, string>>;
  /** A rule that spans parts of the request. */
  readonly check?: (request: CheckedRequest) => RuleBreach | undefined;
  /** What a body is sent as; left out: JSON. */
  readonly sends?: "bytes";
  /** The whole answer; of a list its envelope only, because rows are judged one by one. */
  readonly response: R;
  /** Of a paged list: how `readList` goes through it. */
  readonly list?: ListForm;
  /** What an answer is read as; left out: JSON. Bytes come with any content type. */
  readonly answers?: "bytes";
  /** Milliseconds that the service may take over a request before it answers, on top of the time limit. */
  readonly patienceMs?: (request: CheckedRequest) => number;
  readonly auth: "secret_key" | "client_token";
  /** Of a client operation: what a token must have been made for. */
  readonly tokenUse?: (request: CheckedRequest) => TokenUse;
  /** Whether sending it twice does no harm. */
  readonly idempotent: boolean;
  /** Of an idempotent operation: it changes something all the same. */
  readonly changes?: true;
  /** How a lost answer is settled without a second effect. */
  readonly lostAnswer: string;
  /** Where secrets and personal values stand in the answer: `continue_onboarding.token`; `*` for all values. */
  readonly secrets?: readonly string[];
  /** What the answer holds, for people. */
  readonly answer: string;
  /** What the document leaves open about it, and how it is read here. */
  readonly notShown?: string;
}

type Given<Name extends string, Schema> = Schema extends z.ZodType
  ? Omittable<z.input<Schema>> extends true
    ? { readonly [N in Name]?: z.input<Schema> | undefined }
    : { readonly [N in Name]: z.input<Schema> }
  : unknown;

type Omittable<Value> = undefined extends Value ? true : Record<never, never> extends Value ? true : false;

type Optional<P, Name extends "headers" | "body"> = P extends { readonly [N in Name]: infer Schema }
  ? Given<Name, Schema>
  : unknown;

/** The parameters of an operation; what holds nothing required may be left out. */
export type ParamsOf<O extends Operation> = Given<"path", O["params"]["path"]> &
  Given<"query", O["params"]["query"]> &
  Optional<O["params"], "headers"> &
  Optional<O["params"], "body">;

/** Whether a request of the operation changes something at the service. */
export function isWrite({ idempotent, changes }: Pick<Operation, "idempotent" | "changes">): boolean {
  return !idempotent || changes === true;
}

/** The parsed answer of an operation. */
export type ResponseOf<O extends Operation> = z.output<O["response"]>;

/**
 * Declares an operation; throws a TypeError when path template and path parameters, or header options and
 * header names, differ.
 */
export function defineOperation<P extends ParameterSchemas, R extends z.ZodType>(
  operation: Operation<P, R>,
): Operation<P, R> {
  const inTemplate = [...operation.path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]).sort();
  const inSchema = Object.keys(operation.params.path.shape).sort();
  if (inTemplate.join() !== inSchema.join()) {
    throw new TypeError(
      `${operation.name}: the path names {${inTemplate.join()}}, the schema {${inSchema.join()}}`,
    );
  }
  const options = Object.keys(operation.params.headers?.shape ?? {}).sort();
  const named = Object.keys(operation.headerNames ?? {}).sort();
  if (options.join() !== named.join()) {
    throw new TypeError(`${operation.name}: options ${options.join()}, headers for ${named.join()}`);
  }
  return Object.freeze(operation);
}
