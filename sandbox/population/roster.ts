import type { World } from "../world/world.js";

/** The users of a world as a roster: CSV with the columns `fp_id,external_id`. */
export function rosterCsv(world: World): string {
  const lines = [...world.users.values()].map(
    (user) => `${field(user.fpId)},${field(user.externalId ?? "")}\n`,
  );
  return `fp_id,external_id\n${lines.join("")}`;
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
