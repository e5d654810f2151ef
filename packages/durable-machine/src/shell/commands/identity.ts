import type { User, Users } from "../../users.ts";
import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
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

export const id: MachineCommand = {
  name: "id",
  usage: "id [OPTION]... [USER]...",
  async run(invocation) {
    const { users, user: self } = invocation.environment;
    const options = invocation.options(["g,group", "G,groups", "n,name", "r,real", "u,user"]);
    const [choice, extra] = ["u", "g", "G"].filter((key) => options.has(key));
    if (extra !== undefined)
      throw new UsageError('cannot print "only" of more than one choice', { hint: false });
    if (choice === undefined && options.has("n", "r")) {
      throw new UsageError("cannot print only names or real IDs in default format", { hint: false });
    }
    const print = async (user: User) => {
      const [number, name] = choice === "u" ? [user.uid, user.name] : [user.gid, users.groupName(user.gid)];
      const chosen = options.has("n") ? name : number;
      await invocation.print(`${choice === undefined ? describe(user, users) : chosen}\n`);
    };
    if (options.operands.length === 0) await print(self);
    for (const operand of options.operands) {
      const user = users.find(operand);
      if (user) await print(user);
      else invocation.complain(`${quoteWord(operand)}: no such user`);
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
    const { users, user: self } = invocation.environment;
    const { operands } = invocation.options([]);
    if (operands.length === 0) await invocation.print(`${users.groupName(self.gid)}\n`);
    for (const operand of operands) {
      const user = users.find(operand);
      if (user) await invocation.print(`${operand} : ${users.groupName(user.gid)}\n`);
      else invocation.complain(`${quoteWord(operand)}: no such user`);
    }
  },
};
