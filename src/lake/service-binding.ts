import { hash } from "node:crypto";
import { InputError } from "../domain/failures.js";
import { jsonObjectOf } from "../domain/json.js";
import type { KeyMode } from "../domain/service/key-mode.js";
import type { ObjectStore } from "./store/object-store.js";

/** Readers of tables pass over names that begin with an underscore. */
const BINDING_KEY = "_nightledger/service.json";

/** Which service a command is for. */
export interface ServiceAddress {
  /** Canonical base address. */
  readonly url: string;
  /** Null where the key does not say. */
  readonly mode: KeyMode | null;
}

/** The service that a lake belongs to: everything in it is of this one. */
export interface ServiceBinding extends ServiceAddress {
  /**
   * Stays when the service moves to another address; part of every key that says what was done already. Empty in a
   * lake that is older than bindings, so that its keys stay what they are.
   */
  readonly id: string;
}

/**
 * The binding of a lake. Only reads.
 *
 * @throws InputError where the file is torn or not one of ours.
 */
export async function readBinding(store: ObjectStore): Promise<ServiceBinding | undefined> {
  const body = await store.get(BINDING_KEY);
  if (body === undefined) return undefined;
  const { id, url, mode } = jsonObjectOf(body.toString("utf8")) ?? {};
  const isMode = mode === null || mode === "test" || mode === "live";
  if (typeof id === "string" && typeof url === "string" && isMode) return { id, url, mode };
  throw new InputError(
    `${BINDING_KEY} in the lake ${store.address} does not say which service the lake belongs to. ` +
      "Nothing was changed. Name another lake in NIGHTLEDGER_LAKE, or restore the file.",
  );
}

/**
 * Refuses another service, or another mode of it, than the one that a lake belongs to. Only reads.
 *
 * @throws InputError naming both addresses.
 */
export async function checkBinding(
  store: ObjectStore,
  asked: ServiceAddress,
): Promise<ServiceBinding | undefined> {
  const bound = await readBinding(store);
  if (bound !== undefined) assertSame(store, bound, asked);
  return bound;
}

/**
 * The binding that a lake has, or gets at its first use. Its id follows from lake, address and mode, so that commands
 * which find a new lake at once make the same keys. Only reads.
 *
 * @param isNew whether nothing has used the lake before
 * @throws InputError where it belongs to another service.
 */
export async function expectBinding(
  store: ObjectStore,
  asked: ServiceAddress,
  isNew: boolean,
): Promise<ServiceBinding> {
  const bound = await checkBinding(store, asked);
  if (bound !== undefined) return bound;
  const from = JSON.stringify([store.address, asked.url, asked.mode]);
  return { id: isNew ? hash("sha256", from).slice(0, 16) : "", url: asked.url, mode: asked.mode };
}

/**
 * Binds a lake to a service at its first use, as {@link expectBinding} found it; another's binding stays.
 *
 * @throws InputError where it belongs to another service, or was bound with another id meanwhile: keys of the
 * expected id would not be those that the lake's rows have.
 */
export async function ensureBinding(store: ObjectStore, expected: ServiceBinding): Promise<void> {
  const asked = { url: expected.url, mode: expected.mode };
  let bound = await checkBinding(store, asked);
  if (bound === undefined) {
    await store.putIfAbsent(BINDING_KEY, text(expected));
    bound = await checkBinding(store, asked);
  }
  if (bound?.id === expected.id) return;
  throw new InputError(
    `another command has just bound the lake ${store.address} to its service. Nothing was started; run the command again.`,
  );
}

/** Says that a lake's service is at another address now. The id stays, and with it every key. */
export async function rebind(store: ObjectStore, moved: ServiceAddress): Promise<ServiceBinding> {
  const bound = await readBinding(store);
  if (bound === undefined) {
    throw new InputError(`the lake ${store.address} belongs to no service yet: the first job binds it`);
  }
  if (bound.mode !== null && moved.mode !== null && bound.mode !== moved.mode) {
    throw new InputError(
      `the lake ${store.address} holds ${bound.mode} data, and NIGHTLEDGER_API_KEY is a ${moved.mode} key. ` +
        "A lake never changes its mode; name another lake in NIGHTLEDGER_LAKE.",
    );
  }
  const binding = { id: bound.id, url: moved.url, mode: bound.mode ?? moved.mode };
  await store.put(BINDING_KEY, text(binding), { durable: true });
  return binding;
}

function text({ id, url, mode }: ServiceBinding): string {
  return `${JSON.stringify({ id, url, mode })}\n`;
}

function assertSame(store: ObjectStore, bound: ServiceBinding, asked: ServiceAddress): void {
  if (bound.url !== asked.url) {
    throw new InputError(
      `NIGHTLEDGER_API_URL: the lake ${store.address} belongs to the service at ${bound.url}, and this command is ` +
        `for ${asked.url}. Nothing was started. Name another lake in NIGHTLEDGER_LAKE; if the service has moved ` +
        "to the new address, run `nightledger rebind` first.",
    );
  }
  if (bound.mode !== null && asked.mode !== null && bound.mode !== asked.mode) {
    throw new InputError(
      `NIGHTLEDGER_API_KEY: the lake ${store.address} holds ${bound.mode} data of ${bound.url}, and this is a ` +
        `${asked.mode} key. Nothing was started. Name another lake in NIGHTLEDGER_LAKE.`,
    );
  }
}
