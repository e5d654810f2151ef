import { useState } from "preact/hooks";
import { api, read, type Schemas } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Form, type FormValues, TextField } from "../../ui/form.tsx";
import { DocLink } from "../../ui/page.tsx";

type Verification = Schemas["AuditLogVerification"];

/** Asks the service whether the log of a day was changed. */
export function VerifyDay() {
  const [result, setResult] = useState<Verification>();
  const submit = async (values: FormValues) => {
    setResult(undefined);
    setResult(await verify(values.text("day")));
  };
  return (
    <>
      <Form submit={submit} label="Verify">
        <p>
          Checks the hash chain through one day's entries; see{" "}
          <DocLink page="audit-log#verify">Verify</DocLink>.
        </p>
        <TextField label="Day in UTC" name="day" type="date" value={new Date().toISOString().slice(0, 10)} />
      </Form>
      <div role="status">{result !== undefined && <Result {...result} />}</div>
    </>
  );
}

/** The whole day, part by part. */
async function verify(day: string): Promise<Verification> {
  const verifyAfter = (after?: number) =>
    read(api.GET("/audit-logs/verify", { params: { query: { day, after } } }));
  const first = await verifyAfter();
  let part = first;
  while (part.valid && !part.complete) part = await verifyAfter(part.last_sequence);
  return { ...part, first_sequence: first.first_sequence };
}

function Result({ valid, first_sequence, last_sequence, hash }: Verification) {
  if (!valid) return <p class="problem">Entry {last_sequence + 1} was changed or removed.</p>;
  if (last_sequence < first_sequence) return <p>Nothing was recorded that day.</p>;
  return (
    <>
      <p>
        <Badge tone="good">Unchanged</Badge> Entries {first_sequence} to {last_sequence}. The hash of the last
        one:
      </p>
      <CopyText text={hash} what="the hash" />
    </>
  );
}
