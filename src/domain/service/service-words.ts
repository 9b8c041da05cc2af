/** Words of the service that a deployment may have otherwise (docs/run/configuration.md, "nightledger.yaml"). */
export interface ServiceWords {
  /** What the kinds of the events begin with that are sent to the service. */
  readonly eventPrefix: string;
  /** In the path of the CIP report. */
  readonly cipSegment: string;
}

/** As the contract has them. */
export const CONTRACT_WORDS: ServiceWords = { eventPrefix: "service.", cipSegment: "brokerage" };
