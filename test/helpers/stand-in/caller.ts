import type { Sandbox } from "../../../sandbox/index.js";

/** What a call sends; by default the stand-in's key, and JSON of a body that is neither text nor bytes. */
export interface CallSettings {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A client token instead of the key. */
  readonly token?: string;
}

/** A response read to its end. */
interface CallResult {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON in it; fails where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies whose shape they are there to prove
  readonly body: any;
}

/** Calls the stand-in. */
export async function call(
  sandbox: Sandbox,
  method: string,
  path: string,
  { body, headers = {}, token }: CallSettings = {},
): Promise<CallResult> {
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const sent = raw || body === undefined ? body : JSON.stringify(body);
  const authorization = `Basic ${Buffer.from(`${sandbox.apiKey}:`).toString("base64")}`;
  const response = await fetch(sandbox.url + path, {
    method,
    headers: {
      ...(token === undefined ? { authorization } : { "x-fp-authorization": token }),
      ...(raw || body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent as string | Uint8Array<ArrayBuffer> }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    get body() {
      return JSON.parse(text);
    },
  };
}

/** A client token of a user. */
export async function tokenFor(sandbox: Sandbox, fpId: string, grant: object): Promise<string> {
  const { body } = await call(sandbox, "POST", `/users/${fpId}/client_token`, { body: grant });
  return body.token;
}
