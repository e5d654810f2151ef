import { useEffect, useRef, useState } from "preact/hooks";
import { request, type Schemas } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { Picture } from "../../ui/picture.tsx";

const REFRESH_MS = 10_000;

/** What an active session shows now, beside its name. It is loaded only while it is on the screen. */
export function Thumbnail({ session_id, viewport: { width, height } }: Schemas["BrowserSession"]) {
  const frame = useRef<HTMLSpanElement>(null);
  const [isOnScreen, setOnScreen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) =>
      setOnScreen(entries.at(-1)?.isIntersecting ?? false),
    );
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return (
    <span ref={frame} class="thumbnail" style={{ aspectRatio: `${width} / ${height}` }}>
      {isOnScreen && <LivePicture path={`/browsers/${session_id}/thumbnail`} />}
    </span>
  );
}

function LivePicture({ path }: { path: string }) {
  const load = async (signal: AbortSignal) => {
    const response = await request(path, { signal });
    return response.status === 204 ? null : response.blob();
  };
  const { data } = useLoad(path, load, { refreshMs: REFRESH_MS });
  return data ? <Picture blob={data} alt="" /> : null;
}
