import { describe, expect, it, vi } from "vitest";
import { Downloads, type ReadDownload } from "../../../src/platform/browser/files/downloads.ts";
import { FakeSessionFiles } from "../../fakes/session-files.ts";

const CONTEXT = "";
const DOWNLOAD = { guid: "g", name: "report.txt" };

function newDownloads() {
  const files = new FakeSessionFiles();
  const failures: unknown[] = [];
  const uses = { current: 0, max: 0 };
  const downloads = new Downloads({
    files,
    beginUse: () => {
      uses.current += 1;
      uses.max = Math.max(uses.max, uses.current);
      return {
        [Symbol.dispose]: () => {
          uses.current -= 1;
        },
      };
    },
    onFailure: (error) => failures.push(error),
  });
  return { downloads, files, failures, uses };
}

const readText =
  (text: string): ReadDownload =>
  (use) =>
    use(new Blob([text]).stream());

describe("Downloads", () => {
  it("stores a completed download, and uses the session meanwhile", async () => {
    const { downloads, files, uses } = newDownloads();
    await downloads.store("g", downloads.begin(DOWNLOAD, CONTEXT), readText("content"));
    expect(files.text("/home/kernel/Downloads/report.txt")).toBe("content");
    expect(uses).toEqual({ current: 0, max: 1 });
  });

  it("returns each client its own path, or the first", async () => {
    const { downloads, files } = newDownloads();
    const [named, byGuid, other] = [{}, {}, {}];
    downloads.behaviors.set(named, CONTEXT, { kind: "allow", directory: "/tmp/d" });
    downloads.behaviors.set(byGuid, CONTEXT, { kind: "allowAndName", directory: "/tmp/n" });
    const places = downloads.begin(DOWNLOAD, CONTEXT);
    const pending = downloads.waitUntilStored("g");
    await downloads.store("g", places, readText("content"));
    const stored = await pending;
    expect(stored?.pathFor(named)).toBe("/tmp/d/report.txt");
    expect(stored?.pathFor(byGuid)).toBe("/tmp/n/g");
    expect(stored?.pathFor(other)).toBe("/tmp/d/report.txt");
    expect([...files.files.keys()]).toEqual(["/tmp/d/report.txt", "/tmp/n/g"]);
  });

  it("reports a download requested before its start and after its end", async () => {
    const { downloads } = newDownloads();
    const early = downloads.waitUntilStored("g");
    await downloads.store("g", downloads.begin(DOWNLOAD, CONTEXT), readText("content"));
    expect((await early)?.pathFor({})).toBe("/home/kernel/Downloads/report.txt");
    expect((await downloads.waitUntilStored("g"))?.pathFor({})).toBe("/home/kernel/Downloads/report.txt");
  });

  it("returns nothing for a canceled download", async () => {
    const { downloads, failures } = newDownloads();
    downloads.begin(DOWNLOAD, CONTEXT);
    const pending = downloads.waitUntilStored("g");
    downloads.drop("g");
    expect(await pending).toBeUndefined();
    expect(failures).toEqual([]);
  });

  it("returns nothing for a download that cannot be stored, and reports the failure", async () => {
    const { downloads, files, failures, uses } = newDownloads();
    files.failure = new Error("the quota is used up");
    const pending = downloads.waitUntilStored("g");
    await downloads.store("g", downloads.begin(DOWNLOAD, CONTEXT), readText("content"));
    expect(await pending).toBeUndefined();
    expect(failures).toEqual([files.failure]);
    expect(uses.current).toBe(0);
  });

  it("stores a download even when a client's directory is invalid", async () => {
    const { downloads, files, failures } = newDownloads();
    const client = {};
    downloads.behaviors.set(client, CONTEXT, { kind: "allowAndName", directory: "/dev/null" });
    vi.spyOn(files, "link").mockRejectedValue(new Error("not a directory"));
    await downloads.store("g", downloads.begin(DOWNLOAD, CONTEXT), readText("content"));
    expect((await downloads.waitUntilStored("g"))?.pathFor(client)).toBe("/home/kernel/Downloads/report.txt");
    expect(failures).toHaveLength(1);
  });

  it("stops waiting for a download that never begins", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { downloads } = newDownloads();
    const pending = downloads.waitUntilStored("never heard of");
    await vi.advanceTimersByTimeAsync(5000);
    expect(await pending).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits without a limit for a download that has begun", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { downloads } = newDownloads();
    const places = downloads.begin(DOWNLOAD, CONTEXT);
    const pending = downloads.waitUntilStored("g");
    await vi.advanceTimersByTimeAsync(3_600_000);
    await downloads.store("g", places, readText("content"));
    expect(await pending).toBeDefined();
  });

  it("limits concurrent copies", async () => {
    const { downloads } = newDownloads();
    let reads = 0;
    const gates: PromiseWithResolvers<void>[] = [];
    const slow: ReadDownload = async (use) => {
      reads += 1;
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return use(new Blob(["x"]).stream());
    };
    const stores = Array.from({ length: 5 }, (_, index) => {
      const download = { guid: `g${index}`, name: `${index}.txt` };
      return downloads.store(download.guid, downloads.begin(download, CONTEXT), slow);
    });
    expect(reads).toBe(3);
    gates[0]?.resolve();
    await stores[0];
    expect(reads).toBe(4);
    for (const gate of gates) gate.resolve();
    await vi.waitFor(() => expect(reads).toBe(5));
    for (const gate of gates) gate.resolve();
    await Promise.all(stores);
  });

  it("remembers only the latest", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { downloads } = newDownloads();
    for (let index = 0; index < 300; index += 1) {
      const download = { guid: `g${index}`, name: "x" };
      await downloads.store(download.guid, downloads.begin(download, CONTEXT), readText("x"));
    }
    expect(await downloads.waitUntilStored("g299")).toBeDefined();
    const forgotten = downloads.waitUntilStored("g0");
    await vi.advanceTimersByTimeAsync(5000);
    expect(await forgotten).toBeUndefined();
  });
});
