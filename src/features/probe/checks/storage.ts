import { type Checks, differs, type Finding, holds } from "../check.ts";

const QUERIES = 5;
const D1_LIMIT_MS = 500;
const R2_LIMIT_MS = 3000;
const OBJECT_KEY = "probe/object";
const OBJECT_BYTES = 1024 * 1024;

export const storageChecks = {
  async d1_latency({ env, cost }) {
    const durations: number[] = [];
    for (let query = 0; query < QUERIES; query += 1) {
      const startedAt = Date.now();
      const { meta } = await env.DB.prepare("SELECT name FROM capabilities LIMIT 1").run();
      durations.push(Date.now() - startedAt);
      cost.d1_rows_read += meta.rows_read;
      cost.d1_rows_written += meta.rows_written;
    }
    return judgeLatency(durations.sort((a, b) => a - b)[Math.floor(QUERIES / 2)] ?? 0, D1_LIMIT_MS);
  },

  async r2_latency({ env, cost }) {
    const startedAt = Date.now();
    cost.r2_writes += 1;
    cost.r2_reads += 1;
    try {
      await env.FILES.put(OBJECT_KEY, new Uint8Array(OBJECT_BYTES));
      const read = await (await env.FILES.get(OBJECT_KEY))?.bytes();
      if (read?.length !== OBJECT_BYTES) return differs(`${read?.length} of ${OBJECT_BYTES} bytes were read`);
    } finally {
      await env.FILES.delete(OBJECT_KEY);
    }
    return judgeLatency(Date.now() - startedAt, R2_LIMIT_MS);
  },
} satisfies Checks;

export function judgeLatency(durationMs: number, limitMs: number): Finding {
  return durationMs <= limitMs ? holds(`${durationMs} ms`) : differs(`${durationMs} ms`);
}
