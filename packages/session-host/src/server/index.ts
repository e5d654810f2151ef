export { findObstacle, HAS_USERS } from "../sandbox/sandbox.ts";
export { Machines } from "./machines.ts";
export { HostServer } from "./server.ts";
