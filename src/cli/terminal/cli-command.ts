import { Command, type ErrorOptions, type Option, type ParseOptionsResult } from "commander";
import { commandLine } from "../../domain/words/texts.js";

/** An option that may be repeated. */
export function gathered(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

/** A command that refuses a flag's second value, and names the typed flag in its errors. */
export class CliCommand extends Command {
  declare private missingMandatoryOptionValue: (option: Option) => void;
  /** commander has both, but declares neither. */
  declare private readonly unknownOption: (flag: string) => void;
  #unknown: readonly string[] = [];

  constructor(name?: string) {
    super(name);
    const { missingMandatoryOptionValue: refuse } = this;
    // A subcommand, such as `import continue`, needs none of its parent's flags.
    this.missingMandatoryOptionValue = (option) => {
      if (!this.commands.some((one) => one.name() === this.args[0])) refuse.call(this, option);
    };
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  override addOption(option: Option): this {
    if ((option.required || option.optional) && !option.variadic && option.parseArg !== gathered)
      this.on(`option:${option.name()}`, () => {
        if (this.getOptionValueSource(option.attributeName()) === "cli")
          this.error(`error: option '${option.flags}' is given more than once; give it once`);
      });
    return super.addOption(option);
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(words);
    this.#unknown = parsed.unknown;
    return parsed;
  }

  override error(message: string, options?: ErrorOptions): never {
    const [flag] = this.#unknown;
    // commander looks for missing flags first; the missing one may be the unknown one, misspelled.
    if (options?.code === "commander.missingMandatoryOptionValue" && flag !== undefined)
      this.unknownOption(flag);
    const line = options?.code === "commander.unknownOption" ? this.#innerLine() : undefined;
    return super.error(
      line === undefined ? message : `error: put -- before the job, as in: -- ${line}`,
      options,
    );
  }

  /** The inner command line, given without `--`. */
  #innerLine(): string | undefined {
    const own = this.registeredArguments.length - 1;
    const hasInner = this.registeredArguments[own]?.variadic && this.args.length - this.#unknown.length > own;
    return hasInner ? commandLine(this.args.slice(own)) : undefined;
  }
}
