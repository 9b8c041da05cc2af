import { RUN_ATTRIBUTES } from "../../domain/run.js";

export interface ServerFlags {
  readonly ip: string;
  readonly port: number;
  readonly uiPort?: number | undefined;
  /** Its SQLite file; without it everything is in memory. */
  readonly database?: string | undefined;
}

// With the server's defaults (20 polls a second of one shard) a sequential activity takes 97 ms; so, 13-17 ms.
const DYNAMIC_CONFIG = {
  "history.transferProcessorMaxPollRPS": 5000,
  "history.timerProcessorMaxPollRPS": 5000,
  "history.visibilityProcessorMaxPollRPS": 1000,
  "frontend.namespaceRPS": 20000,
  "frontend.namespaceCount": 5000,
} as const;

/** The command line of the dev server (docs/inside/architecture.md, "Embedded server"). */
export function serverArguments(flags: ServerFlags): string[] {
  const database =
    flags.database === undefined
      ? []
      : [
          ...["--db-filename", flags.database],
          ...["--sqlite-pragma", "journal_mode=WAL", "--sqlite-pragma", "synchronous=NORMAL"],
        ];
  return [
    ...["server", "start-dev", "--ip", flags.ip, "--port", String(flags.port), "--log-level", "warn"],
    ...(flags.uiPort === undefined ? ["--headless"] : ["--ui-port", String(flags.uiPort)]),
    ...database,
    ...Object.values(RUN_ATTRIBUTES).flatMap((name) => ["--search-attribute", `${name}=Keyword`]),
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([name, value]) => [
      "--dynamic-config-value",
      `${name}=${value}`,
    ]),
  ];
}
