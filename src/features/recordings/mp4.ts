import { concatenate } from "../../lib/common/concatenate.ts";
import { decodeSamples } from "./samples.ts";

/** The codec as WebCodecs names it, with the decoder's configuration in base64, if the codec has one. */
export interface VideoFormat {
  codec: string;
  description: string;
  width: number;
  height: number;
}

/** Boxes are joined only once, because they are large. */
type Parts = Uint8Array[];

const UNITS_PER_SECOND = 1000;

const MATRIX = numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/**
 * Everything of an MP4 file before its pictures, which follow in one run. The first one is shown from the
 * start.
 *
 * @param samples a table of `encodeSamples`.
 * @param duration in milliseconds.
 */
export function encodeHead(format: VideoFormat, samples: Uint8Array, duration: number): Uint8Array {
  const tables = new SampleTables(samples, duration);
  const type = box("ftyp", text("isom"), numbers(0x200), text("isomiso2mp41"));
  const media = [numbers(1), text("mdat"), large(tables.bytes + 16)];
  const encode = (offset: number) => [...type, ...movie(format, tables, { duration, offset }), ...media];
  const length = encode(0).reduce((sum, part) => sum + part.length, 0);
  return concatenate(encode(length));
}

class SampleTables {
  readonly count: number;
  /** Of all pictures. */
  readonly bytes: number;
  readonly sizes: Uint8Array;
  readonly keys: Uint8Array;
  /** Pairs of a number of pictures and their duration. */
  readonly durations: Uint8Array;

  constructor(samples: Uint8Array, duration: number) {
    const sizes: number[] = [];
    const keys: number[] = [];
    const runs: number[] = [];
    let bytes = 0;
    let shownFrom = 0;
    const addDuration = (end: number) => {
      const length = end - shownFrom;
      if (runs.at(-1) === length) runs[runs.length - 2] = (runs.at(-2) ?? 0) + 1;
      else runs.push(1, length);
      shownFrom = end;
    };
    for (const { time, size, isKey } of decodeSamples(samples)) {
      if (sizes.length > 0) addDuration(time);
      sizes.push(size);
      if (isKey) keys.push(sizes.length);
      bytes += size;
    }
    addDuration(duration);
    this.count = sizes.length;
    this.bytes = bytes;
    this.sizes = list(sizes);
    this.keys = list(keys);
    this.durations = list(runs);
  }
}

interface Placing {
  duration: number;
  /** Position of the first picture in the file. */
  offset: number;
}

function movie(format: VideoFormat, tables: SampleTables, { duration, offset }: Placing): Parts {
  const size = numbers(format.width << 16, format.height << 16);
  const { count, sizes, keys, durations } = tables;
  const information = box(
    "minf",
    fullBox("vmhd", 1, numbers(0, 0)),
    box("dinf", fullBox("dref", 0, numbers(1), fullBox("url ", 1))),
    box(
      "stbl",
      fullBox("stsd", 0, numbers(1), sampleEntry(format)),
      fullBox("stts", 0, numbers(durations.length / 8), durations),
      fullBox("stss", 0, numbers(keys.length / 4), keys),
      fullBox("stsc", 0, numbers(1, 1, count, 1)),
      fullBox("stsz", 0, numbers(0, count), sizes),
      fullBox("co64", 0, numbers(1), large(offset)),
    ),
  );
  const media = box(
    "mdia",
    fullBox("mdhd", 0, numbers(0, 0, UNITS_PER_SECOND, duration, 0x55c40000)),
    fullBox("hdlr", 0, numbers(0), text("vide"), numbers(0, 0, 0), text("video\0")),
    information,
  );
  const trackHeader = fullBox("tkhd", 3, numbers(0, 0, 1, 0, duration, 0, 0, 0, 0), MATRIX, size);
  const times = numbers(0, 0, UNITS_PER_SECOND, duration, 0x10000, 0x1000000, 0, 0);
  const header = fullBox("mvhd", 0, times, MATRIX, numbers(0, 0, 0, 0, 0, 0, 2));
  return box("moov", header, box("trak", trackHeader, media));
}

function sampleEntry({ codec, description, width, height }: VideoFormat): Parts {
  const [name, configuration] = codec.startsWith("vp09")
    ? ["vp09", fullBox("vpcC", 0x1000000, vp9Configuration(codec))]
    : ["avc1", box("avcC", Uint8Array.fromBase64(description))];
  const size = numbers((width << 16) | height, 0x480000, 0x480000, 0, 0x10000);
  const rest = new Uint8Array(30);
  return box(name, numbers(0, 1, 0, 0, 0, 0), size, rest, numbers(0x18ffff), configuration);
}

/** For a codec such as `vp09.00.41.08`: profile, level, bit depth with 4:2:0 sampling, BT.709. */
function vp9Configuration(codec: string): Uint8Array {
  const [, profile = 0, level = 10, depth = 8] = codec.split(".").map(Number);
  return Uint8Array.of(profile, level, (depth << 4) | (1 << 1), 1, 1, 1, 0, 0);
}

function box(type: string, ...content: (Uint8Array | Parts)[]): Parts {
  const parts = content.flat();
  const size = parts.reduce((sum, { length }) => sum + length, 8);
  return [numbers(size), text(type), ...parts];
}

function fullBox(type: string, flags: number, ...content: (Uint8Array | Parts)[]): Parts {
  return box(type, numbers(flags), ...content);
}

/** 4 bytes each. */
function numbers(...values: number[]): Uint8Array {
  return list(values);
}

function list(values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  for (const [index, value] of values.entries()) view.setUint32(4 * index, value);
  return new Uint8Array(view.buffer);
}

/** 8 bytes. */
function large(value: number): Uint8Array {
  return numbers(Math.floor(value / 2 ** 32), value >>> 0);
}

function text(characters: string): Uint8Array {
  return new TextEncoder().encode(characters);
}
