import { ROOT_USER, type User, Users } from "durable-machine";

/** The user that processes run as unless they are told otherwise. */
export const KERNEL_USER: User = { name: "kernel", uid: 1000, gid: 1000, home: "/home/kernel" };

/** The users of every session's machine. */
export const USERS = new Users([KERNEL_USER]);

export { ROOT_USER };
