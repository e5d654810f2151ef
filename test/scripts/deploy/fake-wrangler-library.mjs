// A fake of wrangler's library: what is remote is in the folder `${FAKE_ACCOUNT}.data`. The keys of the bucket are the
// ones of the fake account.
import { readFileSync, writeFileSync } from "node:fs";
import * as wrangler from "wrangler";

const file = process.env.FAKE_ACCOUNT;
const readAccount = () => JSON.parse(readFileSync(file, "utf8"));

export const { experimental_readRawConfig } = wrangler;

export async function getPlatformProxy({ configPath }) {
  const config = JSON.parse(readFileSync(configPath, "utf8"));
  const bindings = [...config.d1_databases, ...config.r2_buckets];
  if (!bindings.every(({ remote }) => remote)) throw new Error("A binding is not remote");
  if (!readAccount().accounts.some(({ id }) => id === config.account_id)) throw new Error("Unknown account");
  if (readAccount().bucket === undefined) throw new Error("No bucket");
  for (const binding of bindings) binding.remote = false;
  writeFileSync(configPath, JSON.stringify(config));
  const proxy = await wrangler.getPlatformProxy({ configPath, persist: { path: `${file}.data` } });
  const { FILES } = proxy.env;
  const { bucket } = readAccount();
  for (const { key } of (await FILES.list()).objects) if (!bucket.includes(key)) await FILES.delete(key);
  for (const key of bucket) if ((await FILES.head(key)) === null) await FILES.put(key, key);
  return {
    ...proxy,
    async dispose() {
      const { objects } = await FILES.list();
      writeFileSync(file, JSON.stringify({ ...readAccount(), bucket: objects.map(({ key }) => key) }));
      await proxy.dispose();
    },
  };
}
