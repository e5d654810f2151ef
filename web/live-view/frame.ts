import { FRAME_HEADER_BYTES } from "../../src/features/live-view/constants.ts";
import type { Size } from "./coordinates.ts";

export interface Frame {
  number: number;
  page: Size;
  picture: ArrayBuffer;
}

export function readFrame(message: ArrayBuffer): Frame | undefined {
  if (message.byteLength <= FRAME_HEADER_BYTES) return undefined;
  const header = new DataView(message, 0, FRAME_HEADER_BYTES);
  const page = { width: header.getUint16(4), height: header.getUint16(6) };
  return { number: header.getUint32(0), page, picture: message.slice(FRAME_HEADER_BYTES) };
}
