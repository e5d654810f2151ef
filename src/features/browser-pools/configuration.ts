import { type SelectedReferences, toViewportColumns } from "../sessions/index.ts";
import { changeConfig, DEFAULT_CONFIG } from "../telemetry/index.ts";
import type { CreatePoolBody, UpdatePoolBody } from "./schema.ts";
import type { PoolChange } from "./store.ts";

/** The configuration columns of a new pool. */
export function toConfiguration(body: CreatePoolBody, selected: SelectedReferences) {
  return {
    size: body.size,
    fillRatePerMinute: body.fill_rate_per_minute,
    timeoutSeconds: body.timeout_seconds,
    headless: body.headless,
    stealth: body.stealth,
    kioskMode: body.kiosk_mode,
    ...toViewportColumns(body.viewport),
    name: body.name || null,
    startURL: body.start_url || null,
    extensions: body.extensions ?? [],
    extensionIds: selected.extensionIds,
    proxyId: selected.proxyId,
    profile: body.profile ?? null,
    profileId: selected.profile?.id ?? null,
    telemetry: changeConfig(DEFAULT_CONFIG, body.telemetry),
    record: body.record ?? false,
    region: body.region ?? null,
  };
}

/** The configuration columns to change. */
export function toConfigurationChange(body: UpdatePoolBody, selected: SelectedReferences): PoolChange {
  const { profile } = selected;
  return {
    size: body.size,
    fillRatePerMinute: body.fill_rate_per_minute,
    timeoutSeconds: body.timeout_seconds,
    headless: body.headless,
    stealth: body.stealth,
    kioskMode: body.kiosk_mode,
    ...(body.viewport === undefined ? {} : toViewportColumns(body.viewport)),
    ...(body.name ? { name: body.name } : {}),
    ...(body.extensions === undefined
      ? {}
      : { extensions: body.extensions, extensionIds: selected.extensionIds }),
    ...(body.proxy_id === undefined ? {} : { proxyId: selected.proxyId }),
    ...(body.profile === undefined
      ? {}
      : { profile: profile === null ? null : body.profile, profileId: profile?.id ?? null }),
    ...(body.start_url === undefined ? {} : { startURL: body.start_url || null }),
    record: body.record,
  };
}
