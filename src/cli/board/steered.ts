import { chip, code, joined, type Markup, paragraph, preformatted } from "../../pages/parts.js";
import type { SteeredCommand } from "./steer.js";

/** What became of a command that somebody gave. */
export function steeredBody({ command, code: exit, said }: SteeredCommand): Markup {
  const outcome =
    exit === null
      ? chip("still running", "note")
      : exit === 0
        ? chip("done", "good")
        : chip(`exit code ${exit}`, "bad");
  return joined(
    paragraph(joined(outcome, " ", code(command)), "lead"),
    said === "" ? null : preformatted(said),
    exit === null ? paragraph("It follows a run; Tonight shows how far the run is.") : null,
  );
}
