/** Maximum reason length of a close frame, in bytes. */
const MAX_REASON_LENGTH = 123;

const UNSENDABLE = new Set([1004, 1005, 1006, 1015]);

export function closeSocket(socket: WebSocket, code = 1000, reason = ""): void {
  try {
    const isSendable = code >= 1000 && code < 5000 && !UNSENDABLE.has(code);
    socket.close(isSendable ? code : 1011, truncate(reason));
  } catch {
    // It is closed already.
  }
}

function truncate(reason: string): string {
  const bytes = new TextEncoder().encode(reason);
  if (bytes.length <= MAX_REASON_LENGTH) return reason;
  return new TextDecoder().decode(bytes.subarray(0, MAX_REASON_LENGTH)).replace(/(?<!\uFFFD)\uFFFD+$/, "");
}
