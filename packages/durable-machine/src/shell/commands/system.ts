import type { User, Users } from "../../users.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { quoteWord } from "./quoting.ts";
import { humanSize } from "./sizes.ts";
import { formatTable } from "./tables.ts";

function describeUser({ uid, gid, name }: User, users: Users): string {
  const groupName = users.groupName(gid);
  const group = groupName === String(gid) ? groupName : `${gid}(${groupName})`;
  return `uid=${uid}(${name}) gid=${group} groups=${group}`;
}

function findUsers(invocation: Invocation, operands: readonly string[]): User[] {
  const { users, user } = invocation.environment;
  if (operands.length === 0) return [user];
  return operands.flatMap((operand) => {
    const found = users.find(operand);
    if (found === undefined) invocation.complain(`${quoteWord(operand)}: no such user`);
    return found ?? [];
  });
}

export const id: MachineCommand = {
  name: "id",
  usage: "id [OPTION]... [USER]...",
  async run(invocation) {
    const { users } = invocation.environment;
    const options = invocation.options("g,group G,groups n,name r,real u,user");
    const choice = options.last("u", "g", "G");
    for (const user of findUsers(invocation, options.operands)) {
      const [number, name] = choice === "u" ? [user.uid, user.name] : [user.gid, users.groupName(user.gid)];
      const chosen = options.has("n") ? name : number;
      await invocation.print(`${choice === undefined ? describeUser(user, users) : chosen}\n`);
    }
  },
};

export const whoami: MachineCommand = {
  name: "whoami",
  async run(invocation) {
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

export const uname: MachineCommand = {
  name: "uname",
  async run(invocation) {
    // The machine simulates Linux without a kernel.
    const names: Record<string, string> = {
      "s,kernel-name": "Linux",
      "n,nodename": invocation.environment.machineName,
      "r,kernel-release": "6.1.0",
      "v,kernel-version": "#1 SMP",
      "m,machine": "x86_64",
      "p,processor": "unknown",
      "i,hardware-platform": "unknown",
      "o,operating-system": "GNU/Linux",
    };
    const options = invocation.options(["a,all", ...Object.keys(names)]);
    const shown = Object.entries(names).filter(([option, name]) =>
      options.has("a") ? name !== "unknown" : options.has(option.charAt(0)),
    );
    await invocation.print(`${shown.map(([, name]) => name).join(" ") || "Linux"}\n`);
  },
};

export const hostname: MachineCommand = {
  name: "hostname",
  async run(invocation) {
    const options = invocation.options("s,short f,fqdn i,ip-address I,all-ip-addresses");
    const { machineName } = invocation.environment;
    const name = options.has("s") ? machineName.replace(/\..*/, "") : machineName;
    await invocation.print(`${options.has("i", "I") ? "127.0.0.1" : name}\n`);
  },
};

/** The scripts of a machine take turns on a single processor. */
export const nproc: MachineCommand = {
  name: "nproc",
  async run(invocation) {
    invocation.options(",all ,ignore=");
    await invocation.print("1\n");
  },
};

/** Writes are durable when they return, so nothing is left to be synchronized. */
export const sync: MachineCommand = {
  name: "sync",
  async run(invocation) {
    invocation.options("d,data f,file-system");
  },
};

export const df: MachineCommand = {
  name: "df",
  async run(invocation) {
    const options = invocation.options("a,all h,human-readable k l,local P,portability T,print-type");
    const { usedBytes, quotaBytes } = invocation.files.usage();
    const freeBytes = Math.max(0, quotaBytes - usedBytes);
    const usedPercent = quotaBytes === 0 ? "-" : `${Math.ceil((100 * usedBytes) / (usedBytes + freeBytes))}%`;

    const isHuman = options.last("h", "k") === "h";
    const size = (bytes: number) => (isHuman ? humanSize(bytes) : String(Math.ceil(bytes / 1024)));
    const blocks = options.has("P") ? "1024-blocks" : "1K-blocks";
    const sizes = isHuman ? ["Size", "Used", "Avail"] : [blocks, "Used", "Available"];
    const { machineName } = invocation.environment;
    const row = [machineName, size(quotaBytes), size(usedBytes), size(freeBytes), usedPercent, "/"];
    const rows = [["Filesystem", ...sizes, options.has("P") ? "Capacity" : "Use%", "Mounted on"]];

    for (const operand of options.operands) {
      try {
        invocation.files.status(invocation.path(operand), invocation.credentials);
        rows.push(row);
      } catch (error) {
        invocation.complain(`${operand}: ${errorText(error)}`);
      }
    }
    if (options.operands.length === 0) rows.push(row);
    if (rows.length === 1) return;
    const withType = rows.map((each, index) => each.toSpliced(1, 0, index === 0 ? "Type" : machineName));
    const table = options.has("T") ? withType : rows;
    await invocation.print(formatTable(table, options.has("T") ? "<<>>>><" : "<>>>><", [14, 5, 5, 5, 4]));
  },
};
