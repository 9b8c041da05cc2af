/** What a group knows of one link when its reading starts. Staged, so that no history holds ids in bulk. */
export interface PlannedLink {
  readonly link_id: string;
  readonly fp_id: string;
  /** Why the link is not read; null for a connected one. */
  readonly obstacle: string | null;
  readonly base: LinkBaseState | null;
}

/** The committed state that a link's pages start from. */
export interface LinkBaseState {
  readonly cursor: string | null;
  readonly generation: number;
  readonly next_sequence: number;
  readonly head: string;
  readonly last_page_sha256: string | null;
}

/** The links of a group of users, by index; written once and never changed. */
export interface GroupPlan {
  readonly links: readonly PlannedLink[];
  /** When the group began to read links: `link_syncs.started_at`. */
  readonly started_at: string;
}

/** Names the work of one group: whose run, which group, which staged documents. */
export interface GroupRef {
  readonly runId: string;
  /** `g12`; names the group's files and its commits. */
  readonly group: string;
  /** Staged name of the plan. */
  readonly plan: string;
}
