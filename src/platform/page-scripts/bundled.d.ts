/** Sources of the functions in bundle-entry.ts; scripts/build-page-scripts.ts writes bundled.js. */
import type { Drawing } from "./drawing.ts";
import type { ScheduledScript } from "./extension-protocol.ts";
import type { PageFunction } from "./page-function.ts";
import type { VideoEncoding, VideoSize } from "./video-encoding.ts";

export const addFrame: PageFunction<() => void>;
export const addPasteField: PageFunction<() => void>;
export const applyStealth: PageFunction<() => void>;
export const clearClipboard: PageFunction<() => void>;
export const collectStorage: PageFunction<
  (scope: { origin: string; limit: number }) => Promise<{ length: number; skipped: number }>
>;
export const copyText: PageFunction<(text: string) => void>;
export const describeFocusedField: PageFunction<() => Promise<unknown>>;
export const drawPicture: PageFunction<(drawing: Drawing) => Promise<string>>;
export const drawSelectLists: PageFunction<() => void>;
export const encodeVideo: PageFunction<(size: VideoSize) => Promise<VideoEncoding>>;
export const fillFocusedField: PageFunction<(value: string) => void>;
export const guardWebRtc: PageFunction<() => void>;
export const newFileInput: PageFunction<() => unknown>;
export const observeInteractions: PageFunction<(binding: string) => void>;
export const readClientHints: PageFunction<() => Promise<unknown>>;
export const readPasteField: PageFunction<() => string>;
export const readStoragePiece: PageFunction<(range: { from: number; length: number }) => string>;
export const renameDroppedFiles: PageFunction<
  (saved: readonly string[], names: readonly string[], ms: number) => void
>;
export const restoreStorage: PageFunction<(scope: { origin: string }) => Promise<void>>;
export const runContentScripts: PageFunction<
  (
    key: string,
    scripts: readonly ScheduledScript[],
    texts: readonly (readonly string[])[],
    description: string,
  ) => void
>;
export const wasKeyPrevented: PageFunction<() => Promise<boolean> | undefined>;
export const watchNextKey: PageFunction<() => void>;
export const writeStoragePiece: PageFunction<(piece: string) => void>;
export const zoomPage: PageFunction<(level: number) => void>;

export const scheduleContentScripts: string;

export const addFilePart: string;
export const dismissFileChooser: string;
export const fileSize: string;
export const firstFile: string;
export const saveFiles: string;
export const takeRenamedFiles: string;
export const toFileUrls: string;

export const callWithNodes: string;
export const findElements: string;
export const useElement: string;
