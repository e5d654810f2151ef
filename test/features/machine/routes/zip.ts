import { inflateRawSync } from "node:zlib";

const END_SIGNATURE = 0x06054b50;
const DEFLATED = 8;

export interface UnzippedEntry {
  /** Without a trailing slash. */
  path: string;
  /** Including the file type bits. */
  mode: number;
  content: Buffer;
}

/** Reads a zip independently of the tested code. */
export function readZip(zip: Buffer): UnzippedEntry[] {
  const end = zip.lastIndexOf(Buffer.from(Uint32Array.of(END_SIGNATURE).buffer));
  const entries: UnzippedEntry[] = [];
  let offset = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = zip.readUInt16LE(offset + 28);
    const name = zip.subarray(offset + 46, offset + 46 + nameLength).toString();
    const mode = zip.readUInt32LE(offset + 38) >>> 16;
    entries.push({ path: name.replace(/\/$/, ""), mode, content: readContent(zip, offset) });
    offset += 46 + nameLength + zip.readUInt16LE(offset + 30) + zip.readUInt16LE(offset + 32);
  }
  return entries;
}

/** @param record offset of the entry's central directory record. */
function readContent(zip: Buffer, record: number): Buffer {
  const header = zip.readUInt32LE(record + 42);
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const packed = zip.subarray(start, start + zip.readUInt32LE(record + 20));
  return zip.readUInt16LE(record + 10) === DEFLATED ? inflateRawSync(packed) : packed;
}
