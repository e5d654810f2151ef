import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

/** What `uname` says, by its options, in its order. The machine simulates Linux; there is no kernel behind it. */
function systemNames(invocation: Invocation): readonly [letter: string, name: string][] {
  return [
    ["s", "Linux"],
    ["n", invocation.environment.machineName],
    ["r", "6.1.0"],
    ["v", "#1 SMP"],
    ["m", "x86_64"],
    ["p", "unknown"],
    ["i", "unknown"],
    ["o", "GNU/Linux"],
  ];
}

export const uname: MachineCommand = {
  name: "uname",
  usage: "uname [OPTION]...",
  async run(invocation) {
    const options = invocation.options([
      "a,all",
      "s,kernel-name",
      "n,nodename",
      "r,kernel-release",
      "v,kernel-version",
      "m,machine",
      "p,processor",
      "i,hardware-platform",
      "o,operating-system",
    ]);
    const [extra] = options.operands;
    if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    const isDefault = options.given.length === 0;
    const names = systemNames(invocation)
      .filter(([letter, name]) =>
        options.has("a") ? name !== "unknown" : options.has(letter) || (isDefault && letter === "s"),
      )
      .map(([, name]) => name);
    await invocation.print(`${names.join(" ")}\n`);
  },
};

export const hostname: MachineCommand = {
  name: "hostname",
  usage: "hostname [-s|-f|-d|-i|-I]",
  async run(invocation) {
    const options = invocation.options([
      "s,short",
      "f,fqdn",
      ",long",
      "d,domain",
      "i,ip-address",
      "I,all-ip-addresses",
      "a,alias",
    ]);
    if (options.operands.length > 0) {
      throw new UsageError("you must be root to change the host name", { hint: false });
    }
    const { machineName } = invocation.environment;
    if (options.has("d", "a")) return await invocation.print("\n");
    if (options.has("i", "I")) return await invocation.print("127.0.0.1\n");
    await invocation.print(`${options.has("s") ? machineName.split(".", 1)[0] : machineName}\n`);
  },
};

/** Scripts of a machine take turns: none of them gets more than one processor's time. */
const PROCESSORS = 1;

export const nproc: MachineCommand = {
  name: "nproc",
  usage: "nproc [OPTION]...",
  async run(invocation) {
    const options = invocation.options([",all", ",ignore="]);
    const [extra] = options.operands;
    if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
    const ignored = options.value("ignore") ?? "0";
    if (!/^\d+$/.test(ignored))
      throw new UsageError(`invalid number: ${quoteWord(ignored)}`, { hint: false });
    await invocation.print(`${Math.max(1, PROCESSORS - Number(ignored))}\n`);
  },
};

/** What is written is written: there is nothing to wait for but the names that are given. */
export const sync: MachineCommand = {
  name: "sync",
  usage: "sync [OPTION] [FILE]...",
  async run(invocation) {
    for (const operand of invocation.options(["d,data", "f,file-system"]).operands) {
      try {
        invocation.files.status(invocation.path(operand), invocation.credentials);
      } catch (error) {
        invocation.complain(`error opening ${quoteName(operand)}: ${errorText(error)}`);
      }
    }
  },
};

/** One command runs after the other, so that nobody would be there at the other end of a pipe with a name. */
export const mkfifo: MachineCommand = {
  name: "mkfifo",
  usage: "mkfifo NAME...",
  async run(invocation) {
    const { operands } = invocation.options(["m,mode="]);
    if (operands.length === 0) throw new UsageError("missing operand");
    for (const operand of operands) {
      invocation.complain(
        `cannot create fifo ${quoteName(operand)}: Operation not supported on this machine`,
      );
    }
  },
};
