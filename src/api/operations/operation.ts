import type { z } from "zod";
import type { ExactNumbers } from "../../domain/json/text.js";
import type { ServiceWords } from "../../domain/service/service-words.js";

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

interface TokenUse {
  readonly use: "decrypt" | "vault";
  readonly fields: readonly string[];
  readonly reason: boolean;
}

/**
 * How a list is paged: by `page`/`size`/`total` (docs/reference/service.md, "Transaction lists") or by `meta.next_page`
 * (docs/reference/service.md, "Onboarding lists").
 */
export interface ListForm {
  readonly style: "total" | "next_page";
  readonly rows: string;
  /** Field of a row that identifies it. */
  readonly id: string;
}

/** Where an answer names what it is about, and the parameter that says what was asked for. */
export interface NamedSubject {
  /** Path in the answer: `id`; `links[].fp_id` in each row; `*` for its keys. */
  readonly field: string;
  /** Path in the request: `path.fp_id`; of a list, the answer names one of its values. */
  readonly parameter: `${"path" | "query" | "headers" | "body"}.${string}`;
}

type ServicePart = "onboarding" | "users and vault" | "businesses" | "bank data" | "proxy and webhooks";

/** One operation of the service (docs/reference/api-operations.md): everything a call needs to know about it. */
export interface Operation<P extends ParameterSchemas = ParameterSchemas, R extends z.ZodType = z.ZodType> {
  /** Stable name for logs, errors and `nightledger call`. */
  readonly name: string;
  readonly part: ServicePart;
  readonly summary: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Path template below the base address: `/users/{fp_id}/bank_links`. */
  readonly path: `/${string}`;
  readonly params: P;
  /** The path template and the body where a deployment has words of its own; left out: there are none in them. */
  readonly inWords?: (
    words: ServiceWords,
    body: unknown,
  ) => { readonly path: `/${string}`; readonly body: unknown };
  /** Header of each option. A list becomes repeated lines; `x-*` takes a record and adds its names to the prefix. */
  readonly headerNames?: Readonly<Record<string, string>>;
  /** Header in which an option goes too, unless the request has this one already. */
  readonly alsoAs?: Readonly<Record<string, string>>;
  /** Its answer may be that of a target behind the service, which may have acted whatever the status is. */
  readonly relays?: true;
  /** Checks rules that span parts of the request. */
  readonly check?: (request: CheckedRequest) => RuleBreach | undefined;
  /** Left out: JSON. */
  readonly sends?: "bytes";
  /** The whole answer; of a list its envelope only, because rows are checked one by one. */
  readonly response: R;
  readonly list?: ListForm;
  /** Left out: its answers name no subject. What they leave out, or the request leaves open, is not compared. */
  readonly names?: readonly NamedSubject[];
  /**
   * Left out: JSON. Bytes come with any content type. `nothing`: an object with status 200, which alone says that the
   * request was carried out; empty by the contract, and no member of another one may say otherwise.
   */
  readonly answers?: "bytes" | "nothing";
  /** Which numbers come as their text, so that no double changes them; left out: none. */
  readonly exactNumbers?: ExactNumbers;
  /** Milliseconds that the service may take before it answers, on top of the usual timeout. */
  readonly extraTimeoutMs?: (request: CheckedRequest) => number;
  readonly auth: "secret_key" | "client_token";
  /** Of a client operation: what its token must allow. */
  readonly tokenUse?: (request: CheckedRequest) => TokenUse;
  /** Whether sending it twice does no harm. */
  readonly idempotent: boolean;
  /** Of an idempotent operation: it changes something all the same. */
  readonly changes?: true;
  /** How a lost answer is resolved without a second effect. */
  readonly lostAnswer: string;
  /** Paths of secrets and personal values in the answer: `continue_onboarding.token`; `*` for all values. */
  readonly secrets?: readonly string[];
  readonly answer: string;
  /** What the document leaves open, and how it is read here. */
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

/** The parameters of an operation; what holds nothing required may be left out. */
export type ParamsOf<O extends Operation> = Given<"path", O["params"]["path"]> &
  Given<"query", O["params"]["query"]> &
  Optional<O["params"], "headers"> &
  Optional<O["params"], "body">;

export type ResponseOf<O extends Operation> = z.output<O["response"]>;

/** Whether a request of the operation changes something at the service. */
export function isWrite({ idempotent, changes }: Pick<Operation, "idempotent" | "changes">): boolean {
  return !idempotent || changes === true;
}

export function defineRead<P extends ParameterSchemas, R extends z.ZodType>(
  operation: ReadOperation<P, R>,
): Operation<P, R> {
  return defineOperation<P, R>({ ...READ, ...operation });
}

/**
 * Declares an operation; throws a TypeError when path template and path parameters, or header options and
 * header names, differ.
 */
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
