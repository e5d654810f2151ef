import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Tests that start the service, or run its scripts, as a user does; all others run inside workerd. */
const CONFORMANCE = ["test/service/**/*.test.ts", "test/conformance/**/*.test.ts"];
const EXHAUSTIVE = ["test/exhaustive/**/*.test.ts"];
const OUTSIDE = [...CONFORMANCE, ...EXHAUSTIVE, "test/scripts/**/*.test.ts"];

/** The most of them that run at once: they wait more than they compute. */
const SERVICE_WORKERS = 2;

/** What is waited for comes at once on a machine that has nothing else to do. */
const POLL_TIMEOUT_MS = 15_000;

/** What a running service does beside browsers takes longer. */
const SERVICE_POLL_TIMEOUT_MS = 30_000;

export default defineConfig(async () => {
  const migrations = await readD1Migrations("migrations");
  return {
    test: {
      // The service logs each request; of passing tests nobody wants to read it.
      silent: "passed-only" as const,
      // The shared service takes a while to stop.
      teardownTimeout: 60_000,
      projects: [
        {
          plugins: [
            cloudflareTest({
              main: "src/index.ts",
              wrangler: { configPath: "wrangler.toml" },
              miniflare: {
                bindings: {
                  TEST_MIGRATIONS: migrations,
                  TOKEN_SECRET: "token secret of the tests",
                  ENCRYPTION_KEY: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                  ADMIN_TOKEN: "operator-token-of-the-tests",
                  LOOP_GUARD_SECONDS: "1",
                },
              },
            }),
          ],
          test: {
            name: "workerd",
            include: ["test/**/*.test.ts"],
            exclude: OUTSIDE,
            setupFiles: ["test/apply-migrations.ts"],
            globalSetup: ["test/outside/chromium-launcher.ts"],
            testTimeout: 30_000,
            // A runtime of its own for each file takes longer to start than most files take to run.
            isolate: false,
            expect: { poll: { timeout: POLL_TIMEOUT_MS } },
          },
        },
        {
          test: {
            name: "conformance",
            include: CONFORMANCE,
            globalSetup: ["test/conformance/shared-service-setup.ts"],
            testTimeout: 120_000,
            hookTimeout: 240_000,
            isolate: false,
            maxWorkers: SERVICE_WORKERS,
            sequence: { groupOrder: 1 },
            expect: { poll: { timeout: SERVICE_POLL_TIMEOUT_MS } },
          },
        },
        {
          test: {
            name: "exhaustive",
            include: [...EXHAUSTIVE, "test/scripts/**/*.test.ts"],
            testTimeout: 120_000,
            hookTimeout: 240_000,
            fileParallelism: false,
            expect: { poll: { timeout: SERVICE_POLL_TIMEOUT_MS } },
          },
        },
      ],
    },
  };
});
