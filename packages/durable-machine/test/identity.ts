import { credentialsOf, type User, Users } from "../src/users.ts";

export const KERNEL_USER: User = { name: "kernel", uid: 1000, gid: 1000, home: "/home/kernel" };

export const KERNEL = credentialsOf(KERNEL_USER);

export const IDENTITY = { name: "machine", users: new Users([KERNEL_USER]) };

/** Prints errors, which some tests cause on purpose. */
export function onError(event: string, error: unknown): void {
  console.error(event, error);
}
