import { type Command, Option } from "commander";
import type { ProxyFlags } from "../../intake/bulk/proxy-request.js";
import type { AnyJob } from "../../jobs/job.js";
import type { BulkFlags } from "../bulk/run.js";
import { addContinue, withBulkOptions } from "./bulk-options.js";
import type { AddCommand } from "./command.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Flags of headers and certificates, which nothing keeps once a run has ended. */
export function withProxySecrets(command: Command, { hidden = false } = {}): Command {
  const options: readonly Option[] = [
    new Option(
      "--header <line>",
      "a header, `name: value`, or @file with a line for each: x-fp-proxy-fwd-<name>, x-fp-proxy-ingress-rule, x-fp-proxy-ingress-content-type; repeatable",
    ).argParser((line: string, earlier: readonly string[] = []) => [...earlier, line]),
    new Option("--client-cert <file>", "client certificate (PEM) for the target; needs --client-key"),
    new Option("--client-key <file>", "its private key (PEM)"),
    new Option("--pin-cert <file>", "certificates (PEM), one of which the target must present"),
  ];
  for (const option of options) command.addOption(option.hideHelp(hidden));
  return command;
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
    .addOption(
      new Option("--method <method>", "HTTP method at the target, unless the row has one").choices(METHODS),
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
    end(await runBulk(terminal, job, flags.requests, options, flags, secrets));
  });
};

export const proxiesCommand: AddCommand = (program, terminal, end) => {
  const proxies = program.command("proxies").description("finish an earlier proxy run");
  const load = async () => (await import("../../jobs/proxy.js")).proxyJob as AnyJob;
  addContinue(proxies, "proxy run", load, terminal, end);
};
