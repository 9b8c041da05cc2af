import type { CodecFlags } from "../local/codec.js";
import { type AddCommand, examples } from "./command.js";
import { portNumber } from "./option-values.js";

export const codecCommand: AddCommand = (program, terminal) => {
  const codec = program.command("codec").description("let Temporal's web UI and CLI show what is encrypted");
  codec
    .command("serve")
    .description("serve Temporal's codec protocol with the deployment's keys until stopped")
    .option("--port <number>", "port to listen on; 0 picks a free one", portNumber, 8789)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .requiredOption("--origin <url...>", "the web UI: the only pages that may ask")
    .addHelpText("after", examples("nightledger codec serve --origin http://127.0.0.1:8080"))
    .action(async (flags: CodecFlags) => {
      const { serveCodec } = await import("../local/codec.js");
      await serveCodec(terminal, flags);
    });
};
