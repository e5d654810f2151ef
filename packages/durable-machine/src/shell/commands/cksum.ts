import { openOperand, pieces } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { MachineCommand } from "./invocation.ts";

const POLYNOMIAL = 0x04c11db7;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ POLYNOMIAL : value << 1;
  return value;
});

function update(crc: number, byte: number): number {
  return (crc << 8) ^ (TABLE[((crc >>> 24) ^ byte) & 0xff] ?? 0);
}

/** The checksum of POSIX's cksum, over bytes as they come and their number. */
export class Crc {
  #crc = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    let crc = this.#crc;
    for (const byte of bytes) crc = update(crc, byte);
    this.#crc = crc;
    this.#length += bytes.length;
  }

  end(): number {
    let crc = this.#crc;
    // The length does not fit into 32 bits.
    for (let rest = this.#length; rest > 0; rest = Math.floor(rest / 256)) crc = update(crc, rest % 256);
    return ~crc >>> 0;
  }
}

export const cksum: MachineCommand = {
  name: "cksum",
  usage: "cksum [FILE]...",
  async run(invocation) {
    const { operands } = invocation.options([]);
    for (const operand of operands.length === 0 ? ["-"] : operands) {
      try {
        const crc = new Crc();
        for await (const piece of pieces(await openOperand(invocation, operand))) {
          crc.add(piece);
          await invocation.stepBytes(piece.length);
        }
        await invocation.print(`${crc.end()} ${crc.length}${operands.length === 0 ? "" : ` ${operand}`}\n`);
      } catch (error) {
        invocation.complain(`${operand}: ${errorText(error)}`);
      }
    }
  },
};
