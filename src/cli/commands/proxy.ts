import { resolve } from "node:path";
import type { Command } from "commander";
import type { ProxyFlags } from "../../intake/bulk/proxy-request.js";
import type { AnyJob } from "../../jobs/job.js";
import type { BulkFlags } from "../bulk/run.js";
import { addContinue, withBulkOptions } from "./bulk-options.js";
import type { AddCommand, Schedulable } from "./command.js";

/** Flags of headers and certificates, which nothing keeps once a run has ended. */
export function withProxySecrets(command: Command): Command {
  return command
    .option(
      "--header <line>",
      "header of every proxy request, such as 'x-fp-proxy-fwd-x-tenant: 7', or @file with a line for each; may be repeated",
      (line: string, earlier: readonly string[] = []) => [...earlier, line],
    )
    .option("--client-cert <file>", "client certificate (PEM) that the proxy shows its target")
    .option("--client-key <file>", "private key (PEM) of the client certificate")
    .option("--pin-cert <file>", "certificates (PEM), one of which the proxy's target must show");
}

function withProxyOptions(command: Command): Command {
  const own = command
    .requiredOption("--config <id>", "id of the proxy configuration")
    .requiredOption(
      "--requests <file>",
      "CSV or JSONL file: id, optionally fp_id, repeatable, path_and_query, method, body, and columns that the template names",
    )
    .option(
      "--body-template <file>",
      "body of rows without their own, with {{column}} for a value of the row",
    )
    .option("--content-type <type>", "media type of the bodies (default: application/json)")
    .option(
      "--method <method>",
      "HTTP method at the target, unless the row has one: GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS (default: POST)",
    )
    .option("--access-reason <text>", "why data is decrypted for the target; the service records it");
  return withBulkOptions(
    withProxySecrets(own)
      .option("--keep-body", "keep the body of each response of at most 256 KiB, encrypted")
      .option(
        "--send-unknown",
        "send again requests of which an earlier run does not know what came; the target may act twice",
      ),
  );
}

interface RunFlags extends ProxyFlags, BulkFlags {
  readonly requests: string;
}

export const proxyCommand: AddCommand = (program, terminal, end) => {
  const command = program
    .command("proxy")
    .description(
      "send requests of a file through a vault proxy, each at most once unless its row allows more",
    );
  withProxyOptions(command).action(async (flags: RunFlags) => {
    const { runBulk } = await import("../bulk/run.js");
    const { readProxyRequest } = await import("../../intake/bulk/proxy-request.js");
    const { job, options, secrets } = await readProxyRequest(terminal.cwd, flags);
    end(await runBulk(terminal, job, flags.requests, options, flags, { secrets }));
  });
};

export const scheduledProxy: Schedulable = {
  words: ["proxy"],
  define: withProxyOptions,
  async job(flags: RunFlags, cwd) {
    const { absoluteFlags, readProxyRequest } = await import("../../intake/bulk/proxy-request.js");
    const request = absoluteFlags(cwd, flags);
    return {
      kind: "bulk",
      job: "proxy",
      file: resolve(cwd, flags.requests),
      continueInvalid: flags.continueInvalid === true,
      options: (await readProxyRequest(cwd, request)).options,
      signKey: null,
      request,
    };
  },
};

export const proxiesCommand: AddCommand = (program, terminal, end) => {
  const proxies = program.command("proxies").description("finish an earlier proxy run");
  const load = async () => (await import("../../jobs/proxy.js")).proxyJob as AnyJob;
  addContinue(proxies, "proxy run", load, terminal, end);
};
