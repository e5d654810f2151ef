import { inflateRawSync } from "node:zlib";

const END_SIGNATURE = 0x06054b50;
const DEFLATED = 8;

export interface UnzippedEntry {
  /** Without a slash at its end. */
  path: string;
  /** With the bits of the type. */
  mode: number;
  content: Buffer;
}

/** What a zip holds, read without any of the code that is tested. */
export function readZip(zip: Buffer): UnzippedEntry[] {
  const end = zip.lastIndexOf(Buffer.from(Uint32Array.of(END_SIGNATURE).buffer));
  const entries: UnzippedEntry[] = [];
  let place = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = zip.readUInt16LE(place + 28);
    const name = zip.subarray(place + 46, place + 46 + nameLength).toString();
    const mode = zip.readUInt32LE(place + 38) >>> 16;
    entries.push({ path: name.replace(/\/$/, ""), mode, content: readContent(zip, place) });
    place += 46 + nameLength + zip.readUInt16LE(place + 30) + zip.readUInt16LE(place + 32);
  }
  return entries;
}

/** @param record where the directory's record of the entry is. */
function readContent(zip: Buffer, record: number): Buffer {
  const header = zip.readUInt32LE(record + 42);
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const packed = zip.subarray(start, start + zip.readUInt32LE(record + 20));
  return zip.readUInt16LE(record + 10) === DEFLATED ? inflateRawSync(packed) : packed;
}
