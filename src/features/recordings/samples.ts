/** An encoded picture. It is shown from `time`, in milliseconds since the start of the video. */
export interface Sample {
  time: number;
  size: number;
  isKey: boolean;
}

export const SAMPLE_BYTES = 8;
const KEY_FLAG = 2 ** 31;

/** Each picture's time, then its size with a flag, 4 bytes each. Hours of video have a million pictures. */
export function encodeSamples(samples: readonly Sample[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(samples.length * SAMPLE_BYTES));
  for (const [index, { time, size, isKey }] of samples.entries()) {
    view.setUint32(index * SAMPLE_BYTES, time);
    view.setUint32(index * SAMPLE_BYTES + 4, isKey ? size + KEY_FLAG : size);
  }
  return new Uint8Array(view.buffer);
}

export function* decodeSamples(table: Uint8Array): Generator<Sample> {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  for (let offset = 0; offset < table.length; offset += SAMPLE_BYTES) {
    const size = view.getUint32(offset + 4);
    const isKey = size >= KEY_FLAG;
    yield { time: view.getUint32(offset), size: isKey ? size - KEY_FLAG : size, isKey };
  }
}
