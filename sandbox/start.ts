import { once } from "node:events";
import { InputError } from "../src/domain/failures.js";
import { assemble } from "./assemble.js";
import { controlHandler } from "./control/endpoints.js";
import { Router } from "./http/router.js";
import { createSandboxServer } from "./http/server.js";
import { operationsOf } from "./operations/index.js";
import type { SandboxOptions } from "./options.js";
import { type Sandbox, sandboxOf } from "./sandbox.js";

/**
 * Starts a stand-in of the service on 127.0.0.1.
 * @throws InputError if the port is taken, the population can't be read, or an option can't be used.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { apiKeys = ["sk_test_sandbox"], port = 0 } = options;
  const state = assemble(options, apiKeys);
  let sandbox: Sandbox | undefined;
  const server = createSandboxServer(
    state,
    new Router(operationsOf(state.service.behaves)),
    controlHandler(() => sandbox!),
  );
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `port ${port} can't be opened on 127.0.0.1 (${code}); nothing was started. Choose another one with --port; --port 0 picks a free one.`;
    throw new InputError(message, { cause: error });
  }
  sandbox = sandboxOf(server, state, apiKeys[0] ?? "");
  return sandbox;
}
