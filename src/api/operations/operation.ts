import type { z } from "zod";
import type { ExactNumbers } from "../../domain/json/text.js";
import type { ServiceWords } from "../../domain/service/service-words.js";

interface ParameterSchemas {
  readonly path: z.ZodObject;
  readonly query: z.ZodObject;
  /** By the names of {@link Operation.headerNames}. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
}

export interface CheckedRequest {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** A rule that a request breaks, without a value. */
interface RuleBreach {
  /** `body field external_id` */
  readonly field: string;
  readonly problem: string;
  readonly accepted: string;
}

interface TokenUse {
  readonly use: "decrypt" | "vault";
  readonly fields: readonly string[];
  readonly reason: boolean;
}

/**
 * Paged by `page`/`size`/`total` (docs/reference/service.md, "Transaction lists") or by `meta.next_page` ("Onboarding
 * lists").
 */
export interface ListForm {
  readonly style: "total" | "next_page";
  readonly rows: string;
  /** The field that identifies a row. */
  readonly id: string;
}

/** Where an answer names its subject, and the parameter to compare it with. */
export interface NamedSubject {
  /** Path in the answer: `id`; `links[].fp_id` in each row; `*` for its keys. */
  readonly field: string;
  /** Path in the request: `path.fp_id`; of a list, the answer names one of its values. */
  readonly parameter: `${"path" | "query" | "headers" | "body"}.${string}`;
}

type ServicePart = "onboarding" | "users and vault" | "businesses" | "bank data" | "proxy and webhooks";

/** All that a call needs to know of an operation (docs/reference/api-operations.md). */
export interface Operation<P extends ParameterSchemas = ParameterSchemas, R extends z.ZodType = z.ZodType> {
  /** For logs, errors and `nightledger call`. */
  readonly name: string;
  readonly part: ServicePart;
  readonly summary: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Below the base address: `/users/{fp_id}/bank_links`. */
  readonly path: `/${string}`;
  readonly params: P;
  /** Path and body in a deployment's own words. */
  readonly inWords?: (
    words: ServiceWords,
    body: unknown,
  ) => { readonly path: `/${string}`; readonly body: unknown };
  /** A list becomes repeated lines; `x-*` takes a record and adds its names to the prefix. */
  readonly headerNames?: Readonly<Record<string, string>>;
  /** A second header for an option, unless the request has it. */
  readonly alsoAs?: Readonly<Record<string, string>>;
  /** A target behind the service may have answered, and acted, whatever the status. */
  readonly relays?: true;
  /** Rules across parts of the request. */
  readonly check?: (request: CheckedRequest) => RuleBreach | undefined;
  /** Default: JSON. */
  readonly sends?: "bytes";
  /** Of a list the envelope only: rows are checked one by one. */
  readonly response: R;
  readonly list?: ListForm;
  /** Subjects that are compared where answer and request both have them. */
  readonly names?: readonly NamedSubject[];
  /**
   * Default: JSON. `nothing`: status 200 with an object, which says that the request was carried out unless a member
   * denies it.
   */
  readonly answers?: "bytes" | "nothing";
  /** Numbers that come as text; default: none. */
  readonly exactNumbers?: ExactNumbers;
  /** Milliseconds on top of the usual timeout. */
  readonly extraTimeoutMs?: (request: CheckedRequest) => number;
  readonly auth: "secret_key" | "client_token";
  /** What a client operation's token must allow. */
  readonly tokenUse?: (request: CheckedRequest) => TokenUse;
  /** Sending it twice does no harm. */
  readonly idempotent: boolean;
  /** Idempotent, yet it changes something. */
  readonly changes?: true;
  /** How a lost answer is resolved without a second effect. */
  readonly lostAnswer: string;
  /** Paths of secret or personal values of the answer: `continue_onboarding.token`; `*` for all. */
  readonly secrets?: readonly string[];
  readonly answer: string;
  /** What the contract leaves open, and our reading. */
  readonly notShown?: string;
}

const READ = {
  method: "GET",
  auth: "secret_key",
  idempotent: true,
  lostAnswer: "A read: sent again.",
} as const;

interface ReadOperation<P extends ParameterSchemas, R extends z.ZodType>
  extends Omit<Operation<P, R>, keyof typeof READ> {}

type Given<Name extends string, Schema> = Schema extends z.ZodType
  ? Omittable<z.input<Schema>> extends true
    ? { readonly [N in Name]?: z.input<Schema> | undefined }
    : { readonly [N in Name]: z.input<Schema> }
  : unknown;

type Omittable<Value> = undefined extends Value ? true : Record<never, never> extends Value ? true : false;

type Optional<P, Name extends "headers" | "body"> = P extends { readonly [N in Name]: infer Schema }
  ? Given<Name, Schema>
  : unknown;

/** Parts without a required parameter may be left out. */
export type ParamsOf<O extends Operation> = Given<"path", O["params"]["path"]> &
  Given<"query", O["params"]["query"]> &
  Optional<O["params"], "headers"> &
  Optional<O["params"], "body">;

export type ResponseOf<O extends Operation> = z.output<O["response"]>;

export function isWrite({ idempotent, changes }: Pick<Operation, "idempotent" | "changes">): boolean {
  return !idempotent || changes === true;
}

export function defineRead<P extends ParameterSchemas, R extends z.ZodType>(
  operation: ReadOperation<P, R>,
): Operation<P, R> {
  return defineOperation<P, R>({ ...READ, ...operation });
}

/** @throws TypeError when path template and parameters, or header options and names, differ */
export function defineOperation<P extends ParameterSchemas, R extends z.ZodType>(
  operation: Operation<P, R>,
): Operation<P, R> {
  const { name, path, params, headerNames = {} } = operation;
  const inTemplate = [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] ?? "");
  mustAgree(name, "path parameters", inTemplate, Object.keys(params.path.shape));
  mustAgree(name, "header options", Object.keys(headerNames), Object.keys(params.headers?.shape ?? {}));
  return Object.freeze(operation);
}

function mustAgree(
  operation: string,
  what: string,
  named: readonly string[],
  declared: readonly string[],
): void {
  const [left, right] = [named, declared].map((names) => [...names].sort().join());
  if (left !== right) throw new TypeError(`${operation}: ${what} named {${left}}, declared {${right}}`);
}
