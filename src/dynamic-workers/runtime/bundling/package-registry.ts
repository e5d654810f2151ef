import { InMemoryFileSystem, installDependencies } from "@cloudflare/worker-bundler";
import semver from "semver";
import { ArchiveError } from "../../../archives/archive-error.ts";
import { newCheckedFetch } from "./checked-registry.ts";
import { type Dependency, isPackageName, readDependencies } from "./package-manifest.ts";

// The installer knows no other fetch.
globalThis.fetch = newCheckedFetch(globalThis.fetch.bind(globalThis));

/** In characters, of all packages together: they are held in an isolate of 128 MB. */
const MAX_TOTAL_LENGTH = 48 * 1024 * 1024;

const MANIFEST = "package.json";

/** What tells the installer that a package is there. */
const INSTALLED = /^node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/;

/** What an app may import; declarations of types are for editors. */
const CODE = /(?<!\.d)\.([cm]?[jt]s|[jt]sx|json)$/;

/** A version of a package. */
export interface Package {
  name: string;
  version: string;
  /** Texts by their paths in it. */
  files: ReadonlyMap<string, string>;
  dependencies: readonly Dependency[];
}

/** The packages that were fetched from a registry so far. */
export class PackageRegistry {
  /** Absent: npm's own, which only the installer knows. */
  readonly #address: string | undefined;
  readonly #packages = new Map<string, Map<string, Package>>();
  readonly #answers = new Map<string, Package | string>();
  #totalLength = 0;

  constructor(address: string | undefined) {
    this.#address = address;
  }

  /** Names of which something was fetched, or asked for. */
  get names(): Iterable<string> {
    return this.#packages.keys();
  }

  /**
   * The newest version in a range of those that were fetched; where there is none, the newest that the registry has. May
   * be asked for packages of different names at the same time, for those of one name one after the other.
   *
   * @returns what is wrong, where there is no such package.
   * @throws ArchiveError when all of them are too large.
   */
  async find({ name, packageName, range }: Dependency): Promise<Package | string> {
    if (!isPackageName(name) || !isPackageName(packageName)) return "This is no name of a package";
    const versions = this.#packages.get(packageName) ?? new Map<string, Package>();
    this.#packages.set(packageName, versions);
    const newest = versions.get(semver.maxSatisfying([...versions.keys()], range) ?? "");
    if (newest !== undefined) return newest;
    const question = `${packageName}@${range}`;
    const answer = this.#answers.get(question) ?? (await this.#fetch(packageName, range));
    this.#answers.set(question, answer);
    if (typeof answer === "string") return answer;
    // Of a version that two of its tags name, there is one all the same.
    const known = versions.get(answer.version) ?? answer;
    versions.set(known.version, known);
    return known;
  }

  async #fetch(name: string, range: string): Promise<Package | string> {
    const folder = new FolderForOne(name, range);
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
      dependencies: readDependencies(parse(files.get(MANIFEST))),
    };
  }
}

/** Takes in one package; of all others it says that they are there, so that the installer leaves them. */
class FolderForOne extends InMemoryFileSystem {
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

function parse(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
