/** scripts/build-page-scripts.ts exports each function's source from bundled.js. */
export { readClientHints } from "./client-hints.ts";
export { addPasteField, clearClipboard, copyText, readPasteField } from "./clipboard.ts";
export { collectStorage } from "./collect-storage.ts";
export { scheduleContentScripts } from "./content-script-scheduler.ts";
export { drawPicture } from "./draw-picture.ts";
export {
  addFilePart,
  addFrame,
  dismissFileChooser,
  fileSize,
  firstFile,
  newFileInput,
  renameDroppedFiles,
  saveFiles,
  takeRenamedFiles,
  toFileUrls,
} from "./files.ts";
export { describeFocusedField, fillFocusedField } from "./focused-field.ts";
export { wasKeyPrevented, watchNextKey } from "./key-prevention.ts";
export { observeInteractions } from "./observe-interactions.ts";
export { restoreStorage } from "./restore-storage.ts";
export { runContentScripts } from "./run-content-scripts.ts";
export { drawSelectLists } from "./select-lists.ts";
export { readStoragePiece, writeStoragePiece } from "./site-storage.ts";
export { applyStealth } from "./stealth.ts";
export { encodeVideo } from "./video.ts";
export { callWithNodes, findElements, useElement } from "./webdriver.ts";
export { guardWebRtc } from "./webrtc-guard.ts";
export { zoomPage } from "./zoom.ts";
