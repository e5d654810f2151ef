import { Kernel, type KernelContext } from "@onkernel/sdk";
import { parseCSV } from "./parse-csv.ts";

const kernel = new Kernel();
const app = kernel.app("csv-summary");

interface SummaryInput {
  csv: string;
}

interface ColumnSummary {
  count: number;
  sum: number;
  mean: number;
}

/** Summarizes the numeric columns of a CSV. */
app.action(
  "summarize",
  async (_context: KernelContext, payload?: SummaryInput): Promise<Record<string, ColumnSummary>> => {
    if (typeof payload?.csv !== "string")
      throw new Error('Invoke this with a payload such as {"csv": "a,b\\n1,2"}');
    const rows = parseCSV(payload.csv);
    console.log(`${rows.length} rows`);
    const [header = [], ...records] = rows;
    const summaries: Record<string, ColumnSummary> = {};
    for (const [index, name] of header.entries()) {
      const values = records.map((record) => Number(record[index] ?? Number.NaN));
      if (values.length === 0 || values.some(Number.isNaN)) {
        console.warn(`${name} holds other things than numbers`);
        continue;
      }
      const sum = values.reduce((total, value) => total + value, 0);
      summaries[name] = { count: values.length, sum, mean: sum / values.length };
    }
    return summaries;
  },
);

export default app;
