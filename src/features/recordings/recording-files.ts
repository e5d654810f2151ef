import { concatenate } from "../../lib/common/concatenate.ts";
import type { EncodedVideo } from "../../platform/page-scripts/video-encoding.ts";
import { encodeSamples, type Sample } from "./samples.ts";

/** Each piece but the last has at least this size, so that a download reads few of them. */
export const PIECE_BYTES = 2 * 1024 * 1024;

/** While R2 does not answer, a piece grows up to this. The memory of 128 MB is shared with other sessions. */
const MAX_PIECE_BYTES = 8 * 1024 * 1024;

export const RECORDINGS_PREFIX = "replays/";

export function recordingPrefix(organizationId: string, recordingId: string): string {
  return `${RECORDINGS_PREFIX}${organizationId}/${recordingId}/`;
}

/** Part 0 is the head of the file; the others are its pieces. */
export function partKey(prefix: string, index: number): string {
  return `${prefix}${String(index).padStart(6, "0")}`;
}

interface RecordingFilesOptions {
  files: R2Bucket;
  prefix: string;
  width: number;
  height: number;
  /** Reserves further bytes in the organization's quota. @returns whether they fit. */
  reserve: (bytes: number) => Promise<boolean>;
}

/** Stores a recording in pieces while it runs. The last piece is written again until it is large enough. */
export class RecordingFiles {
  readonly #options: RecordingFilesOptions;
  #index = 1;
  #chunks: Uint8Array[] = [];
  #samples: Sample[] = [];
  #bytes = 0;
  #format: Record<string, string> = {};
  #isChanged = false;
  #isFull = false;
  #storing = Promise.resolve();
  #lostSince: number | undefined;
  #lostMs = 0;

  constructor(options: RecordingFilesOptions) {
    this.#options = options;
  }

  /** Whether the organization's quota is used up. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** How many milliseconds of the recording are missing. */
  lostMs(durationMs: number): number {
    return this.#lostMs + (this.#lostSince === undefined ? 0 : durationMs - this.#lostSince);
  }

  append({ samples, data, codec, description }: EncodedVideo): void {
    const { width, height } = this.#options;
    this.#format = { codec, description, width: `${width}`, height: `${height}` };
    const bytes = Uint8Array.fromBase64(data);
    let offset = 0;
    for (const sample of samples) {
      this.#add(sample, bytes.subarray(offset, offset + sample.size));
      offset += sample.size;
    }
  }

  /** Writes what is new. @throws when R2 or the database does not answer; another call writes it. */
  store(): Promise<void> {
    this.#storing = this.#storing.catch(() => undefined).then(() => this.#storeOnce());
    return this.#storing;
  }

  async #storeOnce(): Promise<void> {
    if (!this.#isChanged || this.#isFull) return;
    const { files, prefix, reserve } = this.#options;
    const media = this.#bytes;
    const count = this.#samples.length;
    const body = concatenate([...this.#chunks, encodeSamples(this.#samples)]);
    const customMetadata = { ...this.#format, media: `${media}` };
    await files.put(partKey(prefix, this.#index), body, { customMetadata });
    if (media >= PIECE_BYTES) {
      this.#isFull = !(await reserve(media));
      this.#index += 1;
      this.#chunks.splice(0, count);
      this.#samples.splice(0, count);
      this.#bytes -= media;
      this.#isChanged = this.#bytes > 0;
    } else {
      this.#isChanged = this.#bytes > media;
    }
  }

  /** Drops pictures while too many are kept, and then those that need the dropped ones. */
  #add(sample: Sample, bytes: Uint8Array): void {
    const isDropped = this.#lostSince !== undefined;
    if (this.#bytes + bytes.length > MAX_PIECE_BYTES || (isDropped && !sample.isKey)) {
      this.#lostSince ??= sample.time;
      return;
    }
    this.#lostMs = this.lostMs(sample.time);
    this.#lostSince = undefined;
    this.#chunks.push(bytes);
    this.#samples.push(sample);
    this.#bytes += bytes.length;
    this.#isChanged = true;
  }
}
