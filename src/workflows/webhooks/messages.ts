import { defineSignal } from "@temporalio/workflow";
import { EVENTS_SIGNAL, type EventReceipt, FOLLOW_UP_SIGNAL } from "../../domain/webhooks/messages.js";

/** Webhooks are staged; an empty list asks to look at what earlier receivers left. */
export const eventsReceived = defineSignal<[readonly EventReceipt[]]>(EVENTS_SIGNAL);
/** Follow-ups of bank links are staged. */
export const followUpAsked = defineSignal(FOLLOW_UP_SIGNAL);
