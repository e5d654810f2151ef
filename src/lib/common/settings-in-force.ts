import { SETTING_DEFAULTS } from "./setting-defaults.ts";
import { SECRET_NAMES } from "./settings.ts";
import { SETTINGS } from "./settings-schema.ts";

/** A user name and password in a URL. */
const CREDENTIALS = /(:\/\/)[^/@]*@/g;

/** The token of a session host, in JSON that may be invalid. */
const TOKEN = /("token"\s*:\s*")(?:[^"\\]|\\.)*/g;

interface SettingInForce {
  name: string;
  /** The configured value, even if it is invalid. */
  value: string;
  default: string;
  description: string;
}

/** The current settings, except those without a default, which are secrets. */
export function listSettings(env: Env): SettingInForce[] {
  return Object.entries(SETTINGS).flatMap(([name, { description = "" }]) => {
    const usual = SETTING_DEFAULTS[name];
    if (usual === undefined) return [];
    const value = String(Reflect.get(env, name) ?? "")
      .replace(CREDENTIALS, "$1…@")
      .replace(TOKEN, "$1…");
    return [{ name, value, default: usual, description }];
  });
}

/** Whether each secret is set, by name. */
export function listSecrets(env: Env): Map<string, boolean> {
  const upstreams = Object.keys(SETTINGS).filter((name) => SETTING_DEFAULTS[name] === undefined);
  const names = [...SECRET_NAMES, ...upstreams];
  return new Map(names.map((name) => [name, Boolean(Reflect.get(env, name))]));
}
