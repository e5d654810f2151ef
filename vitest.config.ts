import { join } from "node:path";
import { cloudflareTest, type D1Migration, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { SlowestFilesReporter } from "./test/outside/slowest-files-reporter.ts";

const WORKERD_WORKERS = 2;
const SERVICE_WORKERS = 2;

const POLL_TIMEOUT_MS = 30_000;

const SERVICE_POLL_TIMEOUT_MS = 60_000;

const SERVICE = "test/service/**/*.test.ts";
const CONFORMANCE = "test/conformance/**/*.test.ts";
const SCRIPTS = "test/scripts/**/*.test.ts";
const EXHAUSTIVE = "test/exhaustive/**/*.test.ts";
const EXHAUSTIVE_WORKERD = "test/exhaustive/workerd/**/*.test.ts";
/** Tests in workerd that launch many browsers or bundle many apps. */
const SLOW = "test/**/*.slow.test.ts";
/** They run first, because sessions of other test files would get the fake timers. */
const FAKE_TIMERS = "test/**/*.fake-timers.test.ts";
/** The other tests of the package are in its own project. */
const MACHINE_SMOKE = "packages/durable-machine/test/smoke.test.ts";
const BROWSER_ACCOUNT = "packages/browser-account/test/**/*.test.ts";
/** Routes of files and processes, without workerd. */
const SESSION_SERVICE = join(import.meta.dirname, "test", "features", "machine", "session-service");
const MACHINE_ROUTES = "test/features/machine/routes/**/*.test.ts";
/** Their size depends on the lane. */
const SCALED = "test/**/*.scaled.test.ts";

/** Projects run one after another by groupOrder. scripts/test.ts defines the lanes. */
export default defineConfig(async () => {
  const migrations = await readD1Migrations("migrations");
  return {
    test: {
      // The service logs every request.
      silent: "passed-only" as const,
      reporters: ["default", new SlowestFilesReporter()],
      // The shared service is slow to stop.
      teardownTimeout: 60_000,
      projects: [
        inWorkerd(migrations, {
          name: "fake-timers",
          include: [FAKE_TIMERS],
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
          provide: { exhaustive: false },
        }),
        inWorkerd(migrations, {
          name: "workerd",
          include: ["test/**/*.test.ts", BROWSER_ACCOUNT],
          exclude: [SERVICE, CONFORMANCE, SCRIPTS, EXHAUSTIVE, FAKE_TIMERS, SLOW, MACHINE_ROUTES],
          sequence: { groupOrder: 1 },
          provide: { exhaustive: false },
        }),
        inWorkerd(migrations, {
          name: "slow",
          include: [SLOW],
          sequence: { groupOrder: 2 },
          provide: { exhaustive: false },
        }),
        inWorkerd(migrations, {
          name: "scaled",
          include: [SCALED],
          sequence: { groupOrder: 3 },
          provide: { exhaustive: true },
        }),
        inWorkerd(migrations, {
          name: "exhaustive-workerd",
          include: [EXHAUSTIVE_WORKERD],
          sequence: { groupOrder: 4 },
          provide: { exhaustive: true },
        }),
        inNode({ name: "machine-smoke", include: [MACHINE_SMOKE], sequence: { groupOrder: 5 } }),
        inNode({
          name: "machine-routes",
          include: [MACHINE_ROUTES],
          setupFiles: ["test/features/machine/routes/workerd-globals.ts"],
          alias: {
            "cloudflare:sockets": join(SESSION_SERVICE, "cloudflare-sockets.ts"),
            "cloudflare:workers": join(SESSION_SERVICE, "cloudflare-workers.ts"),
            "session-service": join(SESSION_SERVICE, "session-service.ts"),
          },
          sequence: { groupOrder: 5 },
        }),
        inNode({ name: "scripts", include: [SCRIPTS], maxWorkers: 1, sequence: { groupOrder: 5 } }),
        withSharedService({ name: "service", include: [SERVICE], sequence: { groupOrder: 6 } }),
        // One project, so that all files share one service.
        withSharedService({
          name: "conformance",
          include: [SERVICE, CONFORMANCE],
          sequence: { groupOrder: 7 },
        }),
        inNode({
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

function inWorkerd(migrations: D1Migration[], options: TestOptions): TestProjectInlineConfiguration {
  return {
    plugins: [
      cloudflareTest({
        main: "src/index.ts",
        wrangler: { configPath: "wrangler.toml" },
        miniflare: {
          // Of test/idle-deployment.scaled.test.ts.
          d1Databases: ["IDLE_DB"],
          r2Buckets: ["IDLE_FILES"],
          bindings: {
            TEST_MIGRATIONS: migrations,
            TOKEN_SECRET: "token secret of the tests, 32 bytes",
            ENCRYPTION_KEY: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            ADMIN_TOKEN: "operator-token-of-the-tests-32-bytes",
            LOOP_GUARD_MS: "1000",
            // The proxies of these tests do not exist.
            PROXY_BROWSER_CHECK: "false",
            // Its background work lasts a second, for which tests wait after each request. Its own tests
            // switch it on.
            AUDIT_LOG_RETENTION_SECONDS: "0",
          },
        },
      }),
    ],
    test: {
      setupFiles: ["test/mute-between-files.ts", "test/apply-migrations.ts"],
      globalSetup: ["test/outside/chromium-launcher.ts"],
      testTimeout: 60_000,
      // The last hook of a file waits for the background work of its tests.
      hookTimeout: 120_000,
      // Starting a runtime takes longer than most files.
      isolate: false,
      maxWorkers: WORKERD_WORKERS,
      expect: { poll: { timeout: POLL_TIMEOUT_MS } },
      ...options,
    },
  };
}

function withSharedService(options: TestOptions): TestProjectInlineConfiguration {
  return inNode({
    globalSetup: ["test/conformance/shared-service-setup.ts"],
    isolate: false,
    maxWorkers: SERVICE_WORKERS,
    // Each test has a browser or two, and the machines of most developers have few processors.
    maxConcurrency: 2,
    ...options,
  });
}

function inNode(options: TestOptions): TestProjectInlineConfiguration {
  return {
    test: {
      testTimeout: 240_000,
      hookTimeout: 240_000,
      expect: { poll: { timeout: SERVICE_POLL_TIMEOUT_MS } },
      ...options,
    },
  };
}
