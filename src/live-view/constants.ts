/**
 * Length of what stands before a frame's picture (a whole JPEG file), big-endian: its number (4 bytes), and the
 * width and height of the page that it shows, in CSS pixels (2 bytes each).
 */
export const FRAME_HEADER_BYTES = 8;

/** A page sends a ping this often. A side that hears nothing for two and a half times as long is alone. */
export const PING_INTERVAL_MS = 10_000;
