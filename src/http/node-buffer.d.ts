/** Workers' types have no Node modules. */
declare module "node:buffer" {
  export class Buffer extends Uint8Array<ArrayBuffer> {
    static from(text: string): Buffer;
    /** Shares the memory. */
    static from(bytes: ArrayBuffer, offset: number, length: number): Buffer;
    override indexOf(wanted: string | number | Uint8Array, offset?: number): number;
    override toString(encoding?: "utf8", start?: number, end?: number): string;
  }
}
