import type { LogLevel, LogMetadata } from "@temporalio/common";
import { DefaultLogger, Runtime } from "@temporalio/worker";

interface RuntimeLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where metrics are: an endpoint that Prometheus asks, or a collector that they are sent to. */
type MetricsPlace =
  | { readonly host: string; readonly port: number; readonly otlp?: undefined }
  | { readonly otlp: string };

/** The SDK keeps its first logger for the life of the process, so that one forwards to whatever is the target now. */
let target: RuntimeLogger | undefined;
let runtime: Runtime | undefined;

/**
 * Installs the process's Temporal runtime, before the first connection: messages of the core and the SDK go to the
 * logger and never to the console, and the command handles signals. Called again, it only changes the logger.
 *
 * @param metrics where they are exported; left out: nowhere
 */
export function installRuntime(logger: RuntimeLogger, metrics?: MetricsPlace): void {
  target = logger;
  if (runtime !== undefined) return;
  runtime = Runtime.install({
    logger: new DefaultLogger("TRACE", ({ level, message, meta }) => forward(level, message, meta)),
    telemetryOptions: {
      logging: { filter: { core: "WARN", other: "ERROR" }, forward: {} },
      ...(metrics !== undefined && { metrics: exporterOf(metrics) }),
    },
    shutdownSignals: [],
  });
}

/** Ends the runtime. The SDK does so with the last worker, but one that exports metrics keeps a process without a worker going. */
export async function endRuntime(): Promise<void> {
  await runtime?.shutdown();
}

function exporterOf(place: MetricsPlace) {
  if (place.otlp !== undefined)
    return { otel: { url: place.otlp, http: true, useSecondsForDurations: true } };
  const bindAddress = `${place.host}:${place.port}`;
  return { prometheus: { bindAddress, countersTotalSuffix: true, useSecondsForDurations: true } };
}

const METHODS = { TRACE: "debug", DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error" } as const;

/**
 * Messages of the SDK and its core are for debugging, except errors, messages about our workflows and failed workflow
 * tasks: nobody else reports those.
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
    // The core delivers its last messages after a command has closed its log. An error in the SDK's timer would end a
    // process that has done its work.
  }
}
