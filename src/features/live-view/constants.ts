/** Frame number (4 bytes), page width and height in CSS pixels (2 bytes each), big-endian; then a JPEG. */
export const FRAME_HEADER_BYTES = 8;

/** Either side considers the connection lost after 2.5 intervals without a message. */
export const PING_INTERVAL_MS = 10_000;
