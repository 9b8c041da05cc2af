export { sync } from "./sync.js";
export { syncGroup } from "./sync-group.js";
