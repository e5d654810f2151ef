import type { MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** @throws UsageError */
export function refuseOperands([extra]: readonly string[]): void {
  if (extra !== undefined) throw new UsageError(`extra operand ${quoteWord(extra)}`);
}

export const uname: MachineCommand = {
  name: "uname",
  usage: "uname [OPTION]...",
  async run(invocation) {
    // The machine simulates Linux; there is no kernel behind it.
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
    refuseOperands(options.operands);
    const shown = Object.entries(names).filter(([option, name]) =>
      options.has("a") ? name !== "unknown" : options.has(option.charAt(0)),
    );
    await invocation.print(`${shown.map(([, name]) => name).join(" ") || "Linux"}\n`);
  },
};

export const hostname: MachineCommand = {
  name: "hostname",
  usage: "hostname [-s|-f|-i|-I]",
  async run(invocation) {
    const options = invocation.options(["s,short", "f,fqdn", "i,ip-address", "I,all-ip-addresses"]);
    refuseOperands(options.operands);
    const { machineName } = invocation.environment;
    const name = options.has("s") ? machineName.replace(/\..*/, "") : machineName;
    await invocation.print(`${options.has("i", "I") ? "127.0.0.1" : name}\n`);
  },
};

/** Scripts of a machine take turns: none of them gets more than one processor's time. */
export const nproc: MachineCommand = {
  name: "nproc",
  usage: "nproc [OPTION]...",
  async run(invocation) {
    refuseOperands(invocation.options([",all", ",ignore="]).operands);
    await invocation.print("1\n");
  },
};

/** What is written is written: there is nothing to wait for. */
export const sync: MachineCommand = {
  name: "sync",
  usage: "sync [OPTION] [FILE]...",
  async run(invocation) {
    invocation.options(["d,data", "f,file-system"]);
  },
};
