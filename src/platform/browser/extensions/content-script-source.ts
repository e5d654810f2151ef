import { runContentScripts, scheduleContentScripts } from "../../page-scripts/bundled.js";
import type { ExtensionDescription, ScheduledScript } from "../../page-scripts/extension-protocol.ts";
import { toCall } from "../../page-scripts/page-function.ts";
import type { BrowserExtension, ContentScript } from "./browser-extension.ts";
import { extensionWorld, hasStoragePermission, storageBinding } from "./extension-world.ts";
import { compileGlob, compileMatchPattern } from "./match-pattern.ts";

export interface DocumentScript {
  source: string;
  worldName?: string;
}

export function toDocumentScripts(extension: BrowserExtension): DocumentScript[] {
  const scripts = extension.contentScripts.map((script, index) => ({
    ...toScheduled(script, index),
    script,
  }));
  const ofOwnWorld = scripts.filter(({ script }) => script.world === "ISOLATED" || script.css.length > 0);
  const ofPageWorld = scripts.filter(({ script }) => script.world === "MAIN" && script.js.length > 0);
  return [
    ...(ofOwnWorld.length === 0
      ? []
      : [
          {
            worldName: extensionWorld(extension.id),
            source: toOwnWorldSource(
              extension,
              ofOwnWorld.map(({ script, ...scheduled }) => scheduled),
            ),
          },
        ]),
    // Separate sources, because a syntax error must not stop the others.
    ...ofPageWorld.map(({ script, ...scheduled }) => ({
      source: toPageWorldSource(extension.id, { ...scheduled, css: [] }, script.js),
    })),
  ];
}

function toScheduled({ js, world, ...conditions }: ContentScript, index: number): ScheduledScript {
  return {
    ...conditions,
    index,
    matches: conditions.matches.map(compileMatchPattern),
    excludeMatches: conditions.excludeMatches.map(compileMatchPattern),
    includeGlobs: conditions.includeGlobs.map(compileGlob),
    excludeGlobs: conditions.excludeGlobs.map(compileGlob),
  };
}

function toOwnWorldSource(extension: BrowserExtension, scripts: ScheduledScript[]): string {
  const { id, manifest, resources, contentScripts } = extension;
  const texts = contentScripts.map(({ js, world }) => (world === "ISOLATED" ? js : []));
  const description: ExtensionDescription = {
    id,
    manifest,
    resources,
    storageBinding: hasStoragePermission(extension) ? storageBinding(id) : null,
  };
  return toCall(runContentScripts, `berth-${id}`, scripts, texts, JSON.stringify(description));
}

/** A page's policy can forbid `eval`, so the scripts are part of the source. */
function toPageWorldSource(extensionId: string, script: ScheduledScript, texts: readonly string[]): string {
  const key = JSON.stringify(`berth-${extensionId}-${script.index}`);
  const runs = texts.map((text) => `try {\n${text}\n} catch (error) { reportError(error); }`);
  return `(${scheduleContentScripts})(${key}, ${JSON.stringify([script])}, function () {\n${runs.join("\n")}\n});`;
}
