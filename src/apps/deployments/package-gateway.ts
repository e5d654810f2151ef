import { WorkerEntrypoint } from "cloudflare:workers";

/** Where the bundler's requests go: to the registry of packages, and nowhere else. */
export class PackageGateway extends WorkerEntrypoint<Env> {}
