import { writeFile } from "node:fs/promises";
import type { World } from "../world/world.js";

/** The users of a world as a roster: CSV with the columns `fp_id,external_id`. */
export function rosterCsv(world: World): string {
  const lines = [...world.users.values()].map(
    (user) => `${field(user.fpId)},${field(user.externalId ?? "")}\n`,
  );
  return `fp_id,external_id\n${lines.join("")}`;
}

/** Writes the roster of a world to a file. */
export async function writeRoster(world: World, file: string): Promise<void> {
  await writeFile(file, rosterCsv(world));
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
