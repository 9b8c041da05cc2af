/** Words that deployments have otherwise (docs/run/configuration.md, "nightledger.yaml"). */
export interface ServiceWords {
  /** The prefix of kinds of events. */
  readonly eventPrefix: string;
  /** In the path of the CIP report. */
  readonly cipSegment: string;
}

export const CONTRACT_WORDS: ServiceWords = { eventPrefix: "service.", cipSegment: "brokerage" };
