import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type LossyWire = Awaited<ReturnType<typeof startLossyWire>>;

/** A wire to a Temporal server on which answers get lost while requests arrive. */
export async function startLossyWire(target: string) {
  const [host = "", port = ""] = target.split(":");
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let losing = false;
  let cut = false;
  const server = createServer((near) => {
    if (cut) return void near.destroy();
    const far = connect(Number(port), host);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.on("data", (bytes) => {
      far.write(bytes);
      for (const told of waiting.splice(0)) told();
    });
    far.on("data", (bytes) => {
      if (!losing) near.write(bytes);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswers: () => {
      losing = true;
    },
    /** New connections pass both ways, or are refused where the wire is to stay `cut`. */
    breakConnections(how: "mended" | "cut") {
      losing = false;
      cut = how === "cut";
      for (const socket of sockets) socket.destroy();
    },
    nextRequest: () => new Promise<void>((resolve) => waiting.push(resolve)),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
