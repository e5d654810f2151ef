/** `linux`: a sandbox on a session host. */
export const MACHINES = ["simulated", "linux"] as const;

export type MachineKind = (typeof MACHINES)[number];
