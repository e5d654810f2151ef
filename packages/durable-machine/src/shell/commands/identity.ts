import type { User, Users } from "../../users.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { quoteWord } from "./quoting.ts";
import { refuseOperands } from "./system.ts";

/** A number and what it is called; a number that nobody has is called nothing. */
function named(id: number, name: string): string {
  return name === String(id) ? name : `${id}(${name})`;
}

function describe({ uid, gid, name }: User, users: Users): string {
  const group = named(gid, users.groupName(gid));
  return `uid=${named(uid, name)} gid=${group} groups=${group}`;
}

/** The users of the operands, without any the one who asks. Names that nobody has are complained of. */
function findUsers(invocation: Invocation, operands: readonly string[]): User[] {
  const { users, user: self } = invocation.environment;
  if (operands.length === 0) return [self];
  return operands.flatMap((operand) => {
    const user = users.find(operand);
    if (user === undefined) invocation.complain(`${quoteWord(operand)}: no such user`);
    return user ?? [];
  });
}

export const id: MachineCommand = {
  name: "id",
  usage: "id [OPTION]... [USER]...",
  async run(invocation) {
    const { users } = invocation.environment;
    const options = invocation.options(["g,group", "G,groups", "n,name", "r,real", "u,user"]);
    const choice = options.last("u", "g", "G");
    for (const user of findUsers(invocation, options.operands)) {
      const [number, name] = choice === "u" ? [user.uid, user.name] : [user.gid, users.groupName(user.gid)];
      const chosen = options.has("n") ? name : number;
      await invocation.print(`${choice === undefined ? describe(user, users) : chosen}\n`);
    }
  },
};

export const whoami: MachineCommand = {
  name: "whoami",
  usage: "whoami [OPTION]...",
  async run(invocation) {
    refuseOperands(invocation.options([]).operands);
    await invocation.print(`${invocation.environment.user.name}\n`);
  },
};

export const groups: MachineCommand = {
  name: "groups",
  usage: "groups [USERNAME]...",
  async run(invocation) {
    const { operands } = invocation.options([]);
    for (const { name, gid } of findUsers(invocation, operands)) {
      const group = invocation.environment.users.groupName(gid);
      await invocation.print(operands.length === 0 ? `${group}\n` : `${name} : ${group}\n`);
    }
  },
};
