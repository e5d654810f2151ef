import type { components } from "../../api/openapi.d.ts";

type Session = components["schemas"]["BrowserSession"];

export type FormQuery = Readonly<Record<string, string | undefined>>;

/** The sizes of windows that every client understands. */
export const SIZES = ["1920 × 1080", "2560 × 1440", "1920 × 1200", "1440 × 900", "1200 × 800", "1024 × 768"];

export function formatSize({ width, height }: { width: number; height: number }): string {
  return `${width} × ${height}`;
}

type Fields = Pick<Session, "viewport" | "timeout_seconds" | "start_url" | "region" | "proxy_id" | "tags"> &
  Pick<Session, "machine" | "headless" | "stealth" | "kiosk_mode" | "record" | "profile" | "telemetry">;

/** The form's fields, by their names, for a session with the same options. Its name stays free. */
export function toFormQuery(session: Fields): string {
  const { viewport, timeout_seconds, start_url, region, machine, proxy_id, profile, tags, telemetry } =
    session;
  const flags = (["headless", "stealth", "kiosk_mode", "record"] as const).filter((name) => session[name]);
  const fields: FormQuery = {
    viewport: formatSize(viewport),
    timeout_seconds: String(timeout_seconds),
    start_url,
    region,
    machine,
    proxy_id,
    profile: profile?.id,
    telemetry: nameTelemetry(telemetry),
    ...Object.fromEntries(flags.map((name) => [name, "on"])),
    tags: Object.entries(tags)
      .map(([key, value]) => `${key}=${value}`)
      .join("\n"),
  };
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  ).toString();
}

/** The choice of the form that records at least the same. */
function nameTelemetry(telemetry: Session["telemetry"]): string | undefined {
  const { console, network, page, interaction, screenshot, control } = telemetry?.browser ?? {};
  const isAnyOn = [console, network, page, interaction, screenshot].some((category) => category?.enabled);
  if (isAnyOn) return "Everything";
  return control?.enabled ? "All API calls, connections, crashes and ends" : undefined;
}

/** An address as people type it, with the scheme that is missing. */
export function withScheme(text: string): string {
  const address = text.trim();
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(address) && !/^[\w.-]+:\d/.test(address);
  return address === "" || hasScheme ? address : `https://${address}`;
}
