import type { Logger, LogLevel, LogMetadata } from "@temporalio/common";
import { Runtime } from "@temporalio/worker";

interface RuntimeLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

let target: RuntimeLogger | undefined;
let installed = false;

/**
 * Sets the process's Temporal runtime up, before the first connection: the core's and the SDK's messages go to
 * the logger and never to the console, and signals are left to the command. Called again, it only changes the
 * logger.
 */
export function installRuntime(logger: RuntimeLogger): void {
  target = logger;
  if (installed) return;
  Runtime.install({
    logger: forwarding,
    telemetryOptions: { logging: { filter: { core: "WARN", other: "ERROR" }, forward: {} } },
    shutdownSignals: [],
  });
  installed = true;
}

// The SDK keeps the first logger for the life of the process, also when it makes its runtime anew.
const forwarding: Logger = {
  log: forward,
  trace: (message, fields) => forward("TRACE", message, fields),
  debug: (message, fields) => forward("DEBUG", message, fields),
  info: (message, fields) => forward("INFO", message, fields),
  warn: (message, fields) => forward("WARN", message, fields),
  error: (message, fields) => forward("ERROR", message, fields),
};

const METHODS = {
  TRACE: "debug",
  DEBUG: "debug",
  INFO: "info",
  WARN: "warn",
  ERROR: "error",
} as const satisfies Record<LogLevel, keyof RuntimeLogger>;

/**
 * What the SDK and its core say of their own work is for debugging, except errors, what the SDK says of our workflows,
 * and a workflow task that fails: nobody else reports those.
 */
function isChatter(level: LogLevel, message: string, { sdkComponent }: LogMetadata): boolean {
  return sdkComponent !== "workflow" && level !== "ERROR" && !message.startsWith("Failing workflow task");
}

// Only plain fields: at debug level the SDK hands over whole tasks, with every payload decoded.
function forward(level: LogLevel, message: string, fields: LogMetadata = {}): void {
  const plain = Object.entries(fields).filter(
    ([, value]) => typeof value !== "object" || value instanceof Error,
  );
  const method = isChatter(level, message, fields) ? "debug" : METHODS[level];
  try {
    target?.[method](Object.fromEntries(plain), message);
  } catch {
    // The core hands its last messages over later than a command closes its log; thrown out of the SDK's timer,
    // this would end a process that has done its work.
  }
}
