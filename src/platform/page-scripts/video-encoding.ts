import type { DialogDrawing } from "./drawing.ts";

export interface VideoSize {
  width: number;
  height: number;
  framerate: number;
}

/** What was encoded since the last call; the pictures' bytes are joined. Times are in milliseconds. */
export interface EncodedVideo {
  codec: string;
  /** The decoder's configuration in base64. */
  description: string;
  samples: { time: number; size: number; isKey: boolean }[];
  data: string;
}

/** A video of pictures that are shown until the next one. */
export interface VideoEncoding {
  /**
   * @param picture a JPEG in base64; undefined: the last one.
   * @param pageWidth width of the page in CSS pixels.
   * @param time later than in the last call.
   * @returns how many milliseconds to wait until the next call, because the video is large.
   */
  draw(
    time: number,
    picture: string | undefined,
    pageWidth: number,
    dialog: DialogDrawing | undefined,
  ): Promise<number>;
  take(): Promise<EncodedVideo>;
}
