import { type AddressInfo, createServer, type Server } from "node:net";
import { InputError } from "../domain/failures.js";

export interface ReceiverPlace {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export function listen(server: Server, { host, port }: ReceiverPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        new InputError(
          `port ${port} of ${host} can't be used (${error.code}); no webhooks are received. Give another port or host, or end the program that uses it`,
        ),
      );
    });
    server.listen(port, host, resolve);
  });
}

/** Checks that a receiver could listen there, before anything is started. @throws InputError as {@link listen}. */
export async function checkPlace(place: ReceiverPlace): Promise<void> {
  const probe = createServer();
  await listen(probe, place);
  await new Promise((resolve) => probe.close(resolve));
}

export function addressOf(server: Server, { host }: ReceiverPlace): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
