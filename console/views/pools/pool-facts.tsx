import { APIError, api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { CopyText } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { formatDuration } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { formatViewport, type Pool } from "./pool.ts";

export function PoolFacts({ pool }: { pool: Pool }) {
  const { id, created_at, browser_pool_config: config, profile_id, extension_ids } = pool;
  const { start_url, telemetry, proxy_id } = config;
  const modes = [
    config.headless && "Headless",
    config.stealth && "Stealth",
    config.kiosk_mode && "Kiosk",
    config.record && "Record",
  ];
  const { captcha: _unused, ...categories } = telemetry?.browser ?? {};
  const recorded = Object.entries(categories).flatMap(([name, category]) =>
    category?.enabled ? [name] : [],
  );
  return (
    <Facts
      facts={[
        ["Id", <CopyText key="id" text={id} what="the pool's id" />],
        ["Fill rate", `${config.fill_rate_per_minute} % of the size per minute`],
        ["Timeout", formatDuration(config.timeout_seconds * 1000)],
        ["Viewport", formatViewport(config.viewport)],
        ["Options", modes.filter(Boolean).join(", ") || "None"],
        ["Start URL", start_url],
        ["Profile", profile_id && <Selected key="profile" kind="profiles" id={profile_id} />],
        ["Proxy", proxy_id && <Selected key="proxy" kind="proxies" id={proxy_id} />],
        [
          "Extensions",
          extension_ids.length > 0 && (
            <ul>
              {extension_ids.map((extension) => (
                <li key={extension}>
                  <Selected kind="extensions" id={extension} />
                </li>
              ))}
            </ul>
          ),
        ],
        ["Telemetry", recorded.join(", ") || undefined],
        ["Created", <Time key="created" at={created_at} />],
        [
          "Sessions",
          <a key="sessions" href={`/console/sessions?status=all&pool_id=${id}`}>
            All of this pool
          </a>,
        ],
      ]}
    />
  );
}

type Kind = "profiles" | "proxies" | "extensions";

/** A link to what a pool selects, by its name. */
function Selected({ kind, id }: { kind: Kind; id: string }) {
  const selected = useLoad(`/${kind}/${id}`, (signal) => loadSelected(kind, id, signal));
  const isDeleted = selected.error instanceof APIError && selected.error.status === 404;
  if (isDeleted) return <>{id} (deleted, so the pool is not filled)</>;
  return <a href={`/console/${kind}/${id}`}>{selected.data?.name ?? id}</a>;
}

function loadSelected(kind: Kind, id: string, signal: AbortSignal): Promise<{ name?: string | null }> {
  const params = { path: { id, id_or_name: id } };
  if (kind === "profiles") return read(api.GET("/profiles/{id_or_name}", { params, signal }));
  if (kind === "proxies") return read(api.GET("/proxies/{id}", { params, signal }));
  return read(api.GET("/extensions/{id_or_name}/metadata", { params, signal }));
}
