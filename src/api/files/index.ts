export { type OpenFiles, type StreamedFile, withStaging } from "./upload-form.ts";
