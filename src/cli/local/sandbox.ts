import { remoteSandbox, runSandbox, TRIGGERS } from "../../../sandbox/index.js";
import { readConfig } from "../../config.js";
import { InputError, UnreachableError } from "../../domain/failures.js";
import { labelledLines } from "../../domain/words/texts.js";
import { EXIT } from "../terminal/exit-code.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

interface TriggerFlags {
  readonly list?: boolean;
  readonly user?: string;
  readonly link?: string;
  readonly url?: string;
}

export async function serveSandbox(
  terminal: Terminal,
  { record, ...flags }: { readonly record: boolean } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const options = { ...flags, ...(record ? {} : { recordRequests: 0 }) };
  await withInterruption(({ signal }) =>
    runSandbox(options, signal, ({ url, apiKey }) => {
      terminal.result(JSON.stringify({ url, api_key: apiKey }));
      terminal.say(
        "The sandbox is running. Set NIGHTLEDGER_API_URL and NIGHTLEDGER_API_KEY to the values above; press Ctrl-C to stop it.",
      );
    }),
  );
}

/** Triggers an event of a running sandbox, or lists the events; exits with 1 where its webhook did not arrive. */
export async function triggerEvent(
  terminal: Terminal,
  event: string | undefined,
  { list, ...flags }: TriggerFlags,
): Promise<number> {
  if (event === undefined || list) {
    const whats = Object.entries(TRIGGERS).map(([kind, [what]]) => [kind, what] as const);
    terminal.result(labelledLines(whats, 34).join("\n"));
    return EXIT.completed;
  }
  const { url = readConfig(terminal, ["api"]).api.url, ...subject } = flags;
  if (!URL.canParse(url)) throw new InputError(`--url: ${url} is not an address. Nothing was done.`);
  const { happened, messages } = await remoteSandbox(url)
    .trigger(event, subject)
    .catch((error: Error) => {
      if (error instanceof InputError) throw error;
      const words = `no sandbox answers at ${url} (${error.message}). Start one with \`nightledger sandbox\`, or name its address with --url`;
      throw new UnreachableError(words, { cause: error });
    });
  terminal.result(happened);
  for (const { id, event_kind, state, attempts } of messages)
    terminal.result(`${event_kind}  ${id}  ${state}  ${attempts.map(({ result }) => result).join(", ")}`);
  if (messages.some(({ state }) => state === "no_endpoint"))
    terminal.say("The sandbox sends webhooks to nobody yet: register a receiver (docs/use/sandbox.md).");
  return messages.every(({ state }) => state === "delivered") ? EXIT.completed : EXIT.failures;
}
