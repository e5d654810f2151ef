import { expect, it } from "vitest";
import { newServiceLog } from "../../scripts/local/service-log.ts";

it("warns once when a second organization is created", () => {
  const lines: string[] = [];
  const log = newServiceLog((line) => lines.push(line));
  const created = '{"event":"organization_created","organization_id":"a"}';
  for (const line of ['{"event":"request"}', created, created]) log(line);
  expect(lines).toEqual([
    '{"event":"request"}',
    created,
    expect.stringContaining("A second organization was created"),
    created,
  ]);
});
