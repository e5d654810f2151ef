import type { User, Users } from "../../users.ts";
import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

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
    const { users } = invocation.environment;
    const options = invocation.options(["a", "g,group", "G,groups", "n,name", "r,real", "u,user", "z,zero"]);
    const chosen = ["u", "g", "G"].filter((key) => options.has(key));
    const [choice] = chosen;
    if (chosen.length > 1) {
      throw new UsageError('cannot print "only" of more than one choice', { hint: false });
    }
    if (choice === undefined && options.has("n", "r")) {
      throw new UsageError("cannot print only names or real IDs in default format", { hint: false });
    }
    if (choice === undefined && options.has("z")) {
      throw new UsageError("option --zero not permitted in default format", { hint: false });
    }
    const operands = options.operands.length === 0 ? [undefined] : options.operands;
    for (const operand of operands) {
      const user = operand === undefined ? invocation.environment.user : users.find(operand);
      if (user === undefined) {
        invocation.complain(`${quoteWord(operand ?? "")}: no such user`);
        continue;
      }
      const [number, name] = choice === "u" ? [user.uid, user.name] : [user.gid, users.groupName(user.gid)];
      const text = choice === undefined ? describe(user, users) : options.has("n") ? name : String(number);
      await invocation.print(`${text}${options.has("z") ? "\0" : "\n"}`);
    }
  },
};

export const whoami: MachineCommand = {
  name: "whoami",
  usage: "whoami [OPTION]...",
  async run(invocation) {
    const [extra] = invocation.options([]).operands;
    if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    await invocation.print(`${invocation.environment.user.name}\n`);
  },
};

export const groups: MachineCommand = {
  name: "groups",
  usage: "groups [OPTION]... [USERNAME]...",
  async run(invocation) {
    const { users } = invocation.environment;
    const { operands } = invocation.options([]);
    if (operands.length === 0)
      return await invocation.print(`${users.groupName(invocation.environment.user.gid)}\n`);
    for (const operand of operands) {
      const user = users.find(operand);
      if (user) await invocation.print(`${operand} : ${users.groupName(user.gid)}\n`);
      else invocation.complain(`${quoteWord(operand)}: no such user`);
    }
  },
};
