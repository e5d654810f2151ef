/** A `fetch` that says how much of the body is sent, from 0 to 1, which the browser's own does not report. */
export function fetchWithProgress(
  onProgress: (part: number) => void,
  signal: AbortSignal,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const body = await request.blob();
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const call = new XMLHttpRequest();
      const abort = () => call.abort();
      call.open(request.method, request.url);
      request.headers.forEach((value, name) => {
        call.setRequestHeader(name, value);
      });
      call.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
      call.onload = () => resolve(new Response(call.responseText || null, { status: call.status }));
      call.onerror = () => reject(new TypeError("The upload failed"));
      call.onabort = () => reject(new DOMException("The upload was cancelled", "AbortError"));
      call.onloadend = () => signal.removeEventListener("abort", abort);
      signal.addEventListener("abort", abort);
      call.send(body);
    });
  };
}
