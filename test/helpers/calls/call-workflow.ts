// What a worker of the calls alone finds by its path.
export { callService } from "../../../src/workflows/calls/call-service.js";
