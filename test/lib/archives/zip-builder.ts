/** Header fields of an entry; each one left out is derived from the content. */
export interface BuiltEntry {
  name: string | Uint8Array;
  content?: string | Uint8Array;
  /** The compressed bytes; the content by default. */
  packed?: Uint8Array;
  method?: number;
  flags?: number;
  /** The system that made the entry: 0 is Windows, 3 is Unix. */
  host?: number;
  /** Includes the file type bits. */
  mode?: number;
  checksum?: number;
  size?: number;
  compressedSize?: number;
  dosTime?: number;
  /** Extra fields of the directory record. */
  extra?: Uint8Array;
  /** The offset given in the directory. */
  offset?: number;
  /** Writes only the directory record, for an entry that exists already. */
  isReference?: boolean;
}

export interface BuiltEnd {
  entries?: number;
  size?: number;
  offset?: number;
  disk?: number;
  comment?: string;
  /** Bytes between the directory and the end record. */
  gap?: Uint8Array;
}

type Field = [width: number, value: number];

/** Builds a zip without any of the code under test. */
export function buildZip(entries: BuiltEntry[], end: BuiltEnd = {}): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  for (const entry of entries) {
    const name = toBytes(entry.name);
    const content = toBytes(entry.content ?? "");
    const packed = entry.packed ?? content;
    const mode = entry.mode ?? (name.at(-1) === 0x2f ? 0o040755 : 0o100644);
    const fields: Field[] = [
      [2, entry.flags ?? 0x0800],
      [2, entry.method ?? 0],
      [4, entry.dosTime ?? 0x58a63905],
      [4, entry.checksum ?? crc32(content)],
      [4, entry.compressedSize ?? packed.length],
      [4, entry.size ?? content.length],
      [2, name.length],
    ];
    const extra = entry.extra ?? new Uint8Array();
    directory.push(
      pack(
        [4, 0x02014b50],
        [1, 63],
        [1, entry.host ?? 3],
        [2, 20],
        ...fields,
        [2, extra.length],
        [2, 0],
        [2, 0],
      ),
      pack([2, 0], [2, 0], [2, mode], [4, entry.offset ?? lengthOf(parts)]),
      name,
      extra,
    );
    if (!entry.isReference) parts.push(pack([4, 0x04034b50], [2, 20], ...fields, [2, 0]), name, packed);
  }
  const offset = lengthOf(parts);
  const comment = toBytes(end.comment ?? "");
  return concatenate(
    ...parts,
    ...directory,
    end.gap ?? new Uint8Array(),
    pack([4, 0x06054b50], [2, end.disk ?? 0], [2, end.disk ?? 0]),
    pack([2, end.entries ?? entries.length], [2, end.entries ?? entries.length]),
    pack([4, end.size ?? lengthOf(directory)], [4, end.offset ?? offset], [2, comment.length]),
    comment,
  );
}

/** A zip64 end record with its locator, for `gap`. */
export function zip64End(entries: number, size: number, offset: number): Uint8Array<ArrayBuffer> {
  return pack(
    [4, 0x06064b50],
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, entries],
    [8, entries],
    [8, size],
    [8, offset],
    [4, 0x07064b50],
    [4, 0],
    [8, offset + size],
    [4, 1],
  );
}

export function extraField(kind: number, ...fields: Field[]): Uint8Array<ArrayBuffer> {
  const content = pack(...fields);
  return concatenate(pack([2, kind], [2, content.length]), content);
}

export async function deflate(content: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([content]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** Packs little-endian numbers. */
function pack(...fields: Field[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    fields.flatMap(([width, value]) =>
      Array.from({ length: width }, (_, index) => Math.floor(value / 256 ** index) % 256),
    ),
  );
}

export function concatenate(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(lengthOf(parts));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value >>> 0;
}

function lengthOf(parts: Uint8Array[]): number {
  return parts.reduce((length, part) => length + part.length, 0);
}

function toBytes(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}
