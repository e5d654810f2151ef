import { join } from "node:path";
import { cloudflareTest, type D1Migration, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { SlowestFilesReporter } from "./test/outside/slowest-files-reporter.ts";

/** Test files that run at once. A file inside workerd waits more than it computes, and one service is shared by many. */
const WORKERD_WORKERS = 2;
const SERVICE_WORKERS = 2;

/** What is waited for comes at once on a machine that has nothing else to do. */
const POLL_TIMEOUT_MS = 15_000;

/** What a running service does beside browsers takes longer. */
const SERVICE_POLL_TIMEOUT_MS = 30_000;

const SERVICE = "test/service/**/*.test.ts";
const CONFORMANCE = "test/conformance/**/*.test.ts";
const SCRIPTS = "test/scripts/**/*.test.ts";
const EXHAUSTIVE = "test/exhaustive/**/*.test.ts";
const EXHAUSTIVE_WORKERD = "test/exhaustive/workerd/**/*.test.ts";
/** Tests inside workerd that launch many browsers or bundle many apps. */
const SLOW = "test/**/*.slow.test.ts";
/** Tests that replace the timers of their worker. They run first: sessions of other files would get the fake ones. */
const FAKE_TIMERS = "test/**/*.fake-timers.test.ts";
/** The rest of the tests of the session's machine are a project of the package's own. */
const MACHINE_SMOKE = "packages/durable-machine/test/smoke.test.ts";
/** The routes of files and processes over two engines, without workerd. */
const SESSION_SERVICE = join(import.meta.dirname, "test", "machine", "session-service");
const MACHINE_ROUTES = "test/machine/routes/**/*.test.ts";
/** Tests whose size depends on the lane. */
const SCALED = "test/**/*.scaled.test.ts";

/** What runs in which lane is said in scripts/test.ts. Projects run one after another, in the order of their groups. */
export default defineConfig(async () => {
  const migrations = await readD1Migrations("migrations");
  return {
    test: {
      // The service logs each request; of passing tests nobody wants to read it.
      silent: "passed-only" as const,
      reporters: ["default", new SlowestFilesReporter()],
      // The shared service takes a while to stop.
      teardownTimeout: 60_000,
      projects: [
        insideWorkerd(migrations, {
          name: "fake-timers",
          include: [FAKE_TIMERS],
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
          provide: { exhaustive: false },
        }),
        insideWorkerd(migrations, {
          name: "workerd",
          include: ["test/**/*.test.ts"],
          exclude: [SERVICE, CONFORMANCE, SCRIPTS, EXHAUSTIVE, FAKE_TIMERS, SLOW, MACHINE_ROUTES],
          sequence: { groupOrder: 1 },
          provide: { exhaustive: false },
        }),
        insideWorkerd(migrations, {
          name: "slow",
          include: [SLOW],
          sequence: { groupOrder: 2 },
          provide: { exhaustive: false },
        }),
        insideWorkerd(migrations, {
          name: "scaled",
          include: [SCALED],
          sequence: { groupOrder: 3 },
          provide: { exhaustive: true },
        }),
        insideWorkerd(migrations, {
          name: "exhaustive-workerd",
          include: [EXHAUSTIVE_WORKERD],
          sequence: { groupOrder: 4 },
          provide: { exhaustive: true },
        }),
        outside({ name: "machine-smoke", include: [MACHINE_SMOKE], sequence: { groupOrder: 5 } }),
        outside({
          name: "machine-routes",
          include: [MACHINE_ROUTES],
          setupFiles: ["test/machine/routes/workerd-globals.ts"],
          alias: {
            "cloudflare:workers": join(SESSION_SERVICE, "cloudflare-workers.ts"),
            "session-service": join(SESSION_SERVICE, "session-service.ts"),
          },
          sequence: { groupOrder: 5 },
        }),
        outside({ name: "scripts", include: [SCRIPTS], maxWorkers: 1, sequence: { groupOrder: 5 } }),
        sharingService({ name: "service", include: [SERVICE], sequence: { groupOrder: 6 } }),
        // Of one project, so that they share one service.
        sharingService({
          name: "conformance",
          include: [SERVICE, CONFORMANCE],
          sequence: { groupOrder: 7 },
        }),
        outside({
          name: "exhaustive",
          include: [EXHAUSTIVE],
          exclude: [EXHAUSTIVE_WORKERD],
          maxWorkers: 1,
          sequence: { groupOrder: 8 },
        }),
        "packages/durable-machine/vitest.config.ts",
      ],
    },
  };
});

type TestOptions = NonNullable<TestProjectInlineConfiguration["test"]>;

function insideWorkerd(migrations: D1Migration[], options: TestOptions): TestProjectInlineConfiguration {
  return {
    plugins: [
      cloudflareTest({
        main: "src/index.ts",
        wrangler: { configPath: "wrangler.toml" },
        miniflare: {
          bindings: {
            TEST_MIGRATIONS: migrations,
            TOKEN_SECRET: "token secret of the tests, 32 bytes",
            ENCRYPTION_KEY: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            ADMIN_TOKEN: "operator-token-of-the-tests-32-bytes",
            LOOP_GUARD_MS: "1000",
            // Their proxies are names only.
            PROXY_BROWSER_CHECK: "false",
          },
        },
      }),
    ],
    test: {
      setupFiles: ["test/mute-between-files.ts", "test/apply-migrations.ts"],
      globalSetup: ["test/outside/chromium-launcher.ts"],
      testTimeout: 30_000,
      // A file's end waits for all that its tests have left under way.
      hookTimeout: 60_000,
      // A runtime of its own for each file takes longer to start than most files take to run.
      isolate: false,
      maxWorkers: WORKERD_WORKERS,
      expect: { poll: { timeout: POLL_TIMEOUT_MS } },
      ...options,
    },
  };
}

function sharingService(options: TestOptions): TestProjectInlineConfiguration {
  return outside({
    globalSetup: ["test/conformance/shared-service-setup.ts"],
    isolate: false,
    maxWorkers: SERVICE_WORKERS,
    ...options,
  });
}

function outside(options: TestOptions): TestProjectInlineConfiguration {
  return {
    test: {
      testTimeout: 120_000,
      hookTimeout: 240_000,
      expect: { poll: { timeout: SERVICE_POLL_TIMEOUT_MS } },
      ...options,
    },
  };
}
