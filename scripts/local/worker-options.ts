/**
 * Writes the Miniflare options of wrangler.toml to the given file, as JSON.
 *
 * Runs in a separate process because wrangler's library is large and installs signal handlers.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { experimental_readRawConfig, unstable_getMiniflareWorkerOptions } from "wrangler";
import { ROOT } from "./paths.ts";

const [, , file = ""] = process.argv;
const config = join(ROOT, "wrangler.toml");
const { name, vars } = experimental_readRawConfig({ config }).rawConfig;
const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
// workerOptions.bindings include the secrets of .dev.vars, which must not be in a build.
const options = { ...workerOptions, name, bindings: vars, modulesRules: undefined };
writeFileSync(file, JSON.stringify(options, null, 2));
