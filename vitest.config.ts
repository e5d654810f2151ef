import { globSync, readFileSync } from "node:fs";
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
const EXHAUSTIVE = "test/exhaustive/*.test.ts";
const EXHAUSTIVE_WORKERD = "test/exhaustive/workerd/**/*.test.ts";
/** Files that take long, for example because they launch many browsers. */
const SLOW = "test/**/*.slow.test.ts";
const SLOW_SERVICE = "test/service/**/*.slow.test.ts";
const SLOW_SCRIPTS = "test/scripts/**/*.slow.test.ts";
/** They run first, because sessions of other test files would get the fake timers. */
const FAKE_TIMERS = "test/**/*.fake-timers.test.ts";
const BROWSER_ACCOUNT = "packages/browser-account/test/**/*.test.ts";
/** The other tests of the package are in its own project. */
const MACHINE_SMOKE = "packages/durable-machine/test/smoke.test.ts";
const SESSION_HOST = "packages/session-host/test/**/*.test.ts";
const SLOW_SESSION_HOST = "packages/session-host/test/**/*.slow.test.ts";
/** Routes of files and processes, without workerd. */
const SESSION_SERVICE = join(import.meta.dirname, "test", "features", "machine", "session-service");
const MACHINE_ROUTES = "test/features/machine/routes/**/*.test.ts";
/** Tests in workerd whose size depends on the lane. */
const SCALED = globSync("test/**/*.test.ts").filter((path) =>
  readFileSync(path, "utf8").includes("sizeOfLane("),
);

const WORKERD = ["test/**/*.test.ts", BROWSER_ACCOUNT];
const NOT_WORKERD = [SERVICE, CONFORMANCE, SCRIPTS, EXHAUSTIVE, FAKE_TIMERS, MACHINE_ROUTES];

/** The files of each project, by lane; a selection of files or tests is one of all files. */
const LANES: Record<string, Record<string, { include: string[]; exclude?: string[] }>> = {
  default: {
    fakeTimers: { include: [FAKE_TIMERS] },
    workerd: { include: WORKERD, exclude: [...NOT_WORKERD, SLOW, EXHAUSTIVE_WORKERD] },
    machineRoutes: { include: [MACHINE_ROUTES] },
    node: { include: [SCRIPTS, MACHINE_SMOKE, SESSION_HOST], exclude: [SLOW, SLOW_SESSION_HOST] },
    service: { include: [SERVICE], exclude: [SLOW] },
  },
  conformance: {
    workerd: { include: [SLOW], exclude: NOT_WORKERD },
    node: { include: [SLOW_SCRIPTS, SLOW_SESSION_HOST] },
    service: { include: [CONFORMANCE, SLOW_SERVICE] },
  },
  exhaustive: {
    workerd: { include: [...SCALED, EXHAUSTIVE_WORKERD] },
    node: { include: [EXHAUSTIVE] },
    machine: { include: [] },
  },
  selection: {
    fakeTimers: { include: [FAKE_TIMERS] },
    workerd: { include: WORKERD, exclude: NOT_WORKERD },
    machineRoutes: { include: [MACHINE_ROUTES] },
    node: { include: [SCRIPTS, EXHAUSTIVE, SESSION_HOST] },
    service: { include: [SERVICE, CONFORMANCE] },
    machine: { include: [] },
  },
};

/** scripts/test.ts sets the lane. Projects run one after another by groupOrder. */
export default defineConfig(async () => {
  const migrations = await readD1Migrations("migrations");
  const lane = process.env.TEST_LANE ?? "selection";
  const { fakeTimers, workerd, machineRoutes, node, service, machine } = LANES[lane] ?? {};
  const provide = { exhaustive: lane === "exhaustive" };
  const projects = [
    fakeTimers &&
      inWorkerd(migrations, {
        name: "fake-timers",
        ...fakeTimers,
        provide,
        maxWorkers: 1,
        sequence: { groupOrder: 0 },
      }),
    workerd && inWorkerd(migrations, { name: "workerd", ...workerd, provide, sequence: { groupOrder: 1 } }),
    machineRoutes &&
      inNode({
        name: "machine-routes",
        ...machineRoutes,
        setupFiles: ["test/features/machine/routes/workerd-globals.ts"],
        alias: {
          "cloudflare:sockets": join(SESSION_SERVICE, "cloudflare-sockets.ts"),
          "cloudflare:workers": join(SESSION_SERVICE, "cloudflare-workers.ts"),
          "session-service": join(SESSION_SERVICE, "session-service.ts"),
        },
        sequence: { groupOrder: 2 },
      }),
    node && inNode({ name: "node", ...node, maxWorkers: 1, sequence: { groupOrder: 2 } }),
    service && withSharedService({ name: "service", ...service, sequence: { groupOrder: 3 } }),
    machine && "packages/durable-machine/vitest.config.ts",
  ];
  return {
    test: {
      // The service logs every request.
      silent: "passed-only" as const,
      reporters: ["default", new SlowestFilesReporter()],
      // The shared service is slow to stop.
      teardownTimeout: 60_000,
      projects: projects.filter((project) => project !== undefined),
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
          // Of test/idle-deployment.slow.test.ts.
          d1Databases: ["IDLE_DB"],
          r2Buckets: ["IDLE_FILES"],
          bindings: {
            TEST_MIGRATIONS: migrations,
            TOKEN_SECRET: "token secret of the tests, 32 bytes",
            ENCRYPTION_KEY: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            ADMIN_TOKEN: "operator-token-of-the-tests-32-bytes",
            LOOP_GUARD_MS: "1000",
            STANDBY_BROWSERS: "0",
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
      setupFiles: [
        "test/kept-worker.ts",
        "test/mute-between-files.ts",
        "test/real-timers.ts",
        "test/apply-migrations.ts",
      ],
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
