import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { RecordingFiles } from "../../../src/features/recordings/recording-files.ts";
import { decodeSamples } from "../../../src/features/recordings/samples.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { useDelayedFiles } from "../apps/delayed-files.ts";

const MEBIBYTE = 1024 * 1024;

const beforeCall = useDelayedFiles();

/** A second of video: a complete picture and one that depends on it. */
function encoded(second: number, size = 300) {
  const samples = [
    { time: second * 1000, size: size - 100, isKey: true },
    { time: second * 1000 + 500, size: 100, isKey: false },
  ];
  const data = new Uint8Array(size).fill(second).toBase64();
  return { codec: "avc1.42e01e", description: "AAAA", samples, data };
}

function newFiles(reserve: (bytes: number) => Promise<boolean> = async () => true) {
  const prefix = `replays/o/${newIdentifier()}/`;
  const files = new RecordingFiles({ files: env.FILES, prefix, width: 10, height: 10, reserve });
  return { files, prefix };
}

/** The pieces in R2: the second that each byte shows, and the times of the pictures. */
async function readPieces(prefix: string) {
  const { objects } = await env.FILES.list({ prefix, include: ["customMetadata"] });
  return Promise.all(
    objects.map(async ({ key, customMetadata }) => {
      const bytes = new Uint8Array((await (await env.FILES.get(key))?.arrayBuffer()) ?? []);
      const media = Number(customMetadata?.media);
      const samples = [...decodeSamples(bytes.subarray(media))];
      return { key: key.slice(prefix.length), seconds: [...new Set(bytes.subarray(0, media))], samples };
    }),
  );
}

it("writes a growing piece again, and begins another one when it is large", async () => {
  const { files, prefix } = newFiles();
  files.append(encoded(1));
  await files.store();
  files.append(encoded(2));
  await files.store();
  expect(await readPieces(prefix)).toMatchObject([
    { key: "000001", seconds: [1, 2], samples: [...encoded(1).samples, ...encoded(2).samples] },
  ]);
  files.append(encoded(3, 2 * MEBIBYTE));
  await files.store();
  files.append(encoded(4));
  await files.store();
  expect(await readPieces(prefix)).toMatchObject([
    { key: "000001", seconds: [1, 2, 3] },
    { key: "000002", seconds: [4] },
  ]);
});

it("keeps what R2 does not take, up to a limit, and tells what is lost", async () => {
  let isFailing = true;
  beforeCall("put", async () => {
    if (isFailing) throw new Error("R2 does not answer");
  });
  const { files, prefix } = newFiles();
  for (const second of [0, 1, 2, 3, 4]) {
    files.append(encoded(second, 3 * MEBIBYTE));
    await expect(files.store()).rejects.toThrow("R2 does not answer");
  }
  isFailing = false;
  await files.store();
  expect(files.lostMs(5000)).toBe(3000);
  const { samples, ...video } = encoded(5);
  files.append({ ...video, samples: samples.map((sample) => ({ ...sample, isKey: false })) });
  expect(files.lostMs(6000)).toBe(4000);
  files.append(encoded(6));
  await files.store();
  expect(files.lostMs(10_000)).toBe(4000);
  const pieces = await readPieces(prefix);
  expect(pieces.map(({ seconds }) => seconds)).toEqual([[0, 1], [6]]);
});

it("stops when the quota is used up", async () => {
  const reserved: number[] = [];
  const { files, prefix } = newFiles(async (bytes) => {
    reserved.push(bytes);
    return false;
  });
  files.append(encoded(1, 3 * MEBIBYTE));
  await files.store();
  expect(files.isFull).toBe(true);
  expect(reserved).toEqual([3 * MEBIBYTE]);
  files.append(encoded(2));
  await files.store();
  expect(await readPieces(prefix)).toMatchObject([{ seconds: [1] }]);
});
