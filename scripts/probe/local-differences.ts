/** What the local runtime is known not to support, with the reason. */
export const LOCAL_DIFFERENCES: Record<string, string> = {
  extensions: "The local browser starts with wrangler's flags, which include --disable-extensions.",
  dynamic_limits: "workerd enforces CPU limits only on Cloudflare.",
};
