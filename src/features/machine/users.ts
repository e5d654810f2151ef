import { ROOT_USER, type User, Users } from "durable-machine";

export const KERNEL_USER: User = { name: "kernel", uid: 1000, gid: 1000, home: "/home/kernel" };

export const USERS = new Users([KERNEL_USER]);

export { ROOT_USER };
