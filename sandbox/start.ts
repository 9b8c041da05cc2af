import type { Server } from "node:http";
import { InputError } from "../src/domain/failures.js";
import { assemble } from "./assemble.js";
import { controlHandler } from "./control/endpoints.js";
import { Router } from "./http/router.js";
import { createSandboxServer } from "./http/server.js";
import { OPERATIONS } from "./operations/index.js";
import type { SandboxOptions } from "./options.js";
import { Sandbox } from "./sandbox.js";

/**
 * Starts a stand-in of the service on 127.0.0.1.
 * @throws InputError if the port is taken, the population can't be read, or an option can't be used.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const apiKeys = options.apiKeys ?? ["sk_test_sandbox"];
  const state = assemble(options, apiKeys);
  let sandbox: Sandbox | undefined;
  const control = controlHandler(() => sandbox!);
  const server = createSandboxServer(state, new Router(OPERATIONS), control);
  await listen(server, options.port ?? 0);
  sandbox = new Sandbox(server, state, apiKeys[0] ?? "");
  return sandbox;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = `port ${port} can't be opened on 127.0.0.1 (${error.code}); nothing was started: choose another`;
      reject(new InputError(taken, { cause: error }));
    });
    server.listen(port, "127.0.0.1", () => resolve());
  });
}
