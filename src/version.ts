/** Version of this program, as package.json has it: in `runs.version` and the client's user agent. */
export const VERSION = "0.1.0";
