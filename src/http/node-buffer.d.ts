/** The part of `node:buffer` that is used; the platform's types have none of Node's modules. */
declare module "node:buffer" {
  export class Buffer extends Uint8Array<ArrayBuffer> {
    static from(text: string, encoding?: "utf8" | "hex" | "latin1"): Buffer;
    /** The same bytes, not a copy. */
    static from(bytes: ArrayBuffer, offset: number, length: number): Buffer;
    static concat(parts: readonly Uint8Array[]): Buffer;
    override indexOf(wanted: string | number | Uint8Array, offset?: number): number;
    override toString(encoding?: "utf8" | "latin1", start?: number, end?: number): string;
  }
}
