/// <reference types="vite/types/importMeta.d.ts" />
import type { D1Migration } from "cloudflare:test";

declare global {
  namespace Cloudflare {
    interface Env {
      TEST_MIGRATIONS: D1Migration[];
      IDLE_DB: D1Database;
      IDLE_FILES: R2Bucket;
      TOKEN_SECRET_PREVIOUS?: string;
      PROXY_UPSTREAM_RESIDENTIAL?: string;
      BROWSER_ACCOUNTS_TOKEN?: string;
      HOSTS_TOKEN?: string;
    }
  }
}
