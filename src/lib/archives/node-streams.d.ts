/** The types of the platform do not include Node's modules. */
declare module "node:zlib" {
  export interface Transform extends AsyncIterable<Uint8Array<ArrayBuffer>> {
    destroy(): void;
  }
  export function createDeflateRaw(options: { chunkSize: number }): Transform;
  export function createInflateRaw(options: { chunkSize: number }): Transform;
  export function createGunzip(options: { chunkSize: number }): Transform;
  export function deflateRawSync(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
  export function inflateRawSync(
    bytes: Uint8Array,
    options: { maxOutputLength: number },
  ): Uint8Array<ArrayBuffer>;
  /** @param value the checksum of the preceding bytes. */
  export function crc32(bytes: Uint8Array, value?: number): number;
}

declare module "node:stream" {
  import type { Transform } from "node:zlib";
  export function pipeline(
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    transform: Transform,
    done: (error: unknown) => void,
  ): Transform;
}
