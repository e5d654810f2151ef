import { expect, it } from "vitest";
import { execResultSchema } from "../../../src/api/processes/schema.ts";
import { fetchFromWorker, newClient, ORIGIN } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { compress, gzipBomb } from "../../lib/archives/bombs.ts";

useFakeBrowsers();

const MAX_MS = 20_000;

/** The header of a file of 2,000 MiB. */
function tarHeader(): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(512);
  const write = (text: string, offset: number) => header.set(new TextEncoder().encode(text), offset);
  write("zeros", 0);
  write("0000644\0", 100);
  write(`${(2000 * 1024 * 1024).toString(8).padStart(11, "0")}\0`, 124);
  write("00000000000\0        0", 136);
  write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

it.each([
  ["tar tzf", "timeout 1 tar tzf bomb; echo $?", /^(zeros\n0|124)\n$/],
  ["tar xzf", "timeout 1 tar xzf bomb; echo $?", /^(2|124)\n$/],
  ["gunzip", "gunzip < bomb | wc -c; gunzip < bomb > out; echo $?", /\n1\n$/],
  ["zcat", "zcat bomb > out; echo $?", "1\n"],
  ["rg", "rg -z 1 bomb; echo $?", /^[12]\n$/],
  ["file", "file -b bomb", /gzip/],
])(
  "%s of 2 MB that unpack to 2,000 MiB ends in time, and others have their turn",
  async (_, script, out) => {
    const client = await newClient();
    const { session_id: id } = await client.createSession({ timeout_seconds: 600 });
    const bomb = await gzipBomb(await compress(tarHeader(), "gzip"));
    const written = await fetchFromWorker(`${ORIGIN}/browsers/${id}/fs/write_file?path=/tmp/bomb`, {
      method: "PUT",
      headers: { authorization: `Bearer ${client.token}`, "content-type": "application/octet-stream" },
      body: bomb,
    });
    expect(written.ok).toBe(true);
    const run = async (command: string) => {
      const answer = await client.post(`/browsers/${id}/process/exec`, {
        command: "bash",
        args: ["-c", command],
      });
      return answer.read(execResultSchema);
    };
    const startedAt = Date.now();
    const attacking = run(`cd /tmp; ${script}`);
    const { exit_code } = await run("true");
    const { stdout_b64 } = await attacking;
    expect(exit_code).toBe(0);
    expect(atob(stdout_b64)).toMatch(out);
    expect(Date.now() - startedAt).toBeLessThan(MAX_MS);
  },
  60_000,
);
