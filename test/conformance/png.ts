import { inflateSync } from "node:zlib";

const SIGNATURE = "89504e470d0a1a0a";
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 6: 4 };

export interface Picture {
  width: number;
  height: number;
  /** @returns the pixel's color, such as "#0b57d0". */
  pixel(x: number, y: number): string;
}

interface FilteredImage {
  width: number;
  height: number;
  channels: number;
  /** Each row is a filter byte followed by filtered pixels. */
  rows: Buffer;
}

/** @returns the size of a PNG whose pixel data has been checked against it. */
export function decodedSize(png: Buffer): { width: number; height: number } {
  const { width, height } = inflate(png);
  return { width, height };
}

export function decodePicture(png: Buffer): Picture {
  const { width, height, channels, rows } = inflate(png);
  const pixels = unfilter(rows, width * channels, channels);
  return {
    width,
    height,
    pixel(x, y) {
      if (x < 0 || y < 0 || x >= width || y >= height) throw new Error(`(${x}, ${y}) is outside the picture`);
      const offset = (y * width + x) * channels;
      const gray = pixels.toString("hex", offset, offset + 1);
      return `#${channels < 3 ? gray.repeat(3) : pixels.toString("hex", offset, offset + 3)}`;
    },
  };
}

function inflate(png: Buffer): FilteredImage {
  if (png.subarray(0, 8).toString("hex") !== SIGNATURE) throw new Error("not a PNG");
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = CHANNELS[png.readUInt8(25)];
  if (png.readUInt8(24) !== 8 || channels === undefined)
    throw new Error("unsupported PNG color type or bit depth");
  const data: Buffer[] = [];
  for (let offset = 8; offset < png.length; ) {
    const length = png.readUInt32BE(offset);
    const type = png.subarray(offset + 4, offset + 8).toString("latin1");
    if (type === "IDAT") data.push(png.subarray(offset + 8, offset + 8 + length));
    offset += length + 12;
  }
  const rows = inflateSync(Buffer.concat(data));
  if (rows.length !== (1 + width * channels) * height) {
    throw new Error("PNG data does not match its dimensions");
  }
  return { width, height, channels, rows };
}

/** Reverses the row filters of PNG. */
function unfilter(rows: Buffer, rowLength: number, channels: number): Buffer {
  const height = rows.length / (rowLength + 1);
  const pixels = Buffer.alloc(rowLength * height);
  for (let row = 0; row < height; row += 1) {
    const source = row * (rowLength + 1);
    const filter = rows[source];
    const target = row * rowLength;
    for (let index = 0; index < rowLength; index += 1) {
      const left = index < channels ? 0 : (pixels[target + index - channels] ?? 0);
      const above = row === 0 ? 0 : (pixels[target + index - rowLength] ?? 0);
      const corner = row === 0 || index < channels ? 0 : (pixels[target + index - rowLength - channels] ?? 0);
      pixels[target + index] = (rows[source + 1 + index] ?? 0) + predict(filter, left, above, corner);
    }
  }
  return pixels;
}

function predict(filter: number | undefined, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const estimate = left + above - corner;
  const toLeft = Math.abs(estimate - left);
  const toAbove = Math.abs(estimate - above);
  const toCorner = Math.abs(estimate - corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
