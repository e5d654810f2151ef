/**
 * Writes what wrangler makes of wrangler.toml for the local runtime into the file that is given, as JSON.
 *
 * A process of its own, because wrangler's library is large and takes over the signals of whoever loads it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { experimental_readRawConfig, unstable_getMiniflareWorkerOptions } from "wrangler";
import { ROOT } from "./paths.ts";

const [, , file = ""] = process.argv;
const config = join(ROOT, "wrangler.toml");
const { name, vars } = experimental_readRawConfig({ config }).rawConfig;
const { workerOptions } = unstable_getMiniflareWorkerOptions(config);
// Wrangler adds the secrets of .dev.vars, which belong into no build.
const options = { ...workerOptions, name, bindings: vars, modulesRules: undefined };
writeFileSync(file, JSON.stringify(options, null, 2));
