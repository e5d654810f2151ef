import { Facts } from "../../ui/facts.tsx";
import { formatBytes, formatDuration, formatExact } from "../../ui/format.ts";
import { field, formatOffset, formatStack, toLink, toRow, toShown } from "./events.ts";
import { headersOf, type NetworkRequest } from "./requests.ts";
import type { LogItem } from "./timeline.ts";

interface EventDetailsProps {
  item: LogItem;
  /** When the session began. */
  start: number;
}

/** Everything that is known about an event or a request. */
export function EventDetails({ item: { at, event, request, text }, start }: EventDetailsProps) {
  if (request !== undefined) return <RequestDetails request={request} start={start} />;
  const { stack_trace, png, ...data } = event.data ?? {};
  return (
    <>
      <p class="dim">
        {formatExact(at)} · {event.type}
        {event.truncated === true && " · truncated because of its length"}
      </p>
      {typeof png === "string" && (
        <img src={`data:image/png;base64,${png}`} alt="What the page looked like" />
      )}
      <Text text={event.category === "console" ? text : JSON.stringify(data, undefined, 2)} />
      <Text title="Stack" text={formatStack(stack_trace)} />
      {stack_trace === undefined && <Text title="Source" text={field(data, "source_url")} />}
    </>
  );
}

function RequestDetails({ request: entry, start }: { request: NetworkRequest; start: number }) {
  const { method, url, status, error, redirectedTo, request, response, startedAt, endedAt, size } = entry;
  return (
    <>
      <Facts
        facts={[
          ["Address", <Address key="address" url={url} />],
          ["Method", method || undefined],
          ["Status", status !== undefined && `${status} ${field(response, "status_text")}`],
          ["Error", error],
          ["Redirected to", redirectedTo],
          ["Content type", field(response, "mime_type") || undefined],
          ["Size", size !== undefined && `${formatBytes(size)}, according to Content-Length`],
          ["Started", `${formatOffset(startedAt - start)} (${formatExact(startedAt)})`],
          ["Until the response", endedAt !== undefined && formatDuration(endedAt - startedAt)],
          ["Page", field(request, "document_url") || undefined],
          ["Started by", field(request, "initiator_type") || undefined],
        ]}
      />
      <Headers title="Request headers" headers={headersOf(request)} />
      <Text title="Request body" text={field(request, "post_data")} />
      <Headers title="Response headers" headers={headersOf(response)} />
      <Text title="Response body" text={field(response, "body")} />
    </>
  );
}

/** A link, unless following it could run a script or leave the web. */
export function Address({ url }: { url: string }) {
  const link = toLink(url);
  if (link === undefined) return <span>{toRow(url)}</span>;
  return (
    <a href={link} rel="noreferrer" target="_blank">
      {toRow(url)}
    </a>
  );
}

function Headers({ title, headers }: { title: string; headers: [string, string][] }) {
  if (headers.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <Facts facts={headers} />
    </>
  );
}

function Text({ title, text }: { title?: string; text: string }) {
  if (text === "" || text === "{}") return null;
  return (
    <>
      {title && <h2>{title}</h2>}
      <pre>{toShown(text)}</pre>
    </>
  );
}
