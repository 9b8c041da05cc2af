/** What a call that must not take effect twice records before it may leave. */
export interface SendIntent {
  /** Records the intent once the call may start, again where it had to queue again. If it throws, nothing is sent. */
  declare(): Promise<void>;
  /** Asked right before the first byte leaves; a call whose intent no longer holds queues again. */
  holds(): boolean;
  /**
   * Whether the intent may be declared while the call still waits, so that others use the connection meanwhile:
   * possible where an intent that was never sent does no harm.
   */
  readonly early: boolean;
}
