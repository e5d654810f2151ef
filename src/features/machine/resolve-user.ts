import type { User } from "durable-machine";
import { KERNEL_USER, ROOT_USER, USERS } from "./users.ts";

export class UnknownUserError extends Error {
  override readonly name = "UnknownUserError";
}

/** Resolves `name`, `uid`, `name:gid` or `uid:gid`. @throws UnknownUserError */
export function resolveUser({ asUser, asRoot }: { asUser?: string; asRoot: boolean }): User {
  if (asRoot) return ROOT_USER;
  if (asUser === undefined || asUser === "") return KERNEL_USER;
  const [name = "", group] = asUser.split(/:(.*)/s);
  const user = USERS.find(name);
  if (user === undefined) {
    const kind = /^\d+$/.test(name) ? "userid" : "user";
    throw new UnknownUserError(`failed to lookup user "${name}": user: unknown ${kind} ${name}`);
  }
  if (group === undefined) return user;
  if (!/^\d{1,9}$/.test(group)) throw new UnknownUserError(`gid override must be numeric, got "${group}"`);
  return { ...user, gid: Number(group) };
}
