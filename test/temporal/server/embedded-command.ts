import { acquireEmbeddedServer } from "../../../src/temporal/server/embedded-server.js";

// A command of its own for what one process can't prove. It uses the embedded server of a HOME until its
// standard input ends or says something, then gives it back. Prints a line of JSON after each step.
const [home = "", cliPath = ""] = process.argv.slice(2);
const say = (step: object) => process.stdout.write(`${JSON.stringify(step)}\n`);

const report = (message: string) => say({ report: message });
const server = await acquireEmbeddedServer({ home, cliPath, report }).catch((error: Error) => {
  say({ error: error.message });
  process.exit(1);
});
say({ address: server.address });
await new Promise((resolve) => process.stdin.once("data", resolve).once("end", resolve));
await server.release();
say({ released: true });
process.exit(0);
