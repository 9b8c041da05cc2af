import { Client, Connection } from "@temporalio/client";

interface OutsideOptions {
  readonly address: string;
  readonly namespace: string;
  /** Milliseconds from a call's end to its signal. */
  readonly delayMs: number;
}

/** Signals each workflow that it is told of, a while later, as a receiver of webhooks would. */
async function main({ address, namespace, delayMs }: OutsideOptions): Promise<void> {
  const client = new Client({ connection: await Connection.connect({ address }), namespace });
  process.on("message", (workflowId: string) => {
    setTimeout(() => void client.workflow.getHandle(workflowId).signal("settled"), delayMs);
  });
  process.once("disconnect", () => void client.connection.close());
  process.send?.("ready");
}

await main(JSON.parse(process.argv[2] ?? "{}") as OutsideOptions);
