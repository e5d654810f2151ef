import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "machine",
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    maxWorkers: 2,
    sequence: { groupOrder: 9 },
  },
});
