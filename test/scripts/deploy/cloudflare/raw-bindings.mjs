// A plugin of miniflare: D1 databases and R2 buckets as the services behind their bindings, which is what
// Cloudflare gives to Workers with `raw` bindings.
const SERVICES = { d1: "d1:db:entry", r2_bucket: "r2:bucket:entry" };

export const plugins = {
  "raw-bindings": {
    getBindings: ({ config }) =>
      Object.entries(config.env)
        .filter(([, { dev }]) => dev?.plugin?.name === "raw-bindings")
        .map(([name, { dev }]) => {
          const props = { json: JSON.stringify({ MINIFLARE_NAMESPACE: dev.options.id }) };
          return { name, service: { name: SERVICES[dev.options.type], props } };
        }),
    getNodeBindings: () => ({}),
    getServices: () => [],
  },
};
