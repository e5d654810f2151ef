import { inflateSync } from "node:zlib";

const SIGNATURE = "89504e470d0a1a0a";
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 6: 4 };

/** Size of a PNG, taken from its decoded pixels. */
export function decodedSize(png: Buffer): { width: number; height: number } {
  if (png.subarray(0, 8).toString("hex") !== SIGNATURE) throw new Error("not a PNG");
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = CHANNELS[png.readUInt8(25)];
  if (png.readUInt8(24) !== 8 || channels === undefined) throw new Error("a kind of PNG nobody expected");
  const data: Buffer[] = [];
  for (let offset = 8; offset < png.length; ) {
    const length = png.readUInt32BE(offset);
    const type = png.subarray(offset + 4, offset + 8).toString("latin1");
    if (type === "IDAT") data.push(png.subarray(offset + 8, offset + 8 + length));
    offset += length + 12;
  }
  // Each row has a byte for its filter before its pixels.
  const rowBytes = 1 + width * channels;
  const pixels = inflateSync(Buffer.concat(data));
  if (pixels.length !== rowBytes * height) throw new Error("the pixels do not fill the size it claims");
  return { width, height };
}
