import { z } from "zod";
import { SETTING_DEFAULTS } from "../../src/lib/common/setting-defaults.ts";
import { SETTINGS } from "../../src/lib/common/settings-schema.ts";
import { range, table } from "./api-pages.ts";

/** Settings without a default are secrets, which docs/deploy.md describes. */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).flatMap(([name, schema]) => {
    const value = SETTING_DEFAULTS[name];
    if (value === undefined) return [];
    if (schema.description === undefined) throw new Error(`${name} has no description`);
    const meaning = `${schema.description} ${rangeOf(schema)}`.trim();
    return [[`\`${name}\``, value === "" ? "empty" : `\`${value}\``, meaning]];
  });
  return table(["Setting", "Default", "Meaning"], rows);
}

function rangeOf(schema: z.ZodType): string {
  const { minimum, maximum } = z
    .object({ minimum: z.number(), maximum: z.number() })
    .partial()
    .parse(schema.meta() ?? {});
  if (minimum === undefined || (minimum <= 1 && maximum === undefined)) return "";
  return `${range(minimum, maximum)}.`;
}
