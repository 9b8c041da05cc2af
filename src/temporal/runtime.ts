import type { LogLevel, LogMetadata } from "@temporalio/common";
import { DefaultLogger, Runtime } from "@temporalio/worker";

interface RuntimeLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** An endpoint that Prometheus reads, or a collector that metrics are sent to. */
type MetricsPlace =
  | { readonly host: string; readonly port: number; readonly otlp?: undefined }
  | { readonly otlp: string };

/** The SDK keeps its first logger for ever, so that one forwards to this. */
let target: RuntimeLogger | undefined;
let runtime: Runtime | undefined;

/**
 * Installs the process's Temporal runtime, before the first connection: its messages go to the logger and never to the
 * console, and the command handles signals. Called again, it only changes the logger.
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

/** The SDK ends it with the last worker; exporting metrics, it keeps a process without a worker going. */
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

/** What the SDK says but for errors, our workflows and failed workflow tasks, which nobody else reports. */
function isChatter(level: LogLevel, message: string, { sdkComponent }: LogMetadata): boolean {
  return sdkComponent !== "workflow" && level !== "ERROR" && !message.startsWith("Failing workflow task");
}

// Only plain fields: the SDK also hands over whole tasks, with every payload decoded.
function forward(level: LogLevel, message: string, fields: LogMetadata = {}): void {
  const plain = Object.entries(fields).filter(
    ([, value]) => typeof value !== "object" || value instanceof Error,
  );
  const method = isChatter(level, message, fields) ? "debug" : METHODS[level];
  try {
    target?.[method](Object.fromEntries(plain), message);
  } catch {
    // After a command has closed its log, an error in the SDK's timer would end a process that has done its work.
  }
}
