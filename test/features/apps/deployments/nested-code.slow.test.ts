import { describe, expect, it } from "vitest";
import { useNewClient } from "../../../api.ts";
import { appSource, deployAndWait } from "./deployments.ts";

const DEPTH = 100_000;

const nest = (head: string, tail: string) => `${head.repeat(DEPTH)}0${tail.repeat(DEPTH)}`;

/** Well below the time that the service waits before it continues an interrupted build. */
const MAX_MS = 20_000;

const client = useNewClient();

describe("an app that is nested 100,000 deep", () => {
  it.each<[string, Record<string, string>]>([
    ["in parentheses", { "index.ts": `${appSource("a")}\nexport const deep = ${nest("(", ")")};` }],
    ["in lists", { "index.ts": `${appSource("a")}\nexport const deep = ${nest("[", "]")};` }],
    ["in blocks", { "index.ts": `${appSource("a")}\n${"{".repeat(DEPTH)}${"}".repeat(DEPTH)}` }],
    ["without an end", { "index.ts": "(".repeat(DEPTH) }],
    [
      "in a sum",
      { "index.ts": `${appSource("a")}\nexport const deep = globalThis.x${"+globalThis.x".repeat(DEPTH)};` },
    ],
    [
      "in a chain",
      { "index.ts": `${appSource("a")}\nexport const deep = () => globalThis${".a".repeat(DEPTH)};` },
    ],
    [
      "in calls",
      { "index.ts": `${appSource("a")}\nexport const deep = () => globalThis.f${"()".repeat(DEPTH)};` },
    ],
    [
      "in JSON",
      {
        "index.ts": `import deep from "./deep.json";\n${appSource("a")}\nconsole.log(deep);`,
        "deep.json": nest("[", "]"),
      },
    ],
  ])(
    "fails at once %s",
    async (_, files) => {
      const startedAt = Date.now();
      const { status, status_reason } = await deployAndWait(client, files);
      expect(status).toBe("failed");
      expect(status_reason).toContain("The code is nested too deeply to compile");
      expect(Date.now() - startedAt).toBeLessThan(MAX_MS);
    },
    150_000,
  );
});
