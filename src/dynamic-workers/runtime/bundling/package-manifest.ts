import { isRecord } from "../../../common/is-record.ts";
/** What an app or a package asks for in its package.json. */
export interface Dependency {
  /** Which it imports it by. */
  name: string;
  /** Which the registry has it by; an alias is a name of another kind. */
  packageName: string;
  /** Of versions; or one of the registry's tags. */
  range: string;
  /** Whether what those around it use will do. */
  isPeer: boolean;
  /** Whether it can do without. */
  isOptional: boolean;
}

/** Anything else would lead out of the folder of packages, or to another address of the registry. */
const NAME = /^(@[\w.~!'()*-]+\/)?[\w~!'()*-][\w.~!'()*-]*$/;

/**
 * Programs come as optional packages, one for each platform, that are named after it. Nothing runs them here, and they are
 * large.
 */
const OF_ONE_PLATFORM =
  /\b(aix|android|darwin|freebsd|fsevents|linux|netbsd|openbsd|openharmony|sunos|win32)\b/;

const ALIAS = /^npm:(@?[^@]+)(?:@(.*))?$/;

/** Sorted by the names that they are imported by; a peer that is a dependency as well is a dependency. */
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
    .filter(({ packageName, isOptional }) => !isOptional || !OF_ONE_PLATFORM.test(packageName))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether a package can have that name. */
export function isPackageName(name: string): boolean {
  return NAME.test(name);
}

function readSpecifier(name: string, specifier: string): { packageName: string; range: string } {
  const [alias, packageName = name, range = "*"] = ALIAS.exec(specifier) ?? [];
  return alias === undefined ? { packageName, range: specifier } : { packageName, range };
}

/** A field that is an object; an empty one for whatever else is there. */
function readRecord(value: unknown, field: string): Record<string, unknown> {
  if (!isRecord(value)) return {};
  const found = value[field];
  return isRecord(found) ? found : {};
}
