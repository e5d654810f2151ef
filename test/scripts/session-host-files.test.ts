import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { ROOT } from "../../scripts/local/paths.ts";
import { parseJSON } from "../../src/lib/common/parse-json.ts";
import { SETTINGS } from "../../src/lib/common/settings-schema.ts";

const FOLDER = "packages/session-host";
const MAIN = `${FOLDER}/src/main.ts`;

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const help = execFileSync(process.execPath, [join(ROOT, MAIN), "--help"], { encoding: "utf8" });

/** The program's options with the defaults that its help names. */
const options = new Map(
  [...help.matchAll(/^ {2}--([a-z-]+) +(\S+)/gm)].map(([, name = "", value = ""]) => [name, value]),
);

/** The options in a text, as `--port`. */
const optionsIn = (text: string) =>
  [...text.matchAll(/--([a-z]+(?:-[a-z]+)*)/g)].map(([, name = ""]) => name);

const unknownOptions = (text: string) => optionsIn(text).filter((name) => !options.has(name));

/** The value of an option in a text, as `--port=8787` or `--port 8787`. */
const numberIn = (option: string, text: string) =>
  Number(new RegExp(`--${option}[= ](\\d+)`).exec(text)?.[1]);

const secondsOf = (text: string) => numberIn("drain-seconds", text);

it("the program's help lists its options", () => {
  const parsed = [...read(MAIN).matchAll(/^ {4}"?([a-z-]+)"?: \{ type: "string"/gm)].map(([, name]) => name);
  expect([...options.keys()].sort()).toEqual(parsed.sort());
});

describe("Dockerfile", () => {
  interface Instruction {
    name: string;
    text: string;
  }

  const instructions: Instruction[] = read(`${FOLDER}/Dockerfile`)
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", ...words] = line.split(/\s+/);
      return { name, text: words.join(" ") };
    });

  const textsOf = (name: string) => instructions.filter((each) => each.name === name).map(({ text }) => text);

  const copies = textsOf("COPY").map((text) => {
    const words = text.split(" ");
    return { sources: words.slice(0, -1), target: words.at(-1) ?? "" };
  });

  const packages = /apt-get install (.*?) &&/
    .exec(textsOf("RUN").join("\n"))?.[1]
    ?.match(/(?<= )[a-z][\w.+-]+/g);

  it("consists of known instructions and begins with an image", () => {
    const known = "FROM RUN WORKDIR COPY ENV USER EXPOSE HEALTHCHECK ENTRYPOINT".split(" ");
    expect(instructions.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
    expect(instructions[0]).toEqual({ name: "FROM", text: "node:24-trixie-slim" });
  });

  it("copies what exists, and what its ignore file lets into the build", () => {
    const [everything, ...exceptions] = read(`${FOLDER}/Dockerfile.dockerignore`)
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(everything).toBe("*");
    const sources = copies.flatMap(({ sources }) => sources);
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(sources.sort()).toEqual(exceptions.map((line) => line.replace(/^!/, "")).sort());
  });

  it("copies all that the program imports", () => {
    const image = mkdtempSync(join(tmpdir(), "image-"));
    try {
      for (const { sources, target } of copies)
        for (const source of sources) {
          const path = target.endsWith("/") ? join(target, source.split("/").at(-1) ?? "") : target;
          cpSync(join(ROOT, source), join(image, path), { recursive: true });
        }
      // As npm installs them.
      const modules = join(image, "node_modules");
      mkdirSync(modules);
      const workspaces = copies.filter(
        ({ target }) => target.startsWith("packages/") && target.endsWith("/"),
      );
      const names = new Set(
        workspaces.flatMap(({ target }) => Object.keys(dependenciesOf(`${target}package.json`))),
      );
      for (const name of names) {
        const workspace = join(image, "packages", name);
        const installed = existsSync(workspace) ? workspace : join(ROOT, "node_modules", name);
        symlinkSync(installed, join(modules, name));
      }
      const [program, ...args] = z.array(z.string()).parse(parseJSON(textsOf("ENTRYPOINT")[0] ?? ""));
      expect([program, ...args.slice(0, 2)]).toEqual(["tini", "--", "node"]);
      const printed = execFileSync(process.execPath, [...args.slice(2), "--help"], {
        cwd: image,
        encoding: "utf8",
      });
      expect(printed).toBe(help);
    } finally {
      rmSync(image, { recursive: true, force: true });
    }
  });

  it("installs the programs that sandboxes need, and packages that Debian has", () => {
    expect(packages).toEqual(
      expect.arrayContaining(["bubblewrap", "util-linux", "tini", "python3", "git", "ffmpeg"]),
    );
    const known = knownPackages();
    if (known !== undefined) expect(packages?.filter((name) => !known.has(name))).toEqual([]);
  });

  it("offers the default port", () => {
    expect(textsOf("EXPOSE")).toEqual([options.get("port")]);
    expect(textsOf("HEALTHCHECK")[0]).toContain(`:${options.get("port")}/health`);
  });
});

function dependenciesOf(path: string): Record<string, string> {
  const packageSchema = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });
  return packageSchema.parse(parseJSON(read(path))).dependencies;
}

/** The names of Debian's packages; undefined where apt knows none. */
function knownPackages(): Set<string> | undefined {
  try {
    const names = execFileSync("apt-cache", ["pkgnames"], { encoding: "utf8", maxBuffer: 2 ** 26 }).split(
      "\n",
    );
    // Without lists, apt knows only what is installed.
    return names.length > 10_000 ? new Set(names) : undefined;
  } catch {
    return undefined;
  }
}

describe("kubernetes.yaml", () => {
  const text = read(`${FOLDER}/kubernetes.yaml`);
  const documents = parseAllDocuments(text);
  const [service, statefulSet] = documents.map((document): unknown => document.toJS());

  const portSchema = z.array(z.object({ name: z.literal("http") }).loose()).length(1);
  const probeSchema = z.object({
    httpGet: z.object({ path: z.literal("/health"), port: z.literal("http") }),
  });
  const labelsSchema = z.object({ app: z.literal("session-host") });
  const statefulSetSchema = z.object({
    kind: z.literal("StatefulSet"),
    spec: z.object({
      serviceName: z.literal("session-host"),
      selector: z.object({ matchLabels: labelsSchema }),
      template: z.object({
        metadata: z.object({ labels: labelsSchema }),
        spec: z.object({
          terminationGracePeriodSeconds: z.int(),
          containers: z
            .array(
              z.object({
                args: z.array(z.string()),
                env: z.array(
                  z.object({
                    name: z.literal("SESSION_HOST_TOKEN"),
                    valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }),
                  }),
                ),
                ports: portSchema,
                readinessProbe: probeSchema,
                livenessProbe: probeSchema,
                securityContext: z.object({ privileged: z.literal(true), runAsUser: z.literal(0) }),
              }),
            )
            .length(1),
        }),
      }),
    }),
  });

  it("is YAML without errors", () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  });

  it("gives each pod an address that it keeps while it drains", () => {
    expect(service).toMatchObject({
      kind: "Service",
      metadata: { name: "session-host" },
      spec: {
        clusterIP: "None",
        publishNotReadyAddresses: true,
        selector: { app: "session-host" },
        ports: [{ port: Number(options.get("port")), targetPort: "http" }],
      },
    });
  });

  it("starts the program with its port and options, and waits for its drain", () => {
    const { spec } = statefulSetSchema.parse(statefulSet).spec.template;
    const [container] = spec.containers;
    const args = container?.args.join(" ") ?? "";
    expect(unknownOptions(args)).toEqual([]);
    expect(container?.ports).toEqual([{ name: "http", containerPort: numberIn("port", args) }]);
    expect(numberIn("port", args)).toBe(Number(options.get("port")));
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(secondsOf(args));
  });

  it("limits the memory to no less than all machines may use", () => {
    const mebibytes = numberIn("memory-mebibytes", text) + numberIn("files-mebibytes", text);
    const gibibytes = Number(/memory: (\d+)Gi \}\n\s+securityContext/.exec(text)?.[1]);
    expect(gibibytes * 1024).toBeGreaterThanOrEqual(
      mebibytes * (numberIn("max-machines", text) + numberIn("prepared", text)),
    );
  });
});

describe("session-host.service", () => {
  const text = read(`${FOLDER}/session-host.service`).replaceAll("\\\n", "");
  const command = /^ExecStart=(.*)$/m.exec(text)?.[1] ?? "";

  it("starts the program with known options", () => {
    expect(command).toContain(`/${MAIN} `);
    expect(unknownOptions(command)).toEqual([]);
    expect(text).toContain(`/run/${/^RuntimeDirectory=(.*)$/m.exec(text)?.[1]} `);
  });

  it("waits for its drain", () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])).toBeGreaterThan(secondsOf(command));
    expect(text).toContain("\nKillMode=mixed\n");
  });
});

describe("docs", () => {
  const page = read("docs/run-a-host.md");

  it("explain each option with its default", () => {
    const rows = [...page.matchAll(/^\| `--([a-z-]+)` \| .* \| (.+) \|$/gm)];
    expect(rows.map(([, name]) => name).sort()).toEqual([...options.keys()].sort());
    for (const [, name = "", value = ""] of rows)
      if (/^[\d./]/.test(value)) expect([name, value]).toEqual([name, options.get(name)]);
  });

  it("name each metric", () => {
    const source = read(`${FOLDER}/src/server/metrics.ts`);
    const metrics = [...source.matchAll(/name: "(session_host_\w+)"/g)].map(([, name = ""]) => name);
    expect(metrics.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it("have an example of HOSTS that is valid, and explain each of its fields", () => {
    const machines = read("docs/real-machines.md");
    const [host] = SETTINGS.HOSTS.parse(/^HOSTS = '(.*)'$/m.exec(machines)?.[1]);
    const { limits, ...fields } = host ?? expect.fail("there is no host");
    const names = [...Object.keys(fields), ...Object.keys(limits).map((name) => `limits.${name}`)];
    const rows = [...machines.matchAll(/^\| `([a-z_.]+)` \| .* \| .* \|$/gm)].map(([, name = ""]) => name);
    // The example leaves it out.
    expect(rows.sort()).toEqual([...names, "token"].sort());
  });
});
