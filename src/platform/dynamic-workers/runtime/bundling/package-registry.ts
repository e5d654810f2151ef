import { InMemoryFileSystem, installDependencies } from "@cloudflare/worker-bundler";
import semver from "semver";
import { ArchiveError } from "../../../../lib/archives/archive-error.ts";
import { parseJSON } from "../../../../lib/common/parse-json.ts";
import { newCheckedFetch } from "./checked-registry.ts";
import { type Dependency, isPackageName, readDependencies } from "./package-manifest.ts";

// The installer always uses the global fetch.
globalThis.fetch = newCheckedFetch(globalThis.fetch.bind(globalThis));

/** In characters, of all packages, which are held in an isolate of 128 MB. */
const MAX_TOTAL_LENGTH = 48 * 1024 * 1024;

const MANIFEST = "package.json";

const INSTALLED = /^node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/;

const CODE = /(?<!\.d)\.([cm]?[jt]s|[jt]sx|json)$/;

export interface Package {
  name: string;
  version: string;
  files: ReadonlyMap<string, string>;
  dependencies: readonly Dependency[];
}

export class PackageRegistry {
  /** npm's by default. */
  readonly #address: string | undefined;
  readonly #packages = new Map<string, Map<string, Package>>();
  readonly #results = new Map<string, Package | string>();
  #totalLength = 0;

  constructor(address: string | undefined) {
    this.#address = address;
  }

  get names(): Iterable<string> {
    return this.#packages.keys();
  }

  /** Prefers fetched versions. Calls for a package must not overlap. @returns a message on failure. */
  async find({ name, packageName, range }: Dependency): Promise<Package | string> {
    if (!isPackageName(name) || !isPackageName(packageName)) return "This is not a valid package name";
    const versions = this.#packages.get(packageName) ?? new Map<string, Package>();
    this.#packages.set(packageName, versions);
    const newest = versions.get(semver.maxSatisfying([...versions.keys()], range) ?? "");
    if (newest !== undefined) return newest;
    const spec = `${packageName}@${range}`;
    const result = this.#results.get(spec) ?? (await this.#install(packageName, range));
    this.#results.set(spec, result);
    if (typeof result === "string") return result;
    // Two tags may refer to the same version.
    const known = versions.get(result.version) ?? result;
    versions.set(known.version, known);
    return known;
  }

  async #install(name: string, range: string): Promise<Package | string> {
    const folder = new SinglePackageFileSystem(name, range);
    const { installed, warnings } = await installDependencies(
      folder,
      this.#address === undefined ? {} : { registry: this.#address },
    );
    const [title] = installed;
    if (title === undefined || warnings.length > 0) return warnings.join("\n");
    const top = `node_modules/${name}/`;
    const files = new Map<string, string>();
    for (const path of folder.list(top)) {
      if (!CODE.test(path)) continue;
      const text = folder.read(path) ?? "";
      files.set(path.slice(top.length), text);
      this.#totalLength += text.length;
    }
    if (this.#totalLength > MAX_TOTAL_LENGTH) {
      throw new ArchiveError(`the app's packages have more than ${MAX_TOTAL_LENGTH} characters`, "too_large");
    }
    return {
      name,
      version: title.slice(name.length + 1),
      files,
      dependencies: readDependencies(parseJSON(files.get(MANIFEST))),
    };
  }
}

/** Pretends that all packages but one are installed, so that the installer skips them. */
class SinglePackageFileSystem extends InMemoryFileSystem {
  readonly #manifest: string;

  constructor(name: string, range: string) {
    super({ [MANIFEST]: JSON.stringify({ dependencies: { [name]: range } }) });
    this.#manifest = `node_modules/${name}/${MANIFEST}`;
  }

  override read(path: string): string | null {
    const isOther = INSTALLED.test(path) && path !== this.#manifest;
    return isOther ? "{}" : super.read(path);
  }
}
