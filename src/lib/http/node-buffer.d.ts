/** The used part of `node:buffer`. The types of workerd lack Node's modules. */
declare module "node:buffer" {
  type Encoding = "utf8" | "latin1" | "hex" | "base64";

  export class Buffer extends Uint8Array<ArrayBuffer> {
    static from(text: string, encoding?: Encoding): Buffer;
    static from(bytes: Uint8Array): Buffer;
    /** The same bytes, not a copy. */
    static from(bytes: ArrayBuffer, offset: number, length: number): Buffer;
    static concat(parts: readonly Uint8Array[]): Buffer;
    override indexOf(wanted: string | number | Uint8Array, offset?: number): number;
    override toString(encoding?: Encoding, start?: number, end?: number): string;
  }
}
