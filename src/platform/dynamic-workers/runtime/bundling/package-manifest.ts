import { isRecord } from "../../../../lib/common/is-record.ts";

export interface Dependency {
  name: string;
  /** The name in the registry, which differs for an alias. */
  packageName: string;
  /** A version range, or a tag of the registry. */
  range: string;
  isPeer: boolean;
  isOptional: boolean;
}

/** Any other name could lead out of `node_modules`, or to another URL of the registry. */
const NAME = /^(@[\w.~!'()*-]+\/)?[\w~!'()*-][\w.~!'()*-]*$/;

/** Native binaries are optional packages, named after their platform. They cannot run here. */
const PLATFORM_SPECIFIC =
  /\b(aix|android|darwin|freebsd|fsevents|linux|netbsd|openbsd|openharmony|sunos|win32)\b/;

const ALIAS = /^npm:(@?[^@]+)(?:@(.*))?$/;

/** Sorted by name. A peer that is also a dependency counts as a dependency. */
export function readDependencies(manifest: unknown): Dependency[] {
  const found = new Map<string, Dependency>();
  const peersMeta = readRecord(manifest, "peerDependenciesMeta");
  const add = (field: string, kind: (name: string) => { isPeer: boolean; isOptional: boolean }) => {
    for (const [name, specifier] of Object.entries(readRecord(manifest, field))) {
      if (typeof specifier !== "string") continue;
      found.set(name, { name, ...readSpecifier(name, specifier), ...kind(name) });
    }
  };
  add("peerDependencies", (name) => ({
    isPeer: true,
    isOptional: readRecord(peersMeta, name).optional === true,
  }));
  add("dependencies", () => ({ isPeer: false, isOptional: false }));
  add("optionalDependencies", () => ({ isPeer: false, isOptional: true }));
  return [...found.values()]
    .filter(({ packageName, isOptional }) => !isOptional || !PLATFORM_SPECIFIC.test(packageName))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function isPackageName(name: string): boolean {
  return NAME.test(name);
}

function readSpecifier(name: string, specifier: string): { packageName: string; range: string } {
  const [alias, packageName = name, range = "*"] = ALIAS.exec(specifier) ?? [];
  return alias === undefined ? { packageName, range: specifier } : { packageName, range };
}

function readRecord(value: unknown, field: string): Record<string, unknown> {
  if (!isRecord(value)) return {};
  const found = value[field];
  return isRecord(found) ? found : {};
}
