import type { MachineKind } from "../../lib/common/machines.ts";
import { type SelectedReferences, toChangedOptionColumns, toOptionColumns } from "../sessions/index.ts";
import { changeConfig, DEFAULT_CONFIG } from "../telemetry/index.ts";
import type { CreatePoolBody, UpdatePoolBody } from "./schema.ts";
import type { PoolChange } from "./store.ts";

/** The configuration columns of a new pool. */
export function toConfiguration(body: CreatePoolBody, selected: SelectedReferences, machine: MachineKind) {
  return {
    size: body.size,
    fillRatePerMinute: body.fill_rate_per_minute,
    ...toOptionColumns(body),
    machine,
    name: body.name || null,
    extensions: body.extensions ?? [],
    extensionIds: selected.extensionIds,
    proxyId: selected.proxyId,
    profile: body.profile ?? null,
    profileId: selected.profile?.id ?? null,
    telemetry: changeConfig(DEFAULT_CONFIG, body.telemetry),
  };
}

export function toConfigurationChange(body: UpdatePoolBody, selected: SelectedReferences): PoolChange {
  const { profile } = selected;
  return {
    size: body.size,
    fillRatePerMinute: body.fill_rate_per_minute,
    ...toChangedOptionColumns(body),
    ...(body.name ? { name: body.name } : {}),
    machine: body.machine,
    ...(body.extensions === undefined
      ? {}
      : { extensions: body.extensions, extensionIds: selected.extensionIds }),
    ...(body.proxy_id === undefined ? {} : { proxyId: selected.proxyId }),
    ...(body.profile === undefined
      ? {}
      : { profile: profile === null ? null : body.profile, profileId: profile?.id ?? null }),
  };
}
