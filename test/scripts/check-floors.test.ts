import { describe, expect, it } from "vitest";
import { faultsOf, foreignUsesOf } from "../../scripts/check-floors.ts";

/** @example "src/app.ts > src/api/files/routes.ts" */
const check = (...lines: string[]) =>
  faultsOf(
    lines.map((line) => {
      const [from = "", to = ""] = line.split(" > ");
      return { from, to };
    }),
  );

describe("imports between floors", () => {
  it.each([
    "src/index.ts > src/app.ts",
    "src/app.ts > src/api/files/routes.ts",
    "src/app.ts > src/api/record-calls.ts",
    "src/api/live-view/page-routes.ts > src/features/live-view/index.ts",
    "src/api/processes/schema.ts > src/api/files/schema.ts",
    "src/features/sessions/state/a.ts > src/features/sessions/b.ts",
    "src/features/apps/run.ts > src/platform/dynamic-workers/runtime/bundler.ts",
    "src/platform/browser/a.ts > src/platform/network/resolve.ts",
    "src/platform/browser/a.ts > src/lib/common/errors.ts",
    "web/live-view/main.ts > src/features/live-view/protocol.ts",
  ])("are allowed: %s", (line) => {
    expect(check(line)).toEqual([]);
  });

  it.each([
    ["src/features/apps/a.ts > src/api/files/routes.ts", "a floor above"],
    ["src/lib/http/a.ts > src/platform/network/resolve.ts", "a floor above"],
    ["src/platform/broker/a.ts > src/features/usage/index.ts", "a floor above"],
    ["src/api/files/routes.ts > src/app.ts", "a floor above"],
    ["src/api/live-view/routes.ts > web/live-view/index.ts", "a floor above"],
    ["src/features/apps/a.ts > src/features/usage/store.ts", "import its index.ts"],
    ["src/app.ts > src/api/files/upload-form.ts", "import its index.ts"],
    ["web/live-view/main.ts > src/features/live-view/viewer.ts", "import its index.ts"],
    [
      "src/features/apps/a.ts > src/common/errors.ts",
      "src/common/errors.ts, and common/errors.ts is on no floor",
    ],
  ])("are refused: %s", (line, fault) => {
    expect(check(line)[0]).toContain(fault);
  });

  it("do not close a circle of folders", () => {
    expect(
      check(
        "src/features/a/x.ts > src/features/b/index.ts",
        "src/features/b/y.ts > src/features/c/index.ts",
        "src/features/c/z.ts > src/features/a/index.ts",
      ),
    ).toEqual([expect.stringContaining("features/a > features/b > features/c > features/a")]);
    expect(
      check("src/features/a/x.ts > src/features/c/index.ts", "src/features/b/x.ts > src/features/c/index.ts"),
    ).toEqual([]);
  });
});

describe("bindings and tables", () => {
  it.each([
    ["src/features/sessions/stub.ts", "env.BROWSER_SESSION.getByName(id)"],
    ["src/features/webhooks/a.ts", 'import type { AppRow } from "../../lib/database/schema/apps.ts";'],
    ["src/features/webhooks/a.ts", 'import { type AppRow } from "../../lib/database/schema/apps.ts";'],
    ["src/features/apps/a.ts", 'import { type AppRow, apps } from "../../lib/database/schema/apps.ts";'],
    ["src/features/apps/a.ts", "sql`SELECT 1 FROM apps WHERE id = 1`"],
    ["src/features/webhooks/a.ts", "env.TOKEN_SECRET"],
  ])("are used in %s: %s", (path, text) => {
    expect(foreignUsesOf(path, text)).toEqual([]);
  });

  it.each([
    ["src/features/webhooks/a.ts", "await this.env.BROWSER_SESSION.getByName(id).end()"],
    ["src/features/audit/a.ts", 'import { apps } from "../../lib/database/schema/apps.ts";'],
    ["src/features/webhooks/a.ts", "sql`SELECT 1\n  FROM apps AS known`"],
    ["src/features/webhooks/a.ts", 'database.prepare("UPDATE idempotency_keys SET key = 1")'],
    ["src/lib/http/a.ts", 'import {\n  type AppRow,\n  apps,\n} from "../database/schema/apps.ts";'],
  ])("are refused in %s: %s", (path, text) => {
    expect(foreignUsesOf(path, text)).toHaveLength(1);
  });
});
