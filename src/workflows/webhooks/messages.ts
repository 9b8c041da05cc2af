import { defineSignal } from "@temporalio/workflow";
import { EVENTS_SIGNAL, type EventReceipt, FOLLOW_UP_SIGNAL } from "../../domain/webhooks/messages.js";

/** Says that webhooks are staged; an empty list asks to take those that earlier receivers left. */
export const eventsReceived = defineSignal<[readonly EventReceipt[]]>(EVENTS_SIGNAL);
/** Says that follow-ups of bank links are staged. */
export const followUpAsked = defineSignal(FOLLOW_UP_SIGNAL);
