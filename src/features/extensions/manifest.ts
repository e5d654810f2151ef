import { z } from "zod";
import type { UnsupportedFeature } from "../../lib/database/schema/extensions.ts";
import { compileMatchPattern, MatchPatternError } from "../../platform/browser/index.ts";

const MAX_ENTRIES = 1000;
const MAX_ENTRY_LENGTH = 2048;
const MAX_CONTENT_SCRIPTS = 200;

const strings = z.array(z.string().max(MAX_ENTRY_LENGTH)).max(MAX_ENTRIES);

const matchPatterns = z
  .array(
    z
      .string()
      .max(MAX_ENTRY_LENGTH)
      .superRefine((pattern, context) => {
        try {
          compileMatchPattern(pattern);
        } catch (error) {
          if (!(error instanceof MatchPatternError)) throw error;
          context.addIssue({ code: "custom", message: error.message });
        }
      }),
  )
  .max(MAX_ENTRIES);

const contentScriptSchema = z.looseObject({
  matches: matchPatterns.min(1),
  exclude_matches: matchPatterns.default([]),
  include_globs: strings.default([]),
  exclude_globs: strings.default([]),
  js: strings.default([]),
  css: strings.default([]),
  run_at: z.enum(["document_start", "document_end", "document_idle"]).default("document_idle"),
  all_frames: z.boolean().default(false),
  match_about_blank: z.boolean().default(false),
  match_origin_as_fallback: z.boolean().default(false),
  world: z.enum(["ISOLATED", "MAIN"]).default("ISOLATED"),
});

const resourcesSchema = z.union([
  strings,
  z.looseObject({ resources: strings }).transform((entry) => entry.resources),
]);

export const manifestSchema = z.looseObject({
  manifest_version: z.union([z.literal(2), z.literal(3)]),
  name: z.string().min(1).max(75),
  version: z
    .string()
    .regex(/^\d{1,5}(\.\d{1,5}){0,3}$/, "must be one to four numbers with dots between them"),
  content_scripts: z.array(contentScriptSchema).max(MAX_CONTENT_SCRIPTS).default([]),
  web_accessible_resources: z
    .union([
      strings,
      z
        .array(resourcesSchema)
        .max(MAX_ENTRIES)
        .transform((entries) => entries.flat())
        .pipe(strings),
    ])
    .default([]),
  permissions: strings.default([]),
});

export type ExtensionManifest = z.infer<typeof manifestSchema>;

/** Manifest keys that do not work without native extension support, with the reason. */
const UNSUPPORTED_KEYS: Record<string, string> = {
  background: "background scripts and service workers do not run",
  action: "there is no toolbar for a button or popup",
  browser_action: "there is no toolbar for a button or popup",
  page_action: "there is no toolbar for a button or popup",
  options_page: "an extension's own pages cannot be opened",
  options_ui: "an extension's own pages cannot be opened",
  devtools_page: "there are no developer tools to extend",
  side_panel: "there is no side panel",
  chrome_url_overrides: "the browser's own pages cannot be replaced",
  declarative_net_request: "requests are neither blocked nor changed",
  commands: "keyboard shortcuts of extensions do not work",
  omnibox: "the address bar supports no extension keywords",
  externally_connectable: "pages cannot send messages to extensions",
  sandbox: "an extension's own pages cannot be opened",
  storage: "there is no managed storage",
  default_locale: "chrome.i18n returns empty strings",
};

const SUPPORTED_PERMISSIONS = ["storage", "unlimitedStorage", "activeTab"];

/** Lists what does not work in a browser without native extension support. */
export function listUnsupported(manifest: ExtensionManifest): UnsupportedFeature[] {
  const keys = Object.entries(UNSUPPORTED_KEYS)
    .filter(([key]) => manifest[key] !== undefined)
    .map(([feature, reason]) => ({ feature, reason }));
  const permissions = manifest.permissions
    .filter((permission) => !SUPPORTED_PERMISSIONS.includes(permission) && !isHostPattern(permission))
    .map((permission) => ({
      feature: `permissions.${permission}`,
      reason: `there is no chrome.${permission} in content scripts`,
    }));
  return [...keys, ...permissions];
}

function isHostPattern(permission: string): boolean {
  return permission === "<all_urls>" || permission.includes("://");
}
