import { useEffect, useState } from "preact/hooks";

export function Picture({ blob, alt }: { blob: Blob; alt: string }) {
  const [url, setURL] = useState<string>();
  useEffect(() => {
    const created = URL.createObjectURL(blob);
    setURL(created);
    return () => URL.revokeObjectURL(created);
  }, [blob]);
  return url === undefined ? null : <img src={url} alt={alt} />;
}
