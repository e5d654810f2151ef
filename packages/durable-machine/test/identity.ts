import { credentialsOf, type User, Users } from "../src/users.ts";

/** The ordinary user of the machines that tests run. */
export const KERNEL_USER: User = { name: "kernel", uid: 1000, gid: 1000, home: "/home/kernel" };

export const KERNEL = credentialsOf(KERNEL_USER);

export const IDENTITY = { name: "machine", users: new Users([KERNEL_USER]) };

/** Failures that tests bring about on purpose are only printed. */
export function onError(event: string, error: unknown): void {
  console.error(event, error);
}
