import { inject } from "vitest";
import { connectedTo, type TestTemporal } from "./temporal-environment.js";

declare module "vitest" {
  interface ProvidedContext {
    temporal: { readonly address: string; readonly namespace: string };
  }
}

/**
 * The one server of all test files that need no server of their own. Scopes keep them apart: they are in every
 * workflow id and task queue, and come from the test's own stand-in and lake. `stop` closes the clients only.
 */
export function sharedTemporal(): TestTemporal {
  return connectedTo({ ...inject("temporal"), directory: "" }, async () => {});
}
