/** The part of `node:zlib` that is used; the platform's types have none of Node's modules. */
declare module "node:zlib" {
  /** A stream that bytes are written to, and others come out of. */
  export interface Transform extends AsyncIterable<Uint8Array<ArrayBuffer>> {
    destroy(): void;
  }
  export function createDeflateRaw(options: { chunkSize: number }): Transform;
  export function createInflateRaw(options: { chunkSize: number }): Transform;
  export function deflateRawSync(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
  /** @throws Error where more than `maxOutputLength` bytes come out. */
  export function inflateRawSync(
    bytes: Uint8Array,
    options: { maxOutputLength: number },
  ): Uint8Array<ArrayBuffer>;
  /** @param value of what comes before these bytes. */
  export function crc32(bytes: Uint8Array, value?: number): number;
}

declare module "node:stream" {
  import type { Transform } from "node:zlib";
  export function pipeline(
    source: AsyncIterable<Uint8Array>,
    transform: Transform,
    done: (error: unknown) => void,
  ): Transform;
}
