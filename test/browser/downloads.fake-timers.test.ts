import { afterEach, describe, expect, it, vi } from "vitest";
import { Downloads, type ReadDownload } from "../../src/browser/files/downloads.ts";
import { FakeSessionFiles } from "../fakes/session-files.ts";

const CONTEXT = "";
const DOWNLOAD = { guid: "g", name: "report.txt" };

afterEach(() => {
  vi.useRealTimers();
});

function newDownloads() {
  const files = new FakeSessionFiles();
  const failures: unknown[] = [];
  const uses = { now: 0, most: 0 };
  const downloads = new Downloads({
    files,
    beginUse: () => {
      uses.now += 1;
      uses.most = Math.max(uses.most, uses.now);
      return {
        [Symbol.dispose]: () => {
          uses.now -= 1;
        },
      };
    },
    onFailure: (error) => failures.push(error),
  });
  return { downloads, files, failures, uses };
}

const reading =
  (text: string): ReadDownload =>
  (use) =>
    use(new Blob([text]).stream());

describe("Downloads", () => {
  it("stores one that is complete, and uses the session meanwhile", async () => {
    const { downloads, files, uses } = newDownloads();
    await downloads.store("g", downloads.begin(DOWNLOAD, CONTEXT), reading("content"));
    expect(files.text("/home/kernel/Downloads/report.txt")).toBe("content");
    expect(uses).toEqual({ now: 0, most: 1 });
  });

  it("tells each client the path that it wanted, or the first", async () => {
    const { downloads, files } = newDownloads();
    const [named, byGuid, other] = [{}, {}, {}];
    downloads.behaviors.set(named, CONTEXT, { kind: "allow", directory: "/tmp/d" });
    downloads.behaviors.set(byGuid, CONTEXT, { kind: "allowAndName", directory: "/tmp/n" });
    const places = downloads.begin(DOWNLOAD, CONTEXT);
    const asked = downloads.waitUntilStored("g");
    await downloads.store("g", places, reading("content"));
    const stored = await asked;
    expect(stored?.pathFor(named)).toBe("/tmp/d/report.txt");
    expect(stored?.pathFor(byGuid)).toBe("/tmp/n/g");
    expect(stored?.pathFor(other)).toBe("/tmp/d/report.txt");
    expect([...files.files.keys()]).toEqual(["/tmp/d/report.txt", "/tmp/n/g"]);
  });

  it("tells of one that is asked for before it begins, and after its end", async () => {
    const { downloads } = newDownloads();
    const early = downloads.waitUntilStored("g");
    await downloads.store("g", downloads.begin(DOWNLOAD, CONTEXT), reading("content"));
    expect((await early)?.pathFor({})).toBe("/home/kernel/Downloads/report.txt");
    expect((await downloads.waitUntilStored("g"))?.pathFor({})).toBe("/home/kernel/Downloads/report.txt");
  });

  it("tells that nothing comes of one that is cancelled", async () => {
    const { downloads, failures } = newDownloads();
    downloads.begin(DOWNLOAD, CONTEXT);
    const asked = downloads.waitUntilStored("g");
    downloads.drop("g");
    expect(await asked).toBeUndefined();
    expect(failures).toEqual([]);
  });

  it("tells that nothing comes of one that cannot be stored, and why", async () => {
    const { downloads, files, failures, uses } = newDownloads();
    files.failure = new Error("the quota is used up");
    const asked = downloads.waitUntilStored("g");
    await downloads.store("g", downloads.begin(DOWNLOAD, CONTEXT), reading("content"));
    expect(await asked).toBeUndefined();
    expect(failures).toEqual([files.failure]);
    expect(uses.now).toBe(0);
  });

  it("stores one also where one client's directory cannot be", async () => {
    const { downloads, files, failures } = newDownloads();
    const client = {};
    downloads.behaviors.set(client, CONTEXT, { kind: "allowAndName", directory: "/dev/null" });
    vi.spyOn(files, "link").mockRejectedValue(new Error("not a directory"));
    await downloads.store("g", downloads.begin(DOWNLOAD, CONTEXT), reading("content"));
    expect((await downloads.waitUntilStored("g"))?.pathFor(client)).toBe("/home/kernel/Downloads/report.txt");
    expect(failures).toHaveLength(1);
  });

  it("does not wait for one that nobody hears of but a client", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { downloads } = newDownloads();
    const asked = downloads.waitUntilStored("never heard of");
    await vi.advanceTimersByTimeAsync(5000);
    expect(await asked).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits for one that has begun however long it takes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { downloads } = newDownloads();
    const places = downloads.begin(DOWNLOAD, CONTEXT);
    const asked = downloads.waitUntilStored("g");
    await vi.advanceTimersByTimeAsync(3_600_000);
    await downloads.store("g", places, reading("content"));
    expect(await asked).toBeDefined();
  });

  it("copies few at once", async () => {
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

  it("remembers the latest only", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { downloads } = newDownloads();
    for (let index = 0; index < 300; index += 1) {
      const download = { guid: `g${index}`, name: "x" };
      await downloads.store(download.guid, downloads.begin(download, CONTEXT), reading("x"));
    }
    expect(await downloads.waitUntilStored("g299")).toBeDefined();
    const forgotten = downloads.waitUntilStored("g0");
    await vi.advanceTimersByTimeAsync(5000);
    expect(await forgotten).toBeUndefined();
  });
});
