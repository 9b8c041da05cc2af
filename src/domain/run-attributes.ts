/** Search attributes of Temporal that the runs of jobs carry, each a keyword; nothing in them is personal. */
export const RUN_ATTRIBUTES = {
  kind: "NightledgerKind",
  status: "NightledgerStatus",
  schedule: "NightledgerSchedule",
} as const;
