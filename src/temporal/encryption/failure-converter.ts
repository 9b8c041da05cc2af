// No TypeScript-only syntax in this file: the SDK loads it by path with `require`, under vitest from the source.
import { DefaultFailureConverter } from "@temporalio/common";

/**
 * Moves a failure's message and stack into a payload, which the codec encrypts. Its `type` stays readable.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
