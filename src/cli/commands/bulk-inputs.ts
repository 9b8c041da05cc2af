import { type Command, Option } from "commander";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import { KINDS } from "../../jobs/kinds/index.js";
import { declaredOptions, type Flags, readDeclared } from "./declared-options.js";

/** What a retry is given again, by the kind that declares it: nothing keeps it once a run has ended. */
const AGAIN = KINDS.flatMap(({ kind, inputs }) => {
  if (inputs === undefined) return [];
  const options = declaredOptions(inputs).flatMap(({ option, meta: { ofRows } }) => (ofRows ? [] : [option]));
  return [{ kind, inputs, options }];
});

/** Adds to the retry of runs the inputs of every kind. */
export function withInputsAgain(command: Command): Command {
  for (const { options } of AGAIN) {
    for (const { flags, description, parseArg } of options) {
      const option = new Option(flags, `again, as the run was given it: ${description}`);
      command.addOption(parseArg === undefined ? option : option.argParser(parseArg));
    }
  }
  return command;
}

/** What flags give again to a run of a kind, and the options for that. @throws InputError for those of another kind. */
export function inputsAgain(
  kind: string,
  flags: Flags,
  cwd: string,
): { readonly inputs: BulkOptions; readonly named: readonly string[] } {
  const own = AGAIN.find((one) => one.kind === kind);
  const isGiven = (option: Option) => flags[option.attributeName()] !== undefined;
  const foreign = AGAIN.flatMap((one) => (one === own ? [] : one.options)).find(isGiven);
  if (foreign !== undefined)
    throw new InputError(`${foreign.long} is not for a run of ${kind}. Nothing was started. Leave it out.`);
  if (own === undefined) return { inputs: {}, named: [] };
  return {
    inputs: readDeclared(own.inputs, flags, cwd),
    named: own.options.map(({ long }) => long ?? ""),
  };
}
