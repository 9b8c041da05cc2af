import type { z } from "zod";

/** What a call is given: a value for each `{name}` of the path, and the query. */
export interface ParameterSchemas {
  readonly path: z.ZodObject;
  readonly query: z.ZodObject;
}

/** One operation of the service (SERVICE.md part 4): everything a call needs to know about it. */
export interface Operation<P extends ParameterSchemas = ParameterSchemas, R extends z.ZodType = z.ZodType> {
  /** Stable name for logs, errors and `nightledger call`. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH";
  /** Path template below the base address: `/users/{fp_id}/bank_links`. */
  readonly path: `/${string}`;
  readonly params: P;
  /** The whole answer; of a list its envelope only, because rows are judged one by one. */
  readonly response: R;
  readonly auth: "secret_key" | "client_token";
  /** Whether sending it twice does no harm. */
  readonly idempotent: boolean;
}

/** The parameters of an operation; `query` may be left out where nothing in it is required. */
export type ParamsOf<O extends Operation> = { readonly path: z.input<O["params"]["path"]> } & (Record<
  never,
  never
> extends z.input<O["params"]["query"]>
  ? { readonly query?: z.input<O["params"]["query"]> }
  : { readonly query: z.input<O["params"]["query"]> });

/** The parsed answer of an operation. */
export type ResponseOf<O extends Operation> = z.output<O["response"]>;

/** Declares an operation; throws a TypeError when path template and path parameters differ. */
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
  return Object.freeze(operation);
}
